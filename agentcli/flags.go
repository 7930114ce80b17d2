package agentcli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
)

// A choice is a flag with a fixed set of values. It is a pflag.Value.
type choice struct {
	value   string
	name    string // what help calls the value
	allowed []string
}

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return c.name }

func (c *choice) Set(s string) error {
	if !slices.Contains(c.allowed, s) {
		return fmt.Errorf("use %s", c.list())
	}
	c.value = s
	return nil
}

func (c *choice) list() string {
	last := len(c.allowed) - 1
	return strings.Join(c.allowed[:last], ", ") + " or " + c.allowed[last]
}

// choiceFlag adds a flag that takes one of the values; initial may be "".
func choiceFlag(cmd *cobra.Command, name, usage, initial string, allowed ...string) *choice {
	c := &choice{value: initial, name: strings.ToUpper(name), allowed: allowed}
	cmd.Flags().Var(c, name, usage+": "+c.list())
	// The flag exists, so that this cannot fail.
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(allowed, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func formatFlag(cmd *cobra.Command, more ...string) *choice {
	return choiceFlag(cmd, "format", "print as", "text", append([]string{"text", "json"}, more...)...)
}

func policyFlag(cmd *cobra.Command) *choice {
	return choiceFlag(cmd, "policy", "judge by another policy", "",
		string(config.RootMarker), string(config.LegacyOnly), string(config.SharedMemory))
}

func atFlag(cmd *cobra.Command) *string {
	at := cmd.Flags().String("at", atWorktree, "`TREE`: worktree, staged, head or a revision")
	_ = cmd.RegisterFlagCompletionFunc("at", cobra.FixedCompletions([]string{atWorktree, atStaged, atHead}, cobra.ShellCompDirectiveNoFileComp))
	return at
}

// printJSON prints one value, for programs that read it and people who look.
func (a *app) printJSON(v any) error { return encodeJSON(a.out, v, "  ") }

// encodeJSON writes one value and a line end. What comes from files does nothing
// to a terminal.
func encodeJSON(w io.Writer, v any, indent string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", indent)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(rules.PrintableJSON(b.Bytes()))
	return err
}
