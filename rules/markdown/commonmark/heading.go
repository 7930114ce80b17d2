package commonmark

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/memls/memls/rules/markdown"
)

// addHeadings makes a Heading of each one that goldmark kept.
func (s *state) addHeadings() {
	for _, h := range s.headings {
		if h.node.Parent() == nil {
			continue
		}
		start, textSpan := h.start, s.span(h.end, h.end)
		if lines := h.node.Lines(); lines.Len() > 0 {
			first, last := lines.At(0), lines.At(lines.Len()-1)
			textSpan = s.span(first.Start, last.Stop)
			if h.setext {
				start = first.Start
			}
		}
		var t headingText
		t.add(s.src, h.node)
		s.doc.Headings = append(s.doc.Headings, Heading{
			Level:    h.node.Level,
			Text:     strings.TrimSpace(string(t.seen)),
			OwnSlug:  markdown.Slug(string(t.linked)),
			Span:     s.span(start, h.end),
			TextSpan: textSpan,
		})
	}
	numberSlugs(s.doc.Headings)
}

// numberSlugs makes the slugs of a file's headings differ.
func numberSlugs(headings []Heading) {
	var taken slugs
	for i := range headings {
		headings[i].Slug = taken.unique(headings[i].OwnSlug)
	}
}

// headingText gathers the text of a heading twice: as a reader sees it, and as
// GitHub makes an anchor of it, which leaves out images.
type headingText struct {
	seen, linked []byte
	images       int // how many images the current node is in
}

func (t *headingText) add(src []byte, parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			if parent.Kind() == ast.KindCodeSpan {
				t.write(oneLine(string(n.Segment.Value(src))))
				continue
			}
			t.write(unescape(n.Segment.Value(src)))
			if n.SoftLineBreak() || n.HardLineBreak() {
				t.write(" ")
			}
		case *ast.AutoLink:
			t.write(string(n.Label(src)))
		case *marker:
			t.images += n.alt
			t.write(n.literal)
		default:
			t.add(src, n)
		}
	}
}

func (t *headingText) write(text string) {
	t.seen = append(t.seen, text...)
	if t.images == 0 {
		t.linked = append(t.linked, text...)
	}
}

// oneLine turns line endings into spaces, as CommonMark does in code spans.
var oneLine = strings.NewReplacer("\r\n", " ", "\n", " ").Replace

// slugs counts how often each slug of a file was asked for.
type slugs map[string]int

// unique numbers repeated slugs like github-slugger: a, a-1, a-2, and no number
// that a heading already has as its own text.
func (m *slugs) unique(slug string) string {
	if *m == nil {
		*m = slugs{}
	}
	result := slug
	for {
		if _, taken := (*m)[result]; !taken {
			break
		}
		(*m)[slug]++
		result = slug + "-" + strconv.Itoa((*m)[slug])
	}
	(*m)[result] = 0
	return result
}
