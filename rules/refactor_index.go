package rules

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memls/memls/rules/markdown"
	"github.com/memls/memls/rules/tree"
)

// An item is one that moves from an index to another: its text behind the
// bullet, with the place of the link's destination in it.
type item struct {
	text string
	dest Span
	link markdown.Link
}

// relist moves the items of indexes along with what they list.
func (m *move) relist() error {
	if !m.V2 {
		return nil
	}
	from, to := m.from, m.to
	if m.Tree.Dir(m.from) != nil {
		from, to = joinPath(from, Index), joinPath(to, Index)
		if !m.Tree.Has(from) {
			from = ""
		}
	}
	listed := func(p string) bool { return p != "" && IsMarkdown(p) && !InSkills(p) }
	oldIndex, newIndex := joinPath(listingDir(from), Index), joinPath(listingDir(to), Index)
	var taken *item
	var err error
	if oldIndex != newIndex && listed(from) && listed(to) {
		if taken, err = m.takeItem(oldIndex, to); err != nil {
			return err
		}
	}
	if err := m.createChain(to, taken); err != nil {
		return err
	}
	if listed(to) && from != "" && oldIndex != newIndex && m.after.Has(newIndex) && m.wantsItem(to) {
		if err := m.listIn(newIndex, to, taken); err != nil {
			return err
		}
	}
	return m.dropEmpty(dirOf(m.from))
}

// wantsItem reports whether an index should list a file. Core memory is loaded
// in any case: the root index lists all of it, or none.
func (m *move) wantsItem(path string) bool {
	if !IsCore(path) {
		return true
	}
	l := m.listing("")
	others, linked := 0, 0
	for f := range m.Tree.Root().Files() {
		if IsMarkdown(f.Path) && !IsIndex(f.Path) {
			others++
			if l != nil && l.linked[f.Path] {
				linked++
			}
		}
	}
	return others == 0 || linked > 0
}

// text is that of an index at its new path, with all changes until now.
func (m *move) text(index string) ([]byte, error) {
	if text, ok := m.texts[index]; ok {
		return text, nil
	}
	old := m.origin(index)
	f := m.Tree.File(old)
	if f == nil {
		return nil, fmt.Errorf("%s: no such file in the tree", Display(index))
	}
	src, err := f.Bytes()
	if err != nil {
		return nil, err
	}
	return ApplyEdits(src, m.edits[old])
}

// takeItem takes the item that leads to path, by its new name, out of an
// index. It is nil where there is none, or none that can be taken out.
func (m *move) takeItem(index, path string) (*item, error) {
	if f := m.after.File(index); f == nil || !f.Mode.IsRegular() {
		return nil, nil
	}
	text, err := m.text(index)
	if err != nil {
		return nil, err
	}
	doc := m.Parsers.doc(text)
	for _, it := range linkItems(text, doc) {
		if it.link.Ref || Resolve(m.after, index, it.link).File != path {
			continue
		}
		line, ok := soleItem(text, doc, it.link)
		if !ok {
			continue
		}
		start := line.Start + len(it.lead)
		m.texts[index] = withoutLine(text, line)
		dest := Span{Start: it.link.DestSpan.Start - start, End: it.link.DestSpan.End - start}
		return &item{text: string(text[start:line.End]), dest: dest, link: *it.link}, nil
	}
	return nil, nil
}

// withoutLine takes out a line, and one of the blank lines that are left
// around a list that had nothing else in it.
func withoutLine(text []byte, line Span) []byte {
	before, after := text[:line.Start], text[afterLine(text, line.End):]
	trimmed := bytes.TrimSuffix(bytes.TrimSuffix(before, []byte("\n")), []byte("\r"))
	blankBefore := len(trimmed) < len(before) && bytes.HasSuffix(trimmed, []byte("\n"))
	if blankBefore && (len(after) == 0 || after[0] == '\n' || bytes.HasPrefix(after, []byte("\r\n"))) {
		before = trimmed
	}
	return slices.Concat(before, after)
}

// createChain creates the indexes that are missing above path, and lists the
// topmost in the index above it.
func (m *move) createChain(path string, taken *item) error {
	if !IsMarkdown(path) || InSkills(path) {
		return nil
	}
	if IsIndex(path) {
		path = dirOf(path)
	}
	after := m.with(m.after)
	missing := after.missingIndexes(path)
	if len(missing) == 0 {
		return nil
	}
	for _, op := range after.createIndexes(missing) {
		text := []byte(op.Content)
		m.texts[op.Path], m.created[op.Path] = text, true
		m.after = m.after.With([]*tree.File{textFile(op.Path, tree.Regular, text)})
	}
	if last := missing[len(missing)-1]; taken != nil && dirOf(last) == dirOf(path) {
		// The new index lists the file in the words of the old one.
		moved := path
		if m.after.Dir(path) != nil {
			moved = joinPath(path, Index)
		}
		if _, err := m.takeItem(last, moved); err != nil {
			return err
		}
		if err := m.listIn(last, moved, taken); err != nil {
			return err
		}
	}
	above := joinPath(dirOf(dirOf(missing[0])), Index)
	if !m.after.Has(above) {
		return nil
	}
	return m.listIn(above, missing[0], nil)
}

