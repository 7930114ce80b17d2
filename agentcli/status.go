package agentcli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/memls/memls/agentcli/hook"
	"github.com/memls/memls/rules"
)

// A statusReport is the JSON of status.
type statusReport struct {
	Root         string       `json:"root"`
	Layout       string       `json:"layout"`
	Policy       string       `json:"policy"`
	PolicySource string       `json:"policySource"`
	Memory       bool         `json:"memory"` // it is a memory repository
	At           string       `json:"at"`     // the tree that budget and summary are of
	Git          *gitState    `json:"git"`    // null for a bare repository
	Unfinished   string       `json:"unfinished"`
	Hook         *hook.Status `json:"hook"`
	// Tiers are numbers of files; a tier without any is not named.
	Tiers   map[string]int `json:"tiers"`
	Budget  budget         `json:"budget"`
	Summary jsonSummary    `json:"summary"`

	errors []shownFinding // the first ones
}

// maxProblems is how many errors status spells out: the rest of the screen is
// for other things.
const maxProblems = 3

func (a *app) statusCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show how the memory stands, on one screen",
		Long: `Show where the memory lies, its layout and policy, branch and changes, the state of the hooks,
the files of each tier, budgets, the number of findings and the first errors. It exits with 0
whatever it finds; check is what fails.`,
		Example: `  agentcli status
  agentcli status --format json`,
		Args: cobra.NoArgs,
	}
	format := formatFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		repo, err := a.open(cmd.Context())
		if err != nil {
			return err
		}
		defer repo.Close()
		s, err := a.readStatus(cmd.Context(), repo)
		if err != nil {
			return err
		}
		if format.value == "json" {
			return a.printJSON(s)
		}
		_, err = a.out.WriteString(s.text(a.painter()))
		return err
	}
	return cmd
}

// readStatus asks git and judges at the same time: each waits for other things.
func (a *app) readStatus(ctx context.Context, repo *repository) (*statusReport, error) {
	s := &statusReport{Root: repo.root(), At: atWorktree, Tiers: map[string]int{}, Budget: budget{Nearest: []fileBudget{}}}
	var asking sync.WaitGroup
	var gitErr, hookErr error
	if repo.Top == "" {
		s.At = atHead
	} else {
		asking.Go(func() { s.Git, gitErr = repo.gitStatus(ctx) })
	}
	asking.Go(func() { s.Hook, hookErr = hook.ReadStatus(ctx, repo.base) })
	r, err := a.judgeAll(ctx, repo, s.At)
	asking.Wait()
	if gitErr != nil || hookErr != nil {
		return nil, cmp.Or(gitErr, hookErr)
	}
	if errors.Is(err, errNoCommit) {
		s.Policy, s.PolicySource, s.Layout = s.Hook.Policy, s.Hook.PolicySource, "v1"
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	s.judged(r)
	return s, nil
}

func (a *app) judgeAll(ctx context.Context, repo *repository, at string) (*result, error) {
	t, err := a.look(ctx, repo, at, "")
	if err != nil {
		return nil, err
	}
	a.noteSkipped(t)
	return t.judge(ctx, nil, false)
}

// judged takes over what the judgement tells.
func (s *statusReport) judged(r *result) {
	s.Layout, s.Policy, s.PolicySource = r.layout(), string(r.view.Policy), r.policySource
	s.Memory, s.Unfinished = r.isMemory(), r.view.Unfinished
	s.Budget, s.Summary = r.budget(nil), r.jsonSummary()
	for f := range r.view.Tree.All() {
		s.Tiers[r.tierOf(f)]++
	}
	r.keep(func(f *rules.Finding) bool { return f.Severity == rules.Error })
	s.errors = r.shown[:min(maxProblems, len(r.shown))]
}

func (s *statusReport) text(p painter) string {
	var b bytes.Buffer
	line := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "%-10s %s\n", label, fmt.Sprintf(format, args...))
	}
	line("memory", "%s", rules.Display(s.Root))
	source := map[string]string{policyFromFile: "set by the hook", policyFromMarker: "by the files that are there"}[s.PolicySource]
	line("layout", "%s, policy %s (%s)", s.Layout, s.Policy, source)
	if s.Git != nil {
		line("branch", "%s", s.Git.branchText())
		line("changes", "%s", s.Git.changesText())
	}
	if s.Unfinished != "" {
		line("unfinished", "%s in progress", s.Unfinished)
	}
	line("hook", "%s", hookText(s.Hook))
	if !s.Memory {
		line("findings", "none: this is no memory repository, there is nothing to check")
		return b.String()
	}
	line("files", "%s", tiersText(s.Tiers))
	if core := s.Budget.Core; core.Limit != nil {
		line("core", "%s %s", p.bar(core.Characters, *core.Limit), core)
	} else {
		line("core", "%s", core)
	}
	label := "nearest"
	for _, f := range s.Budget.Nearest[:min(3, len(s.Budget.Nearest))] {
		line(label, "%s %s: %d of %d characters (%s)", p.bar(f.Characters, f.Limit), rules.Display(f.Path), f.Characters, f.Limit, percent(f.Characters, f.Limit))
		label = ""
	}
	line("findings", "%s", s.Summary)
	for _, f := range s.errors {
		where := ""
		if f.Path != "" {
			where = rules.Display(f.Path) + ": "
		}
		line("", "%s", p.paint(colorRed, shorten(where+rules.Printable(f.Message), 88)))
	}
	return b.String()
}

