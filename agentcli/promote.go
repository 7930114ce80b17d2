package agentcli

import (
	"github.com/spf13/cobra"

	"github.com/memls/memls/rules"
)

func (a *app) promoteCommand() *cobra.Command {
	return a.refactorCommand(&cobra.Command{
		Use:   "promote PATH",
		Short: "Make a deferred file core memory",
		Long: `Move a deferred memory file to the root, where it is in every prompt, whole. Links and indexes
follow, as with agentcli mv; what would go over a budget is refused.`,
		Example: `  agentcli promote notes/pets.md
  agentcli promote --dry-run notes/pets.md`,
		Args: cobra.ExactArgs(1),
	}, func(r *refactorRun, args []string) ([]rules.Op, error) {
		path, err := r.relative(args[0])
		if err != nil {
			return nil, err
		}
		return r.target.view.Promote(path)
	})
}
