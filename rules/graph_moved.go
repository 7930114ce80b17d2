package rules

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memls/memls/rules/tree"
)

// A Rename is a file or directory that gets another path.
type Rename struct{ From, To string }

// MoveLinks is what [View.Move] does to files other than moving them, for
// moves that happen whatever the rules say: an editor has begun them. Paths in
// the steps are those before the moves, but for files that are created. What is
// not in the tree, such as a file that git ignores, is left out.
func (v *View) MoveLinks(renames []Rename) ([]Op, error) {
	renames = slices.DeleteFunc(slices.Clone(renames), func(r Rename) bool {
		return v.Tree.File(r.From) == nil && v.Tree.Dir(r.From) == nil
	})
	if len(renames) == 1 {
		ops, err := v.moveAnyway(renames[0])
		return slices.DeleteFunc(ops, func(op Op) bool { return op.Kind == OpRename }), err
	}
	now, origin := v, map[string]string{}
	for _, r := range renames {
		ops, err := now.moveAnyway(r)
		if err != nil {
			return nil, err
		}
		t, err := Apply(now.Tree, ops)
		if err != nil {
			return nil, err
		}
		for _, op := range ops {
			if op.Kind == OpRename {
				origin[op.To] = originOf(origin, op.Path)
				delete(origin, op.Path)
			}
		}
		now = v.with(t)
	}
	return v.stepsTo(now.Tree, origin)
}

func originOf(origin map[string]string, path string) string {
	if old, ok := origin[path]; ok {
		return old
	}
	return path
}

// moveAnyway is Move, or where that refuses what it does to links alone.
func (v *View) moveAnyway(r Rename) ([]Op, error) {
	if ops, err := v.Move(r.From, r.To); err == nil {
		return ops, nil
	}
	if v.Tree.Has(r.To) || v.Tree.Dir(r.To) != nil || strings.HasPrefix(r.To, r.From+"/") {
		return nil, fmt.Errorf("%s: cannot take the place of %s", Display(r.From), Display(r.To))
	}
	m := newMove(v, r.From, r.To)
	for _, step := range []func() error{m.moveFiles, m.rewriteLinks, m.renameSkills} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return m.ops()
}

// stepsTo are the steps from the view's tree to another, but for its renames:
// origin tells what path a file had before, where it is another one.
func (v *View) stepsTo(t *tree.Tree, origin map[string]string) (ops []Op, err error) {
	stays := map[string]bool{}
	for _, old := range origin {
		stays[old] = true
	}
	tree.Diff(v.Tree, t, func(before, after *tree.File) {
		switch {
		case err != nil:
		case after == nil && !stays[before.Path]:
			ops = append(ops, Op{Kind: OpDelete, Path: before.Path})
		case after != nil:
			var op *Op
			if op, err = v.stepTo(after, originOf(origin, after.Path)); op != nil {
				ops = append(ops, *op)
			}
		}
	})
	slices.SortFunc(ops, func(a, b Op) int { return strings.Compare(a.Path, b.Path) })
	return ops, err
}

// stepTo makes or edits one file, nil when it has its text already.
func (v *View) stepTo(after *tree.File, old string) (*Op, error) {
	text, err := after.Bytes()
	if err != nil {
		return nil, err
	}
	before := v.Tree.File(old)
	if before == nil {
		return &Op{Kind: OpCreate, Path: after.Path, Content: string(text)}, nil
	}
	src, err := before.Bytes()
	if err != nil {
		return nil, err
	}
	edits := difference(src, text)
	if len(edits) == 0 {
		return nil, nil
	}
	return &Op{Kind: OpEdit, Path: old, Edits: edits}, nil
}

// eachLink goes through the links that the move may concern, by path and place:
// those of files that move themselves, and those to what moves, to where it
// moves, or to a directory above either, which may be gone or new afterwards.
// Definitions have the form of links; links that use one are left out.
func (m *move) eachLink(each func(*Ref) error) error {
	if m.Links == nil {
		return m.eachLinkOfAll(each)
	}
	near := map[string]bool{"": true}
	for from, to := range m.paths {
		for _, path := range []string{from, to} {
			for ; path != ""; path = dirOf(path) {
				near[path] = true
			}
		}
	}
	refs, err := m.Links.Near(context.Background(), m.Tree, slices.Collect(maps.Keys(near)), slices.Collect(maps.Keys(m.paths)))
	if err != nil {
		return err
	}
	for i := range refs {
		if ref := &refs[i]; !ref.Link.Ref {
			if err := each(ref); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *move) eachLinkOfAll(each func(*Ref) error) error {
	for f := range m.Tree.All() {
		if !linksCount(f) {
			continue
		}
		doc, err := m.Parsers.docOf(f)
		if err != nil {
			return err
		}
		for l := range linksOf(doc) {
			if err := each(&Ref{From: f, Link: *l}); err != nil {
				return err
			}
		}
	}
	return nil
}
