package agentcli

import (
	"io"

	"github.com/spf13/cobra"
)

// completions are the shells, with cobra's writer for each.
var completions = map[string]func(*cobra.Command, io.Writer) error{
	"bash": func(c *cobra.Command, w io.Writer) error { return c.GenBashCompletionV2(w, true) },
	"zsh":  func(c *cobra.Command, w io.Writer) error { return c.GenZshCompletion(w) },
	"fish": func(c *cobra.Command, w io.Writer) error { return c.GenFishCompletion(w, true) },
}

func (a *app) completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish",
		Short: "Print the completion script of a shell",
		Example: `  source <(agentcli completion bash)
  agentcli completion zsh > "${fpath[1]}/_agentcli"
  agentcli completion fish > ~/.config/fish/completions/agentcli.fish`,
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"bash", "zsh", "fish"},
		RunE: func(cmd *cobra.Command, args []string) error {
			return completions[args[0]](cmd.Root(), a.out)
		},
	}
}
