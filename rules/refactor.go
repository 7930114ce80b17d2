package rules

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/markdown"
	"github.com/memls/memls/rules/tree"
)

// Refactorings change where memory lies and keep what it says: as data, like
// fixes, worked out on a view and carried out by an editor or the command
// line. Each one fails, with an error that says why, rather than bring an error
// into the tree that was not there or break a link that led somewhere.

// Move moves a file or a directory, and returns the steps: every link to and
// from what moves is rewritten, in the style it is written in, where it would
// lead elsewhere; in v2 the items of indexes move along, indexes that are
// missing above the new place are created, and those that are left with
// nothing to list are removed. A skill's name follows its folder.
func (v *View) Move(from, to string) ([]Op, error) {
	if v.Parsers == noParsers {
		return nil, errNoParsers
	}
	m := newMove(v, from, to)
	if err := m.check(); err != nil {
		return nil, err
	}
	if err := m.moveFiles(); err != nil {
		return nil, err
	}
	for _, step := range []func() error{m.rewriteLinks, m.renameSkills, m.relist} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	ops, err := m.ops()
	if err != nil {
		return nil, err
	}
	return ops, v.sound(ops, m.moved)
}

// A move is one run of Move.
type move struct {
	*View
	from, to string
	paths    map[string]string // of files, old to new
	after    *tree.Tree        // the tree after the move, with old texts

	edits   map[string][]Edit // of links and names, by old path
	texts   map[string][]byte // of indexes whose items change, by new path
	created map[string]bool   // indexes among texts that are new
	removed map[string]bool   // indexes that have nothing left to list
}

func newMove(v *View, from, to string) *move {
	return &move{View: v, from: from, to: to, edits: map[string][]Edit{}, texts: map[string][]byte{}, created: map[string]bool{}, removed: map[string]bool{}}
}

// check refuses what cannot be moved, or not to there, whatever the rules say.
func (m *move) check() error {
	dir := m.Tree.Dir(m.from)
	file := m.Tree.File(m.from)
	switch {
	case m.from == "":
		return errors.New("the top directory stays where it is: name what is in it")
	case file == nil && dir == nil:
		return fmt.Errorf("%s: no such file or directory in the tree", Display(m.from))
	case m.from == m.to:
		return fmt.Errorf("%s: is there already", Display(m.from))
	case !validPath(m.to):
		return fmt.Errorf("%s: is no path that a file of the repository can have", Display(m.to))
	case m.from == config.Path || m.to == config.Path:
		return fmt.Errorf("%s: is protected and stays where it is", config.Path)
	case strings.HasPrefix(m.to, m.from+"/") && dir != nil:
		return fmt.Errorf("%s: cannot be moved into itself", Display(m.from))
	case m.Tree.Has(m.to) || m.Tree.Dir(m.to) != nil:
		return fmt.Errorf("%s: exists already", Display(m.to))
	case m.V2 && file != nil && IsIndex(m.from):
		return fmt.Errorf("%s: an index stays with its directory; move the directory", Display(m.from))
	case m.V2 && file != nil && IsIndex(m.to):
		return fmt.Errorf("%s: is the name of an index; choose another one", Display(m.to))
	}
	for above := dirOf(m.to); above != ""; above = dirOf(above) {
		if m.Tree.Has(above) {
			return fmt.Errorf("%s: %s is a file, not a directory", Display(m.to), Display(above))
		}
	}
	return m.checkTwins()
}

// checkTwins refuses a name that some file systems do not tell from another.
func (m *move) checkTwins() error {
	for p := m.to; p != ""; p = dirOf(p) {
		for _, twin := range m.Tree.Dir(dirOf(p)).Twins(base(p)) {
			if other := joinPath(dirOf(p), twin); other != m.from {
				return fmt.Errorf("%s: is the same as %s on some file systems; choose another name", Display(p), Display(other))
			}
		}
	}
	return nil
}

// validPath reports whether git can hold a path and people can type it.
func validPath(p string) bool {
	for segment := range strings.SplitSeq(p, "/") {
		if segment == "" || segment == "." || segment == ".." || strings.EqualFold(segment, ".git") {
			return false
		}
	}
	return !strings.ContainsFunc(p, func(r rune) bool { return printableOrSpace(r) != r })
}

// moved is where a path is after the move: of a file, or of a directory.
func (m *move) moved(p string) string {
	if rest, ok := strings.CutPrefix(p, m.from); ok && (rest == "" || rest[0] == '/') {
		return m.to + rest
	}
	return p
}

func (m *move) moveFiles() error {
	m.paths = map[string]string{}
	var files []*tree.File
	var old []string
	add := func(f *tree.File) error {
		if f.Mode == tree.Gitlink {
			return fmt.Errorf("%s: is a submodule; move it with git mv", Display(f.Path))
		}
		src, err := f.Bytes()
		if err != nil {
			return err
		}
		m.paths[f.Path] = m.moved(f.Path)
		files, old = append(files, textFile(m.moved(f.Path), f.Mode, src)), append(old, f.Path)
		return nil
	}
	if f := m.Tree.File(m.from); f != nil {
		if err := add(f); err != nil {
			return err
		}
	}
	if d := m.Tree.Dir(m.from); d != nil {
		for f := range d.All() {
			if err := add(f); err != nil {
				return err
			}
		}
	}
	m.after = m.Tree.With(nil, old...).With(files)
	return nil
}

// rewriteLinks rewrites the links that would lead elsewhere, those alone.
func (m *move) rewriteLinks() error {
	return m.eachLink(func(ref *Ref) error {
		path := ref.From.Path
		edit, err := m.rewrite(path, &ref.Link)
		if edit != nil {
			edit.Place = ref.placeOf(edit.Span)
			m.edits[path] = append(m.edits[path], *edit)
		}
		return err
	})
}

