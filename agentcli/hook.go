package agentcli

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/memls/memls/agentcli/hook"
	"github.com/memls/memls/agentcli/hook/command"
)

func (a *app) hookCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hook",
		Short: "Install, remove or look at the commit hooks",
		Long:  "Install, remove or look at the git hooks that validate every commit; the same as memhook's commands.",
		Example: `  agentcli hook install
  agentcli hook status --format json`,
		Args: cobra.NoArgs,
		RunE: needsCommand,
	}
	cmd.AddCommand(a.hookInstallCommand(), a.hookUninstallCommand(), a.hookStatusCommand())
	return cmd
}

func (a *app) hookInstallCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "install [DIR]",
		Short: "Validate every commit of a repository",
		Long: `Write the hooks pre-commit and pre-merge-commit, and the layout policy. A hook of somebody else
is refused, chained or kept as a backup, never lost. Running it again changes nothing.`,
		Example: `  agentcli hook install
  agentcli hook install --chain ~/memory`,
		Args: cobra.MaximumNArgs(1),
	}
	var opt hook.InstallOptions
	flags := cmd.Flags()
	policy := choiceFlag(cmd, "policy", "layout policy to write", "", hook.Policies()...)
	flags.BoolVar(&opt.Chain, "chain", false, "keep a hook of somebody else: it runs first")
	flags.BoolVar(&opt.Force, "force", false, "replace a hook of somebody else, keeping a backup")
	flags.StringVar(&opt.Binary, "binary", "", "`PATH` of the memhook that the hook is to run")
	format := formatFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		opt.Dir, opt.Policy = a.hookDir(args), policy.value
		return hookRun(cmd.Context(), a, format.value, command.InstallText, func(ctx context.Context) (*hook.Result, error) {
			return hook.Install(ctx, opt)
		})
	}
	return cmd
}

func (a *app) hookUninstallCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "uninstall [DIR]",
		Short:   "Remove the hooks and put back what was there",
		Example: "  agentcli hook uninstall",
		Args:    cobra.MaximumNArgs(1),
	}
	format := formatFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return hookRun(cmd.Context(), a, format.value, command.UninstallText, func(ctx context.Context) (*hook.Result, error) {
			return hook.Uninstall(ctx, a.hookDir(args))
		})
	}
	return cmd
}

func (a *app) hookStatusCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "status [DIR]",
		Short:   "Say whether commits are validated",
		Example: "  agentcli hook status",
		Args:    cobra.MaximumNArgs(1),
	}
	format := formatFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return hookRun(cmd.Context(), a, format.value, command.StatusText, func(ctx context.Context) (*hook.Status, error) {
			return hook.ReadStatus(ctx, a.hookDir(args))
		})
	}
	return cmd
}

// hookDir is the repository: DIR, from where -C leads, else that of every
// other command.
func (a *app) hookDir(args []string) string {
	switch {
	case len(args) > 0 && (a.dir == "" || filepath.IsAbs(args[0])):
		return args[0]
	case len(args) > 0:
		return filepath.Join(a.dir, args[0])
	case a.dir != "":
		return a.dir
	}
	return a.env.Getenv("MEMORY_DIR")
}

// hookRun does the work and prints what came of it.
func hookRun[T any](ctx context.Context, a *app, format string, text func(T) string, run func(context.Context) (T, error)) error {
	result, err := run(ctx)
	if err != nil {
		return err
	}
	if format == "json" {
		return a.printJSON(result)
	}
	_, err = a.out.WriteString(text(result))
	return err
}
