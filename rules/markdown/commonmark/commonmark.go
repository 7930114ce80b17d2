// Package commonmark finds the CommonMark facts of one memory file: headings
// with their GitHub anchors, links, link definitions, code and HTML, each with
// its exact byte range.
//
// Block structure, code spans, autolinks, raw HTML and emphasis are goldmark's.
// Links and link definitions are read here, as a goldmark inline parser and a
// goldmark paragraph transformer, because goldmark's own do not say where a
// destination stands, drop links after 998 bytes of open brackets, and take
// quadratic time on inputs such as "[a](" repeated. A test holds both readings
// against each other.
//
// The package may import nothing of memls but the types it fills.
package commonmark

import (
	"bytes"
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/memls/memls/rules/markdown"
)

// The facts that are filled, under their own names.
type (
	Span       = markdown.Span
	Heading    = markdown.Heading
	Link       = markdown.Link
	LinkKind   = markdown.LinkKind
	Target     = markdown.Target
	Definition = markdown.Definition
	Doc        = markdown.Doc
)

// MaxBody is the number of body bytes that Parse reads. What comes after has no
// facts and sets Doc.Truncated. It is fifty times the default budget of a memory
// file, and keeps time and memory bounded on files that are no notes at all.
const MaxBody = 1 << 20

// Parse reads source[body:], where body is the byte offset at which the Markdown
// starts (after frontmatter). Offsets in the result count from the start of
// source. Parse never fails: every byte sequence is Markdown. It is safe for
// concurrent use.
func Parse(source []byte, body int) *Doc {
	body = min(max(body, 0), len(source))
	if body == 0 && bytes.HasPrefix(source, []byte("\uFEFF")) {
		body = len("\uFEFF") // GitHub reads a heading behind a byte order mark
	}
	doc := &Doc{}
	src := source[body:]
	if len(src) > MaxBody {
		src = src[:cut(src, MaxBody)]
		doc.Truncated = true
	}
	s := &state{src: src, base: body, doc: doc}
	pc := parser.NewContext()
	pc.Set(stateKey, s)
	engine.Parse(blankRuns{text.NewReader(src)}, parser.WithContext(pc))
	s.finish()
	return doc
}

// cut is the last line boundary of src before limit, or else the last rune boundary.
func cut(src []byte, limit int) int {
	if i := bytes.LastIndexByte(src[:limit], '\n'); i >= 0 {
		return i + 1
	}
	for i := limit; i > limit-utf8.UTFMax; i-- {
		if utf8.RuneStart(src[i]) {
			return i
		}
	}
	return limit
}

// finish makes headings of what the block parsers saw and puts everything in
// source order: an image inside a link is found before the link, and blocks are
// found before spans.
func (s *state) finish() {
	slices.SortFunc(s.doc.Links, func(a, b Link) int { return compareSpans(a.Span, b.Span) })
	slices.SortFunc(s.doc.Code, compareSpans)
	slices.SortFunc(s.doc.HTML, compareSpans)
	s.addHeadings()
	s.addAnchors()
}

// compareSpans orders by start, the outer of two nested spans first.
func compareSpans(a, b Span) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
}