// tiersText counts the files of each tier.
func tiersText(tiers map[string]int) string {
	var parts []string
	for _, tier := range []string{tierRoot, tierCore, tierIndex, tierDeferred, tierSkill, tierFile, tierStray} {
		n, name := tiers[tier], tier
		if tier == tierFile {
			name = "plain"
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, name))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// String counts the findings in words.
func (s jsonSummary) String() string {
	if s == (jsonSummary{}) {
		return "none"
	}
	text := plural(s.Errors, "error") + ", " + plural(s.Warnings, "warning")
	if n := s.Infos + s.Hints; n > 0 {
		text += ", " + plural(n, "hint")
	}
	return text + "; see agentcli check"
}

func (s *gitState) branchText() string {
	text := rules.Display(s.Branch)
	if s.Branch == "" {
		text = "no branch (detached HEAD)"
	}
	switch {
	case s.Commit == "":
		text += ", no commit yet"
	case s.Upstream == nil:
	case s.Ahead == nil || s.Behind == nil:
		text += fmt.Sprintf(", upstream %s is gone", rules.Display(*s.Upstream))
	case *s.Ahead == 0 && *s.Behind == 0:
		text += ", level with " + rules.Display(*s.Upstream)
	default:
		text += fmt.Sprintf(", %d ahead of and %d behind %s", *s.Ahead, *s.Behind, rules.Display(*s.Upstream))
	}
	return text
}

func (s *gitState) changesText() string {
	var parts []string
	for _, c := range []struct {
		n    int
		what string
	}{{s.Unmerged, "in conflict"}, {s.Staged, "staged"}, {s.Unstaged, "not staged"}, {s.Untracked, "untracked"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// hookText is the state of the hooks in a line, and what to do about it.
func hookText(s *hook.Status) string {
	if s.Installed {
		return "installed"
	}
	for _, h := range s.Hooks {
		if h.State != hook.Absent {
			return "does not check commits; see agentcli hook status"
		}
	}
	return "not installed, commits are not checked; run agentcli hook install"
}

// bar draws a share in ASCII, full from the limit on.
func (p painter) bar(n int, limit int64) string {
	const width = 20
	full := int(min(int64(width), int64(n)*width/max(limit, 1)))
	return "[" + p.paint(shareColor(n, limit), strings.Repeat("#", full)) + strings.Repeat("-", width-full) + "]"
}
