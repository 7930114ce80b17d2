package memory

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/tree"
)

// A Conflict is a path that was changed here, and elsewhere in another way. A
// file is nil where the path has none: deleted, or not yet created.
type Conflict struct {
	Path               string
	Base, Ours, Theirs *tree.File
}

// String shows a conflict to a model: what it wrote, and what is there now.
func (c Conflict) String() string {
	return fmt.Sprintf("%s\n%s\n%s", spell(c.Path), side("You wrote", c.Ours), side("They wrote", c.Theirs))
}

func side(who string, f *tree.File) string {
	if f == nil {
		return who + " nothing: there is no such file."
	}
	text, err := f.Bytes()
	switch {
	case err != nil:
		return who + " what cannot be read."
	case !utf8.Valid(text):
		return who + fmt.Sprintf(" %d bytes that are no text.", len(text))
	}
	lines := linesOf(text)
	return who + ":\n" + strings.TrimSuffix(numbered(lines, 1, len(lines)), "\n")
}

// Rebase lays the changes over another commit, path by path: what only one side
// changed is as that side has it. Of a path that both changed to different
// bytes the tree has theirs, and the conflict, to be shown to the model, which
// writes what should be there; [Workspace.Keep] takes ours instead.
//
// The error means that files could not be compared; then nothing has changed.
func (w *Workspace) Rebase(base rules.Snapshot) ([]Conflict, error) {
	base = withTree(base)
	t := base.Tree
	var conflicts []Conflict
	for _, c := range w.Changes() {
		theirs := base.Tree.File(c.Path)
		untouched, err := sameFile(c.Before, theirs)
		if err != nil {
			return nil, err
		}
		agreed, err := sameFile(c.After, theirs)
		switch {
		case err != nil:
			return nil, err
		case agreed:
		case untouched && (c.After == nil || c.Before != nil || !blocked(t, c.Path)):
			t = withFile(t, c.Path, c.After)
		default:
			conflicts = append(conflicts, Conflict{c.Path, c.Before, c.After, theirs})
		}
	}
	w.base, w.tree = base, t
	slices.SortFunc(conflicts, func(a, b Conflict) int { return cmp.Compare(a.Path, b.Path) })
	return conflicts, nil
}

// Keep settles a conflict by our side. It fails where the other side has made
// something of the path that ours cannot stand beside.
func (w *Workspace) Keep(c Conflict) error {
	if c.Ours != nil && c.Theirs == nil && blocked(w.tree, c.Path) {
		return fmt.Errorf("%s: something else is there now; choose another name", spell(c.Path))
	}
	w.tree = withFile(w.tree, c.Path, c.Ours)
	return nil
}

func withFile(t *tree.Tree, path string, f *tree.File) *tree.Tree {
	if f == nil {
		return t.With(nil, path)
	}
	return t.With([]*tree.File{f})
}

// blocked reports whether a file cannot be created at a path: a directory is
// there, a file stands where its directory would be, or a name that some file
// systems do not tell from one of its own.
func blocked(t *tree.Tree, file string) bool {
	if t.Dir(file) != nil {
		return true
	}
	for p := file; p != ""; p = dirOf(p) {
		if p != file && t.Has(p) || len(t.Dir(dirOf(p)).Twins(path.Base(p))) > 0 {
			return true
		}
	}
	return false
}

func sameFile(a, b *tree.File) (bool, error) {
	switch {
	case a == b:
		return true, nil
	case a == nil || b == nil || a.Mode != b.Mode:
		return false, nil
	case a.Mode == tree.Gitlink:
		return a.OID == b.OID, nil
	}
	return tree.SameContent(a, b)
}
