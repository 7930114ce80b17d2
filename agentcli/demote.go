package agentcli

import (
	"github.com/spf13/cobra"

	"github.com/memls/memls/rules"
)

func (a *app) demoteCommand() *cobra.Command {
	return a.refactorCommand(&cobra.Command{
		Use:   "demote PATH DIR",
		Short: "Defer a core file: move it behind the index of a directory",
		Long: `Move a core memory file into a directory, where it is read on demand. The directory's index is
created where it is missing and lists the file. Links follow, as with agentcli mv.`,
		Example: `  agentcli demote pets.md notes
  agentcli demote --dry-run pets.md people/home`,
		Args: cobra.ExactArgs(2),
	}, func(r *refactorRun, args []string) ([]rules.Op, error) {
		path, err := r.relative(args[0])
		if err != nil {
			return nil, err
		}
		dir, err := r.relative(args[1])
		if err != nil {
			return nil, err
		}
		return r.target.view.Demote(path, dir)
	})
}