// listIn lists path in an index, by the item it had elsewhere or a new one.
func (m *move) listIn(index, path string, taken *item) error {
	text, err := m.text(index)
	if err != nil {
		return err
	}
	doc := m.Parsers.doc(text)
	if linkedFrom(m.after, index, doc)[path] {
		return nil
	}
	place := placeForItems(text, doc)
	m.sortInto(&place, text, doc, index, path)
	eol := eolOf(text)
	style := place.style
	style.lead = strings.NewReplacer("[x]", "[ ]", "[X]", "[ ]").Replace(style.lead)
	if place.number > 0 {
		style.lead = strings.Replace(style.lead, fmt.Sprint(place.number), fmt.Sprint(place.number+1), 1)
	}
	line := style.lead
	if taken != nil {
		link := taken.link
		line += taken.text[:taken.dest.Start] + WriteTarget(index, path, &link) + taken.text[taken.dest.End:]
	} else {
		lead := style.lead
		style.lead = ""
		line = lead + m.with(m.after).indexItem(path, style)
	}
	var b bytes.Buffer
	b.Write(text[:place.at])
	if place.at > 0 && text[place.at-1] != '\n' {
		b.WriteString(eol)
	}
	if place.apart {
		b.WriteString(eol)
	}
	b.WriteString(line + eol)
	b.Write(text[place.at:])
	if !linkedFrom(m.after, index, m.Parsers.doc(b.Bytes()))[path] {
		return fmt.Errorf("%s: %w", Display(index), errNotAList)
	}
	m.texts[index] = b.Bytes()
	return nil
}

// sortInto moves the place for an item to where it belongs in a list that is
// in the order of a listing: files first, then directories. So what moves away
// and back is where it was.
func (m *move) sortInto(place *listPlace, text []byte, doc *markdown.Doc, index, path string) {
	if place.number > 0 || place.apart {
		return
	}
	items := linkItems(text, doc)
	last := items[len(items)-1]
	items = slices.DeleteFunc(items, func(it linkItem) bool { return !sameList(text, it, last) })
	rank := func(p string) string {
		if listingDir(p) != dirOf(p) {
			return "1" + p
		}
		return "0" + p
	}
	at, before := place.at, ""
	for i := len(items) - 1; i >= 0; i-- {
		file := Resolve(m.after, index, items[i].link).File
		this := rank(file)
		if file == "" || items[i].lead != place.style.lead || before != "" && this >= before {
			return
		}
		before = this
		if this > rank(path) {
			at = items[i].line.Start
		}
	}
	place.at = at
}

// dropEmpty removes the indexes of directories that have nothing else left,
// from dir upwards: where they hold no more than a heading, and nothing but an
// item of the index above links to them.
func (m *move) dropEmpty(dir string) error {
	for ; dir != ""; dir = dirOf(dir) {
		d := m.after.Dir(dir)
		index := joinPath(dir, Index)
		if d == nil || d.DirCount() > 0 || d.FileCount() != 1 || !m.after.Has(index) || m.created[index] {
			return nil
		}
		text, err := m.text(index)
		if err != nil || !onlyHeading(text) {
			return err
		}
		above := joinPath(dirOf(dir), Index)
		kept := m.texts[above]
		if _, err := m.takeItem(above, index); err != nil {
			return err
		}
		linked, err := m.isLinked(index)
		if err != nil {
			return err
		}
		if linked {
			if m.texts[above] = kept; kept == nil {
				delete(m.texts, above)
			}
			return nil
		}
		m.removed[index] = true
		delete(m.texts, index)
		m.after = m.after.With(nil, index)
	}
	return nil
}

// isLinked reports whether a file other than the index itself links to it or
// to its directory, as texts are by now. A link that is rewritten leads to what
// moves, which the index does not.
func (m *move) isLinked(index string) (bool, error) {
	leads := func(from string, doc *markdown.Doc) bool {
		for l := range linksOf(doc) {
			if t := Resolve(m.after, from, l); t.File == index || t.Kind == TargetDir && t.Path == dirOf(index) {
				return true
			}
		}
		return false
	}
	for path, text := range m.texts {
		if path != index && leads(path, m.Parsers.doc(text)) {
			return true, nil
		}
	}
	counts := func(f *tree.File) bool {
		_, changed := m.texts[f.Path]
		return !changed && f.Path != index
	}
	if m.Links != nil {
		refs, err := m.Links.To(context.Background(), m.after, index)
		return slices.ContainsFunc(refs, func(r Ref) bool { return counts(r.From) }), err
	}
	for f := range m.after.All() {
		if !linksCount(f) || !counts(f) {
			continue
		}
		doc, err := m.Parsers.docOf(f)
		if err != nil {
			return false, err
		}
		if leads(f.Path, doc) {
			return true, nil
		}
	}
	return false, nil
}

// onlyHeading reports whether an index says nothing but its name.
func onlyHeading(text []byte) bool {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && !bytes.HasPrefix(line, []byte("# ")) {
			return false
		}
	}
	return true
}
