package commonmark

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxNesting is the number of blocks that may stand around a block quote or list
// (a list level counts two). Deeper ones are text: goldmark's time grows with the
// square of the depth, and its tree walk recurses.
const maxNesting = 64

// engine is CommonMark with our own link parsers. It is immutable after its first
// use, which goldmark guards with a sync.Once; what one parse learns lives in the
// state of its parser.Context.
var engine = parser.NewParser(
	parser.WithBlockParsers(
		util.Prioritized(headings{parser.NewSetextHeadingParser(), true}, 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(shallowList{parser.NewListParser()}, 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(extents{parser.NewCodeBlockParser()}, 500),
		util.Prioritized(headings{parser.NewATXHeadingParser(), false}, 600),
		util.Prioritized(extents{parser.NewFencedCodeBlockParser()}, 700),
		util.Prioritized(shallowQuote{parser.NewBlockquoteParser()}, 800),
		util.Prioritized(extents{parser.NewHTMLBlockParser()}, 900),
		util.Prioritized(paragraphs{parser.NewParagraphParser()}, 1000),
	),
	parser.WithInlineParsers(
		util.Prioritized(codeSpans{parser.NewCodeSpanParser()}, 100),
		util.Prioritized(links{}, 200),
		util.Prioritized(autolinks{parser.NewAutoLinkParser()}, 300),
		util.Prioritized(rawHTML{parser.NewRawHTMLParser()}, 400),
		util.Prioritized(headingEmphasis{parser.NewEmphasisParser()}, 500),
	),
	parser.WithParagraphTransformers(
		util.Prioritized(definitions{}, 100),
	),
)

var stateKey = parser.NewContextKey()

// A state is what one call of Parse gathers.
type state struct {
	src      []byte // the body
	base     int    // offset of src in the caller's source
	doc      *Doc
	defs     map[string]int // normalised label to index in doc.Definitions
	headings []openedHeading

	// The open brackets of the block whose text is being read. Of those below
	// floor only images can still become links, as links do not nest.
	brackets []bracket
	floor    int

	underlined ast.Node // the paragraph that a setext underline was last seen below
}

func stateOf(pc parser.Context) *state { return pc.Get(stateKey).(*state) }

// span turns offsets into src into offsets into the caller's source.
func (s *state) span(start, end int) Span { return Span{Start: s.base + start, End: s.base + end} }

// blockStart is the offset of the first non-space byte of the line that a block
// parser was asked to open. Padding stands for columns of a tab that is already
// consumed, so it has no bytes of its own.
func blockStart(seg text.Segment, pc parser.Context) int {
	return max(seg.Start, seg.Start-seg.Padding+pc.BlockOffset())
}

// lineEnd is stop without the line ending before it.
func lineEnd(src []byte, stop int) int {
	if stop > 0 && src[stop-1] == '\n' {
		stop--
		if stop > 0 && src[stop-1] == '\r' {
			stop--
		}
	}
	return stop
}

// headings notes where a heading starts and ends; goldmark keeps its text only.
type headings struct {
	parser.BlockParser
	setext bool
}

// An openedHeading is a heading that goldmark may still take back: a setext
// underline below nothing but link definitions is a paragraph.
type openedHeading struct {
	node       *ast.Heading
	setext     bool
	start, end int
}

func (p headings) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	_, seg := reader.PeekLine()
	start := blockStart(seg, pc)
	node, st := p.BlockParser.Open(parent, reader, pc)
	if node != nil {
		s := stateOf(pc)
		s.headings = append(s.headings, openedHeading{node.(*ast.Heading), p.setext, start, lineEnd(s.src, seg.Stop)})
		if p.setext {
			s.underlined = pc.LastOpenedBlock().Node
		}
	}
	return node, st
}

// paragraphs spares goldmark the inline parsing of paragraphs that can hold no
// link, code or HTML, which are most. The lines of one that becomes a setext
// heading are its text, so they stay.
type paragraphs struct{ parser.BlockParser }

func (p paragraphs) Close(node ast.Node, reader text.Reader, pc parser.Context) {
	p.BlockParser.Close(node, reader, pc)
	s, lines := stateOf(pc), node.Lines()
	if n := lines.Len(); n > 0 && node != s.underlined &&
		!bytes.ContainsAny(s.src[lines.At(0).Start:lines.At(n-1).Stop], "[<`") {
		lines.SetSliced(0, 0)
	}
}

// extents notes the ranges of code and HTML blocks; goldmark drops the fences.
// Only one leaf block is open at a time, so the last range is the open block's.
type extents struct{ parser.BlockParser }

func (p extents) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	_, seg := reader.PeekLine()
	start := blockStart(seg, pc)
	node, st := p.BlockParser.Open(parent, reader, pc)
	if node != nil {
		s := stateOf(pc)
		list := s.extentsOf(node)
		*list = append(*list, s.span(start, lineEnd(s.src, seg.Stop)))
	}
	return node, st
}

func (p extents) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	line, seg := reader.PeekLine()
	st := p.BlockParser.Continue(node, reader, pc)
	if !belongs(node, st, line) {
		return st
	}
	s := stateOf(pc)
	list := *s.extentsOf(node)
	open := &list[len(list)-1]
	open.End = max(open.End, s.base+lineEnd(s.src, seg.Stop))
	return st
}

func (s *state) extentsOf(node ast.Node) *[]Span {
	if node.Kind() == ast.KindHTMLBlock {
		return &s.doc.HTML
	}
	return &s.doc.Code
}

// belongs reports whether a line is part of the block that was asked to continue:
// a closing fence is, the line after an HTML block or indented code is not, and
// neither are blank lines at the end of indented code.
func belongs(node ast.Node, st parser.State, line []byte) bool {
	goesOn := st&parser.Continue != 0
	switch n := node.(type) {
	case *ast.HTMLBlock:
		return goesOn || n.HasClosure()
	case *ast.CodeBlock:
		return goesOn && !util.IsBlank(line)
	}
	return true
}

// shallowQuote and shallowList hold to maxNesting.
type shallowQuote struct{ parser.BlockParser }

func (p shallowQuote) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if tooDeep(parent) {
		return nil, parser.NoChildren
	}
	return p.BlockParser.Open(parent, reader, pc)
}

type shallowList struct{ parser.BlockParser }

func (p shallowList) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	// goldmark's list and item parsers talk through flags in pc that Open clears,
	// so it has to run in any case; it consumes nothing.
	node, st := p.BlockParser.Open(parent, reader, pc)
	if node != nil && tooDeep(parent) {
		return nil, parser.NoChildren
	}
	return node, st
}

func tooDeep(n ast.Node) bool {
	depth := 0
	for ; n != nil && depth <= maxNesting; n = n.Parent() {
		depth++
	}
	return depth > maxNesting
}

// blankRuns is a reader that shows goldmark only the last line of a run of blank
// lines. One blank line means the same as many, but for each one inside a list
// goldmark keeps a record per level.
type blankRuns struct{ text.Reader }

func (r blankRuns) AdvanceLine() {
	for {
		r.Reader.AdvanceLine()
		line, seg := r.PeekLine()
		if line == nil || !util.IsBlank(line) || !blankLineAt(r.Source(), seg.Stop) {
			return
		}
	}
}

func blankLineAt(src []byte, i int) bool {
	if i >= len(src) {
		return false
	}
	for ; i < len(src) && src[i] != '\n'; i++ {
		if !util.IsSpace(src[i]) {
			return false
		}
	}
	return true
}
