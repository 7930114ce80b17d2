package agentcli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/parsers"
	"github.com/memls/memls/rules/tree"
)

// A proposal is a commit that init is about to make, whole and judged before
// anything is written.
type proposal struct {
	root   string
	policy config.Policy
	// before is the last commit's tree, nil when there is none.
	before, after *tree.Tree
	// moved has the old path of each file that is moved, by the new one.
	moved   map[string]string
	message string
	// notes are for the person, one sentence or two each.
	notes []string
	// refused is what to do when the result does not pass, in words.
	refused string

	left   *result
	commit string
}

// changesConfig reports whether a person's approval is part of the commit: who
// types init gives it.
func (p *proposal) changesConfig() bool {
	for _, c := range rules.Changes(orEmpty(p.before), p.after) {
		if c.Path == config.Path {
			return true
		}
	}
	return false
}

func orEmpty(t *tree.Tree) *tree.Tree {
	if t == nil {
		return tree.New(nil)
	}
	return t
}

func (p *proposal) view() *rules.View {
	return rules.NewView(rules.Snapshot{
		Parsers: parsers.New(), Tree: p.after, Head: p.before, Policy: p.policy, ApproveConfig: true,
	})
}

// judge judges the result as the hook will, and more.
func (p *proposal) judge(ctx context.Context) error {
	t := &target{view: p.view(), at: atStaged, policySource: policyFromFlag}
	var err error
	p.left, err = t.judge(ctx, nil, false)
	return err
}

// offer judges the proposal and makes it true by commit, unless it does not
// pass or the run is dry; then it prints what there is to print.
func (a *app) offer(ctx context.Context, p *proposal, opt initOptions, commit func() error) error {
	if err := p.judge(ctx); err != nil {
		return err
	}
	bad := p.left.counts[rules.Error] > 0
	if !bad && !opt.dry {
		err := commit()
		if errors.Is(err, errRefusedByHook) {
			fmt.Fprintf(a.env.Stderr, "agentcli: %s\n", printableLines(err.Error()))
			return errFindings
		}
		if err != nil {
			return err
		}
	}
	if err := a.printProposal(p, opt, bad); err != nil {
		return err
	}
	if bad {
		return errFindings
	}
	return nil
}

func (a *app) printProposal(p *proposal, opt initOptions, bad bool) error {
	if opt.format.value == "json" {
		return a.printJSON(p.json(opt.dry))
	}
	var b bytes.Buffer
	switch {
	case bad:
		p.left.writeFindings(&b)
		fmt.Fprintf(&b, "%s; nothing was written\n", p.left.summary())
		writeWrapped(&b, "", "", p.refused)
	case opt.dry:
		for _, c := range p.changes() {
			b.WriteString(c.Diff)
		}
		a.note("%s to change, with the commit hooks and policy %s", plural(len(p.changes()), "file"), p.policy)
	default:
		for _, c := range p.changes() {
			b.WriteString(c.line())
		}
		p.left.writeFindings(&b)
		fmt.Fprintf(&b, "%s: commit %.10s, %s changed, hooks installed (policy %s)\n", rules.Display(p.root), p.commit, plural(len(p.changes()), "file"), p.policy)
	}
	for _, note := range p.notes {
		a.note("note: %s", rules.Printable(note))
	}
	_, err := a.out.Write(b.Bytes())
	return err
}

// An initChange is one file that the commit changes.
type initChange struct {
	Path   string `json:"path"`
	From   string `json:"from,omitempty"` // for a moved file
	Action string `json:"action"`         // created, edited, moved or deleted
	Diff   string `json:"diff"`
}

func (c *initChange) line() string {
	if c.From != "" {
		return fmt.Sprintf("moved %s -> %s\n", rules.Display(c.From), rules.Display(c.Path))
	}
	return fmt.Sprintf("%s %s\n", c.Action, rules.Display(c.Path))
}

// changes are what the commit changes, by path. A moved file stands at its new
// path alone. Both trees are in memory or were read when they were judged.
func (p *proposal) changes() []initChange {
	movedAway := map[string]bool{}
	for _, from := range p.moved {
		movedAway[from] = true
	}
	var out []initChange
	for _, c := range rules.Changes(orEmpty(p.before), p.after) {
		from, isMoved := p.moved[c.Path]
		switch {
		case isMoved:
			out = append(out, p.move(from, c.Path))
		case c.After == nil && movedAway[c.Path]:
		default:
			s := step{path: c.Path, created: c.Before == nil, gone: c.After == nil, mode: 0o644}
			s.before, s.after = bytesOf(c.Before), bytesOf(c.After)
			out = append(out, initChange{Path: c.Path, Action: s.action(), Diff: s.diff()})
		}
	}
	return out
}

// move is a moved file, as a diff that git apply takes for a rename.
func (p *proposal) move(from, to string) initChange {
	a, b := diffName("a/"+from), diffName("b/"+to)
	diff := fmt.Sprintf("diff --git %s %s\nrename from %s\nrename to %s\n",
		strings.TrimSuffix(a, "\t"), strings.TrimSuffix(b, "\t"), rules.Display(from), rules.Display(to))
	diff += udiff.Unified(a, b, string(bytesOf(p.before.File(from))), string(bytesOf(p.after.File(to))))
	return initChange{Path: to, From: from, Action: "moved", Diff: diff}
}

// bytesOf is the content of a file that was read before; nil for none.
func bytesOf(f *tree.File) []byte {
	if f == nil || f.Mode == tree.Gitlink {
		return nil
	}
	src, _ := f.Bytes()
	return src
}

type jsonInit struct {
	Root     string        `json:"root"`
	DryRun   bool          `json:"dryRun"`
	Policy   config.Policy `json:"policy"`
	Commit   *string       `json:"commit"` // null when none was made
	Changes  []initChange  `json:"changes"`
	Findings []jsonFinding `json:"findings"`
	Summary  jsonSummary   `json:"summary"`
	Notes    []string      `json:"notes"`
}

func (p *proposal) json(dry bool) jsonInit {
	out := jsonInit{
		Root: p.root, DryRun: dry, Policy: p.policy, Changes: append([]initChange{}, p.changes()...),
		Findings: p.left.jsonFindings(), Summary: p.left.jsonSummary(), Notes: append([]string{}, p.notes...),
	}
	if p.commit != "" {
		out.Commit = &p.commit
	}
	return out
}