// linksOf yields what has a target of its own: links, and definitions that
// count as links, in the form of these.
func linksOf(doc *markdown.Doc) func(yield func(*markdown.Link) bool) {
	return func(yield func(*markdown.Link) bool) {
		for i := range doc.Links {
			if l := &doc.Links[i]; !l.Ref && l.Kind != markdown.Autolink && !yield(l) {
				return
			}
		}
		for i := range doc.Definitions {
			d := &doc.Definitions[i]
			if countsAsLink(doc, d) && !yield(&markdown.Link{Kind: markdown.Reference, Span: d.Span, Target: d.Target}) {
				return
			}
		}
	}
}

// rewrite is the edit of one link of the file at from, nil where it leads to
// the same thing as it is.
func (m *move) rewrite(from string, l *markdown.Link) (*Edit, error) {
	t := Resolve(m.Tree, from, l)
	if t.Kind != TargetFile && t.Kind != TargetDir {
		return nil, nil
	}
	at, want := m.moved(from), m.moved(t.Path)
	// What is written as we would write it stays so, that a move and the move
	// back leave no trace; what is written otherwise, while it leads there.
	plain := l.Kind != markdown.Wiki && l.Dest == WriteTarget(from, t.Path, l)+t.Query
	if leads(m.after, at, l, want) && !(plain && at != from) {
		return nil, nil
	}
	for _, text := range []string{WriteTarget(at, want, l) + t.Query, "./" + WriteTarget(at, want, l) + t.Query} {
		again := *l
		again.Dest = text
		switch {
		case !leads(m.after, at, &again, want):
		case text == l.Dest:
			return nil, nil
		default:
			return &Edit{Span: l.DestSpan, New: text}, nil
		}
	}
	return nil, fmt.Errorf("%s: its link to %s cannot be kept; change or remove the link first", Display(from), Display(t.Path))
}

// leads reports whether a link of the file at from leads to a path that is there.
func leads(t *tree.Tree, from string, l *markdown.Link, to string) bool {
	got := Resolve(t, from, l)
	return (got.Kind == TargetFile || got.Kind == TargetDir) && got.Path == to
}

// renameSkills gives skills whose folder gets another name that name.
func (m *move) renameSkills() error {
	for _, from := range slices.Sorted(maps.Keys(m.paths)) {
		was, is := base(dirOf(from)), base(dirOf(m.paths[from]))
		if was == is || !IsSkill(m.Tree, from) || !IsSkill(m.after, m.paths[from]) {
			continue
		}
		f := m.Tree.File(from)
		y, err := m.Parsers.yamlOf(f)
		if err != nil {
			return err
		}
		name := y.Field("name")
		if name == nil || name.Value != was || name.Block {
			continue
		}
		text := m.Parsers.Scalar(is)
		if src, err := f.Bytes(); err == nil && name.Quoted && text == is {
			quote := string(src[name.ValueSpan.Start])
			text = quote + is + quote
		}
		m.edits[from] = append(m.edits[from], Edit{Span: name.ValueSpan, New: text})
	}
	return nil
}

// ops are the steps: edits where files are, then what moves, then what is new
// or superfluous.
func (m *move) ops() ([]Op, error) {
	var edits, renames, rest []Op
	for _, path := range m.changed() {
		f, to := m.Tree.File(path), m.moved(path)
		if m.removed[to] {
			rest = append(rest, Op{Kind: OpDelete, Path: path})
			continue
		}
		es := m.edits[path]
		if text, ok := m.texts[to]; ok {
			src, err := f.Bytes()
			if err != nil {
				return nil, err
			}
			es = difference(src, text)
		}
		if len(es) > 0 {
			slices.SortStableFunc(es, func(a, b Edit) int { return a.Span.Start - b.Span.Start })
			edits = append(edits, Op{Kind: OpEdit, Path: path, Edits: es})
		}
		if to != path {
			renames = append(renames, Op{Kind: OpRename, Path: path, To: to})
		}
	}
	for _, path := range slices.Sorted(maps.Keys(m.created)) {
		rest = append(rest, Op{Kind: OpCreate, Path: path, Content: string(m.texts[path])})
	}
	return slices.Concat(edits, renames, rest), nil
}

// changed are the old paths of the files that the move changes, sorted.
func (m *move) changed() []string {
	paths := slices.AppendSeq(slices.Collect(maps.Keys(m.edits)), maps.Keys(m.paths))
	for _, now := range slices.AppendSeq(slices.Collect(maps.Keys(m.texts)), maps.Keys(m.removed)) {
		if !m.created[now] {
			paths = append(paths, m.origin(now))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// origin is where a path that is there after the move was before.
func (m *move) origin(p string) string {
	if rest, ok := strings.CutPrefix(p, m.to); ok && (rest == "" || rest[0] == '/') {
		return m.from + rest
	}
	return p
}

// difference is the one edit between two texts; nil when they are equal.
func difference(before, after []byte) []Edit {
	if string(before) == string(after) {
		return nil
	}
	start, end := 0, 0
	for start < min(len(before), len(after)) && before[start] == after[start] {
		start++
	}
	for end < min(len(before), len(after))-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	// Editors cannot cut a character in two.
	for start > 0 && start < len(before) && before[start]&0xC0 == 0x80 {
		start--
	}
	for end > 0 && before[len(before)-end]&0xC0 == 0x80 {
		end--
	}
	return []Edit{{Span: Span{Start: start, End: len(before) - end}, New: string(after[start : len(after)-end])}}
}
