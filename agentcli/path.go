package agentcli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func (a *app) pathCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "path",
		Short: "Print where the repository lies",
		Long:  "Print the absolute path of the repository's top directory (of the git directory, if it is bare).",
		Example: `  cd "$(agentcli path)"
  agentcli path --format json`,
		Args: cobra.NoArgs,
	}
	format := formatFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		repo, err := a.open(cmd.Context())
		if err != nil {
			return err
		}
		if format.value == "json" {
			return a.printJSON(struct {
				Path string `json:"path"`
			}{repo.root()})
		}
		// A path is for programs: it is printed as it is.
		_, err = fmt.Fprintln(a.out, repo.root())
		return err
	}
	return cmd
}
