package commonmark

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/memls/memls/rules/markdown"
)

// links reads links, images and wiki links. It follows the bracket stack of the
// CommonMark specification's appendix, "An algorithm for parsing nested emphasis
// and links".
type links struct{}

// A bracket is an open [ or ![.
type bracket struct {
	start int // offset of the [ or !
	line  int // index of its line in the block
	text  int // offset behind the [
	image bool
	inner bool     // another bracket followed, so the text cannot be a label
	node  *marker  // in headings only
	below ast.Node // the last emphasis delimiter before the bracket
}

func (links) Trigger() []byte { return []byte{'!', '[', ']'} }

func (links) CloseBlock(_ ast.Node, _ text.Reader, pc parser.Context) {
	s := stateOf(pc)
	s.brackets, s.floor = s.brackets[:0], 0
}

func (links) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	s := stateOf(pc)
	line, seg := block.PeekLine()
	open := 0
	switch line[0] {
	case ']':
		return s.closeBracket(parent, block, pc)
	case '!':
		if len(line) < 2 || line[1] != '[' {
			return nil
		}
		open = 1
	}
	if node := s.wiki(parent, block, seg.Start, seg.Start+open); node != nil {
		return node
	}
	return s.openBracket(parent, block, pc, open)
}

// openBracket pushes the [ at offset open of the line. Outside headings the
// bracket stays goldmark's plain text, which saves a node.
func (s *state) openBracket(parent ast.Node, block text.Reader, pc parser.Context, open int) ast.Node {
	lineNo, seg := block.Position()
	s.markInner()
	b := bracket{start: seg.Start, line: lineNo, text: seg.Start + open + 1, image: open == 1}
	if !isHeading(parent) && !b.image {
		s.brackets = append(s.brackets, b)
		return nil
	}
	b.node = &marker{literal: string(s.src[b.start:b.text])}
	if d := pc.LastDelimiter(); d != nil {
		b.below = d
	}
	s.brackets = append(s.brackets, b)
	block.Advance(open + 1)
	return b.node
}

func (s *state) markInner() {
	if n := len(s.brackets); n > 0 {
		s.brackets[n-1].inner = true
	}
}

// closeBracket makes a link of the last open bracket and what follows the ].
func (s *state) closeBracket(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	n := len(s.brackets) - 1
	if n < 0 {
		return nil
	}
	open := s.brackets[n]
	s.brackets = s.brackets[:n]
	active := open.image || n >= s.floor
	s.floor = min(s.floor, n)
	if !active {
		return nil
	}
	lineNo, seg := block.Position()
	c := newCursor(s.src, parent.Lines(), lineNo, seg.Start+1)
	link, ok := s.resolve(open, &c)
	if !ok {
		return nil
	}
	link.Span = s.span(open.start, c.off)
	link.TextSpan = s.span(open.text, seg.Start)
	if open.image {
		link.Kind = markdown.Image
	} else {
		s.floor = n
	}
	s.addLink(link)
	block.SetPosition(c.line, text.NewSegment(c.off, c.stop))
	if open.node == nil {
		return &marker{}
	}
	parser.ProcessDelimiters(open.below, pc)
	open.node.literal = ""
	if !open.image {
		return &marker{}
	}
	open.node.alt = 1
	return &marker{alt: -1}
}

// resolve finds the target of a link whose ] is just before c, and moves c to the
// link's end.
func (s *state) resolve(open bracket, c *cursor) (Link, bool) {
	next, end := c.byte(), c.off
	if next == '(' {
		tail := *c
		if d, ok := tail.inlineTail(); ok {
			*c = tail
			return Link{Kind: markdown.Inline, Target: s.target(d)}, true
		}
	}
	if len(s.defs) == 0 {
		return Link{}, false
	}
	link := Link{Kind: markdown.Reference, Ref: true}
	label, found := "", false
	if next == '[' {
		tail := *c
		if label, found = tail.label(); found {
			*c = tail
		}
	}
	if strings.TrimSpace(label) == "" { // [label] or [label][]
		if open.inner {
			return Link{}, false
		}
		from := newCursor(s.src, c.lines, open.line, open.text-1)
		if label, found = from.label(); !found || from.off != end {
			return Link{}, false
		}
	}
	i, ok := s.defs[util.ToLinkReference([]byte(label))]
	if !ok {
		return Link{}, false
	}
	link.Label, link.Target = label, s.doc.Definitions[i].Target
	return link, true
}

func (s *state) addLink(l Link) {
	if s.doc.Links == nil { // a Link is large: growing step by step costs as much as finding them
		s.doc.Links = make([]Link, 0, 1+bytes.Count(s.src, []byte("](")))
	}
	s.doc.Links = append(s.doc.Links, l)
}

// target makes the offsets of a destination into a Target with strings of its own.
func (s *state) target(d destination) Target {
	decode := unescape
	at, after, found := 0, 0, false
	raw := s.src[d.start:d.end]
	if d.verbatim {
		decode = func(b []byte) string { return string(b) }
		at = bytes.IndexByte(raw, '#')
		after, found = at+1, at >= 0
	} else {
		at, after, found = fragmentAt(raw)
	}
	t := Target{Angle: d.angle, Title: d.title, HasFragment: found}
	if !found {
		at, after = len(raw), len(raw)
	}
	t.Dest, t.Fragment = decode(raw[:at]), decode(raw[after:])
	t.DestSpan = s.span(d.start, d.start+at)
	t.FragmentSpan = s.span(d.start+after, d.end)
	return t
}

// A marker stands for a bracket in goldmark's tree. The text of a heading is put
// together from the tree, so the marker tells what the bracket adds to it.
type marker struct {
	ast.BaseInline
	literal string
	alt     int // +1 where the text of an image starts, -1 where it ends
}

var kindMarker = ast.NewNodeKind("MemlsBracket")

// Kind implements ast.Node.
func (m *marker) Kind() ast.NodeKind { return kindMarker }

// Dump implements ast.Node.
func (m *marker) Dump(source []byte, level int) { ast.DumpHelper(m, source, level, nil, nil) }
