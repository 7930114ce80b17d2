package memory

import (
	"context"
	"slices"
	"strings"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/tree"
)

// afterwards does what a write brings with it, and says what it has to be told.
func (w *Workspace) afterwards(ctx context.Context, before *tree.Tree) (string, error) {
	var b strings.Builder
	if w.opt.CreateIndexes {
		written := w.tree
		if err := w.listNew(before); err != nil {
			return "", err
		}
		if also := changedPaths(written, w.tree); len(also) > 0 {
			b.WriteString("\n\nIndexes were brought along: " + spellAll(also))
		}
	}
	caused, err := w.caused(ctx, before)
	if err != nil {
		return "", err
	}
	writeFindings(&b, "\n\nIt is written, but the memory cannot be committed like this:\n", caused, rules.Error, rules.Error)
	writeFindings(&b, "\n\nIt is written. Advice:\n", caused, rules.Warning, rules.Info)
	return b.String(), nil
}

func spellAll(paths []string) string {
	var all []string
	for _, p := range paths {
		all = append(all, spell(p))
	}
	return strings.Join(all, ", ")
}

// maxFindings bounds the findings of one write that are told.
const maxFindings = 20

// writeFindings lists those of some severities. What comes from files is on one
// line each, without control characters.
func writeFindings(b *strings.Builder, head string, findings []rules.Finding, worst, least rules.Severity) {
	n := 0
	for i := range findings {
		f := &findings[i]
		if f.Severity < worst || f.Severity > least {
			continue
		}
		if n++; n == 1 {
			b.WriteString(head)
		} else if n > maxFindings {
			b.WriteString("\n- … and more")
			return
		} else {
			b.WriteByte('\n')
		}
		b.WriteString("- " + rules.Printable(f.Line))
		if f.Help != "" {
			b.WriteString(" (" + rules.Printable(f.Help) + ")")
		}
	}
}

// caused are the findings that the tree has and the one before had not. Only
// what a change touches is judged: a write costs in proportion to that.
func (w *Workspace) caused(ctx context.Context, before *tree.Tree) ([]rules.Finding, error) {
	paths, err := w.touched(ctx, before)
	if err != nil {
		return nil, err
	}
	old, err := judge(w.viewOf(before), paths)
	if err != nil {
		return nil, err
	}
	known := map[string]int{}
	for i := range old {
		known[findingKey(&old[i])]++
	}
	now, err := judge(w.View(), paths)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(now, func(f rules.Finding) bool {
		key := findingKey(&f)
		known[key]--
		return known[key] >= 0
	}), nil
}

// findingKey tells findings apart, but for the numbers in them: a file that is
// too long stays so while it grows.
func findingKey(f *rules.Finding) string {
	digits := func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}
	return f.Rule.ID + "\x00" + f.Path + "\x00" + strings.Map(digits, f.Message)
}

func judge(v *rules.View, paths []string) ([]rules.Finding, error) {
	findings, err := v.JudgeTree()
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		f := v.Tree.File(p)
		if f == nil {
			continue
		}
		more, err := v.JudgeFile(f)
		if err != nil {
			return nil, err
		}
		findings = append(findings, more...)
	}
	rules.SortFindings(findings)
	return findings, nil
}

// touched are the files of which a change can alter what is found: those that
// differ, all below an index that does, and those with links to what is gone.
func (w *Workspace) touched(ctx context.Context, before *tree.Tree) ([]string, error) {
	paths := map[string]bool{}
	var gone []string
	for _, p := range changedPaths(before, w.tree) {
		paths[p] = true
		if !w.tree.Has(p) {
			gone = append(gone, p)
		}
		if rules.IsIndex(p) {
			for f := range w.tree.Dir(dirOf(p)).All() {
				paths[f.Path] = true
			}
		}
	}
	if len(gone) == 0 {
		return sorted(paths), nil // all files would have to be read for no more than this
	}
	near, err := w.links.Near(ctx, before, gone, nil)
	if err != nil {
		return nil, err
	}
	for i := range near {
		paths[near[i].From.Path] = true
	}
	return sorted(paths), nil
}

func sorted(set map[string]bool) []string {
	paths := make([]string, 0, len(set))
	for p := range set {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	return paths
}
