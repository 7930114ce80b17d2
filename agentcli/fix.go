package agentcli

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/memls/memls/rules"
)

const fixHelp = `Apply every fix that is known to be safe to the working tree: no error is there afterwards that
was not there before. The index and the history stay as they are.

PATH and --rule limit which findings are mended, and which of those that are left count for the
exit code: 1 when errors are left.`

func (a *app) fixCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fix [PATH…]",
		Short: "Mend what can be mended without asking",
		Long:  fixHelp,
		Example: `  agentcli fix --dry-run              show the changes as a diff
  agentcli fix notes                  mend files below notes/
  agentcli fix --rule index-chain     create missing indexes, nothing else`,
	}
	dry := cmd.Flags().Bool("dry-run", false, "print a unified diff and change nothing")
	ids := cmd.Flags().StringArray("rule", nil, "mend findings of the rule `ID` alone (may be repeated)")
	format := formatFlag(cmd)
	policy := policyFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		for _, id := range *ids {
			if _, err := findRule(id); err != nil {
				return err
			}
		}
		f := fixRun{app: a, ids: *ids, dry: *dry}
		return f.run(cmd.Context(), args, policy.value, format.value)
	}
	return cmd
}

// A fixRun is one run of fix.
type fixRun struct {
	*app
	ids []string
	dry bool

	target *target
	sel    selection
	plan   *plan
	result *rules.FixResult
	left   *result
}

func (f *fixRun) run(ctx context.Context, args []string, policy, format string) error {
	repo, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer repo.Close()
	if f.sel, err = repo.resolve(args); err != nil {
		return err
	}
	if f.target, err = f.look(ctx, repo, atWorktree, policy); err != nil {
		return err
	}
	f.noteSkipped(f.target)
	if err := f.mend(ctx); err != nil {
		return err
	}
	if format == "json" {
		err = f.printJSON(f.json())
	} else {
		_, err = f.out.Write(f.text())
	}
	if err == nil && f.left.counts[rules.Error] > 0 {
		err = errFindings
	}
	return err
}

// mend works the changes out, writes them unless the run is dry, and judges
// what is left.
func (f *fixRun) mend(ctx context.Context) error {
	t := f.target
	f.plan, f.result = &plan{}, &rules.FixResult{}
	var err error
	if f.left, err = t.judge(ctx, f.sel, false); err == nil {
		err = f.left.mustExist()
	}
	if err != nil {
		return err
	}
	if f.left.nothing != "" || !f.left.keep(f.wanted) {
		return nil
	}
	if f.result, err = t.view.FixAll(ctx, f.wanted); err != nil {
		return err
	}
	if len(f.result.Changes) == 0 {
		return nil
	}
	if f.plan, err = t.plan(ctx, f.result.Changes); err != nil {
		return err
	}
	if !f.dry {
		if err := f.plan.write(); err != nil {
			return err
		}
	}
	return f.judgeAgain(ctx)
}

// judgeAgain finds what is left after the changes.
func (f *fixRun) judgeAgain(ctx context.Context) error {
	after := *f.target
	s := after.view.Snapshot
	s.Tree = f.result.Tree
	after.view = rules.NewView(s)
	var err error
	if f.left, err = after.judge(ctx, f.sel, false); err != nil {
		return err
	}
	f.left.keep(f.wanted)
	return nil
}

// wanted reports whether the finding is among those to be mended.
func (f *fixRun) wanted(found *rules.Finding) bool {
	return f.sel.hasFinding(found, f.target.isCore) && (len(f.ids) == 0 || slices.Contains(f.ids, found.Rule.ID))
}

func (f *fixRun) text() []byte {
	var b bytes.Buffer
	if f.left.nothing != "" {
		fmt.Fprintf(&b, "nothing to fix: %s\n", f.left.nothing)
		return b.Bytes()
	}
	if f.dry {
		// The diff is for programs too: it has standard output to itself.
		b.WriteString(f.plan.diff())
		f.note("%s to change; %s left after that", plural(len(f.plan.steps), "file"), f.left.summary())
		return b.Bytes()
	}
	for _, s := range f.plan.steps {
		fmt.Fprintf(&b, "%s %s\n", s.action(), rules.Display(s.path))
	}
	for _, title := range f.result.Titles {
		writeWrapped(&b, "  ", "    ", "fixed "+rules.Printable(title))
	}
	f.left.writeFindings(&b)
	fmt.Fprintf(&b, "%s changed; %s left\n", plural(len(f.plan.steps), "file"), f.left.summary())
	return b.Bytes()
}

// A jsonFixes is the JSON of fix.
type jsonFixes struct {
	Root    string       `json:"root"`
	DryRun  bool         `json:"dryRun"`
	Applied []string     `json:"applied"`
	Changes []jsonChange `json:"changes"`
	// Findings and Summary are what is left.
	Findings []jsonFinding `json:"findings"`
	Summary  jsonSummary   `json:"summary"`
}

type jsonChange struct {
	Path   string `json:"path"`
	Action string `json:"action"` // created, edited or deleted
	Diff   string `json:"diff"`
}

func (f *fixRun) json() jsonFixes {
	out := jsonFixes{
		Root: f.target.repo.root(), DryRun: f.dry, Applied: append([]string{}, f.result.Titles...), Changes: []jsonChange{},
		Findings: f.left.jsonFindings(), Summary: f.left.jsonSummary(),
	}
	for _, s := range f.plan.steps {
		out.Changes = append(out.Changes, jsonChange{s.path, s.action(), s.diff()})
	}
	return out
}
