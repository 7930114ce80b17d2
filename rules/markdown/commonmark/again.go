package commonmark

import (
	"bytes"
	"cmp"
	"slices"
)

// Again is Parse(source, body) where source is an edit of another text, old, of
// which Parse(old, oldBody) is known. It reads the sections that differ: an ATX
// heading at the start of a line ends every block before it, so what stands before
// and behind the changed sections means what it meant. Only link definitions
// reach everywhere; where there are any, all of source is read.
func Again(doc *Doc, old []byte, oldBody int, source []byte, body int) *Doc {
	if doc.Truncated || len(doc.Definitions) > 0 || len(source)-body > MaxBody {
		return Parse(source, body)
	}
	e := edit{doc: doc, source: source, moved: len(source) - len(old), oldFrom: oldBody, from: body}
	same := common(old, source)
	tail := commonEnd(old[same:], source[same:])
	next := len(old)
	for i := range doc.Headings {
		switch at := doc.Headings[i].Span.Start; {
		case !opensSection(old, at):
		case at <= same && body == oldBody && opensSection(source, at):
			e.oldFrom, e.from = at, at
		case at > len(old)-tail && at+e.moved > body:
			next = min(next, at)
		}
	}
	if part, ok := e.read(next); ok {
		return part
	}
	// What was typed reaches further, such as a fence that is not closed yet.
	if part, ok := e.read(len(old)); ok {
		return part
	}
	return Parse(source, body)
}

// opensSection reports whether a heading at an offset is one that stands in no
// other block.
func opensSection(src []byte, at int) bool {
	line := src[at:]
	marks := len(line) - len(bytes.TrimLeft(line, "#"))
	return (at == 0 || src[at-1] == '\n') && 0 < marks && marks <= 6 && marks < len(line) && line[marks] == ' '
}

// An edit is what Again works on: the first section that differs starts at
// oldFrom in the old text, at from in the new one.
type edit struct {
	doc           *Doc
	source        []byte
	oldFrom, from int
	moved         int // how many bytes what stands behind the change has moved
}

// read reads up to the section that started at the old offset next, and puts what
// it finds between what is known. It reports false where no section starts there.
func (e *edit) read(next int) (*Doc, bool) {
	end := next + e.moved
	stop := len(e.source) // of the line at end
	if i := bytes.IndexByte(e.source[end:], '\n'); i >= 0 {
		stop = end + i
	}
	part := Parse(e.source[:stop], e.from)
	if len(part.Definitions) > 0 {
		return nil, false
	}
	if n := len(part.Headings); end < len(e.source) && (n == 0 || part.Headings[n-1].Span.Start != end) {
		return nil, false
	}
	merged := &Doc{
		Headings: splice(e, next, e.doc.Headings, part.Headings, moveHeading),
		Links:    splice(e, next, e.doc.Links, part.Links, moveLink),
		Code:     splice(e, next, e.doc.Code, part.Code, moveSpan),
		HTML:     splice(e, next, e.doc.HTML, part.HTML, moveSpan),
	}
	numberSlugs(merged.Headings)
	s := &state{src: e.source, doc: merged}
	s.addAnchors()
	return merged, true
}

// splice puts new facts between the old ones before e.oldFrom and those from next
// on, which have moved. What moves a fact returns where it starts.
func splice[T any](e *edit, next int, old, part []T, move func(f *T, by int) int) []T {
	at := func(facts []T, offset int) int {
		i, _ := slices.BinarySearchFunc(facts, offset, func(f T, offset int) int { return cmp.Compare(move(&f, 0), offset) })
		return i
	}
	before, after := old[:at(old, e.oldFrom)], old[at(old, next):]
	part = part[:at(part, next+e.moved)]
	if len(before)+len(part)+len(after) == 0 {
		return nil
	}
	facts := slices.Concat(before, part, after)
	for i := len(before) + len(part); i < len(facts); i++ {
		move(&facts[i], e.moved)
	}
	return facts
}

func moveSpan(s *Span, by int) int {
	s.Start, s.End = s.Start+by, s.End+by
	return s.Start
}

func moveHeading(h *Heading, by int) int {
	moveSpan(&h.TextSpan, by)
	return moveSpan(&h.Span, by)
}

func moveLink(l *Link, by int) int {
	moveSpan(&l.TextSpan, by)
	moveSpan(&l.DestSpan, by)
	moveSpan(&l.FragmentSpan, by)
	return moveSpan(&l.Span, by)
}

// common is the number of bytes that two texts have in common at their start.
func common(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// commonEnd is the same for their ends.
func commonEnd(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
