package rules

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/memls/memls/rules/tree"
)

// maxRounds bounds how often FixAll judges again. One fix uncovers the next at
// most a few times: an index makes frontmatter count, frontmatter makes a file
// grow.
const maxRounds = 12

// A FixResult is what FixAll did.
type FixResult struct {
	// Tree is the tree with every fix applied.
	Tree *tree.Tree
	// Titles name the fixes in the order they were applied.
	Titles []string
	// Changes are the files that differ, sorted by path.
	Changes []FileChange
}

// A FileChange is one file that differs between two trees. Before or After is
// nil for a file that is created or deleted.
type FileChange struct {
	Path          string
	Before, After *tree.File
}

// FixAll applies safe fixes of the findings that want asks for until none is
// left, judging the tree again after each round. Nil wants all.
func (v *View) FixAll(ctx context.Context, want func(*Finding) bool) (*FixResult, error) {
	return v.fixAll(ctx, func(v *View) ([]Finding, error) {
		report, err := v.Judge(ctx, Options{})
		if err != nil {
			return nil, err
		}
		if want == nil {
			return report.Findings, nil
		}
		return slices.DeleteFunc(report.Findings, func(f Finding) bool { return !want(&f) }), nil
	})
}

// FixFile is FixAll for the findings of one file, at the cost of judging that
// file alone. Other files change where a fix of these findings needs it.
func (v *View) FixFile(ctx context.Context, path string) (*FixResult, error) {
	return v.fixAll(ctx, func(v *View) ([]Finding, error) {
		f := v.Tree.File(path)
		if f == nil {
			return nil, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		findings, err := v.JudgeFile(f)
		if err != nil {
			return nil, err
		}
		whole, err := v.JudgeTree()
		for i := range whole {
			if whole[i].Path == path {
				findings = append(findings, whole[i])
			}
		}
		return findings, err
	})
}

func (v *View) fixAll(ctx context.Context, judge func(*View) ([]Finding, error)) (*FixResult, error) {
	out := &FixResult{Tree: v.Tree}
	for range maxRounds {
		findings, err := judge(v)
		if err != nil {
			return nil, err
		}
		// Errors first: an index that is misspelt is renamed, not given the
		// frontmatter that its wrong name asks for.
		slices.SortStableFunc(findings, func(a, b Finding) int {
			return cmp.Compare(min(a.Severity, Warning), min(b.Severity, Warning))
		})
		b, err := v.nextBatch(ctx, findings)
		if err != nil {
			return nil, err
		}
		if len(b.keys) == 0 {
			break
		}
		t, err := Apply(v.Tree, b.all())
		if err != nil {
			return nil, err
		}
		out.Titles = append(out.Titles, b.titles...)
		v = v.with(t)
	}
	out.Changes = Changes(out.Tree, v.Tree)
	out.Tree = v.Tree
	return out, nil
}

// nextBatch gathers the fixes of one round. Together they may break what each
// alone does not, such as a budget: then half of them have to do for now.
func (v *View) nextBatch(ctx context.Context, findings []Finding) (*batch, error) {
	for limit := math.MaxInt; ; {
		b := &batch{edits: map[string][]Edit{}, taken: map[string]bool{}, keys: map[string]bool{}}
		for i := range findings {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if b.add(&findings[i]); len(b.keys) == limit {
				break
			}
		}
		if len(b.keys) <= 1 || v.isSound(b.all()) {
			return b, nil
		}
		limit = len(b.keys) / 2
	}
}

// Changes lists the files that differ in identity between two trees of which
// one was made from the other.
func Changes(before, after *tree.Tree) []FileChange {
	var changes []FileChange
	for f := range after.All() {
		if old := before.File(f.Path); old != f {
			changes = append(changes, FileChange{Path: f.Path, Before: old, After: f})
		}
	}
	for f := range before.All() {
		if !after.Has(f.Path) {
			changes = append(changes, FileChange{Path: f.Path, Before: f})
		}
	}
	slices.SortFunc(changes, func(a, b FileChange) int {
		if a.Path < b.Path {
			return -1
		}
		return 1
	})
	return changes
}

// batch gathers fixes that can be applied to one tree together.
type batch struct {
	ops    []Op
	edits  map[string][]Edit
	taken  map[string]bool // paths that a created, moved or deleted file needs
	keys   map[string]bool
	titles []string
}

// add takes the first safe fix of the finding, unless it is in already or in
// the way of another one: then the next round sees to it.
func (b *batch) add(f *Finding) {
	fixes := f.Fixes
	if f.Group != nil {
		fixes = append(slices.Clip(fixes), f.Group.Fixes...)
	}
	for _, fix := range fixes {
		if b.keys[fix.Key] {
			return
		}
		if !fix.Safe() {
			continue
		}
		ops, err := fix.Ops()
		if err != nil || !b.fits(ops) {
			return
		}
		b.keys[fix.Key] = true
		title := fix.Title
		if f.Path != "" {
			title = fmt.Sprintf("%s: %s", Display(f.Path), fix.Title)
		}
		b.titles = append(b.titles, title)
		for _, op := range ops {
			if op.Kind == OpEdit {
				b.edits[op.Path] = append(b.edits[op.Path], op.Edits...)
				continue
			}
			b.taken[op.Path] = true
			if op.Kind == OpRename {
				b.taken[op.To] = true
			}
			b.ops = append(b.ops, op)
		}
		return
	}
}

func (b *batch) fits(ops []Op) bool {
	for _, op := range ops {
		if b.taken[op.Path] || op.Kind == OpRename && b.taken[op.To] {
			return false
		}
		if op.Kind != OpEdit && len(b.edits[op.Path]) > 0 {
			return false
		}
		for _, e := range op.Edits {
			for _, other := range b.edits[op.Path] {
				if overlap(e.Span, other.Span) {
					return false
				}
			}
		}
	}
	return true
}

// overlap also holds for an insertion at the edge of another edit: which of
// the two comes first would be a matter of chance.
func overlap(a, b Span) bool {
	if a.Start == a.End || b.Start == b.End {
		return a.Start <= b.End && b.Start <= a.End
	}
	return a.Start < b.End && b.Start < a.End
}

// all are the operations of all fixes.
func (b *batch) all() []Op {
	ops := slices.Clone(b.ops)
	for path, edits := range b.edits {
		ops = append(ops, Op{Kind: OpEdit, Path: path, Edits: edits})
	}
	return ops
}
