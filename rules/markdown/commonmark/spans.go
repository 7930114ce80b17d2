package commonmark

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/memls/memls/rules/markdown"
)

const (
	// maxBackticks is the longest fence of a code span, as in cmark; longer runs
	// are text. Each length that has no partner costs a scan of the rest of the block.
	maxBackticks = 80
	// maxEmphasis is the length in bytes up to which emphasis in a heading is
	// resolved, since goldmark's time grows with the square of the delimiters.
	// The text of a longer heading keeps its * and _.
	maxEmphasis = 1000
)

// codeSpans records code spans.
type codeSpans struct{ parser.InlineParser }

func (p codeSpans) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	s := stateOf(pc)
	line, seg := block.PeekLine()
	run := backticks(line)
	lineNo, _ := block.Position()
	c := newCursor(s.src, parent.Lines(), lineNo, seg.Start+run)
	if run > maxBackticks || !c.skipPastBackticks(run) {
		// goldmark would give the same text, after making a node per line.
		block.Advance(run)
		return ast.NewTextSegment(text.NewSegment(seg.Start, seg.Start+run))
	}
	node := p.InlineParser.Parse(parent, block, pc)
	s.doc.Code = append(s.doc.Code, s.span(seg.Start, c.off))
	return node
}

// backticks is the length of the run of backticks that line starts with.
func backticks(line []byte) int {
	n := 0
	for n < len(line) && line[n] == '`' {
		n++
	}
	return n
}

// skipPastBackticks moves c behind the next run of exactly n backticks.
func (c *cursor) skipPastBackticks(n int) bool {
	for c.fill() {
		rest := c.src[c.off:c.stop]
		i := bytes.IndexByte(rest, '`')
		if i < 0 {
			c.off = c.stop
			continue
		}
		run := backticks(rest[i:])
		c.off += i + run
		if run == n {
			return true
		}
	}
	return false
}

// rawHTML records inline tags, comments, declarations and processing instructions.
type rawHTML struct{ parser.InlineParser }

func (p rawHTML) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	node := p.InlineParser.Parse(parent, block, pc)
	raw, ok := node.(*ast.RawHTML)
	if !ok || raw.Segments.Len() == 0 {
		return node
	}
	s := stateOf(pc)
	last := raw.Segments.At(raw.Segments.Len() - 1)
	s.doc.HTML = append(s.doc.HTML, s.span(raw.Segments.At(0).Start, last.Stop))
	return node
}

// autolinks records autolinks.
type autolinks struct{ parser.InlineParser }

func (p autolinks) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	_, seg := block.PeekLine()
	node := p.InlineParser.Parse(parent, block, pc)
	auto, ok := node.(*ast.AutoLink)
	if !ok {
		return node
	}
	s := stateOf(pc)
	start, end := seg.Start+1, seg.Start+1+len(auto.Label(s.src))
	link := Link{
		Kind:     markdown.Autolink,
		Span:     s.span(start-1, end+1),
		TextSpan: s.span(start, end),
		// No escapes or character references in an autolink.
		Target: s.target(destination{start: start, end: end, verbatim: true}),
	}
	if auto.AutoLinkType == ast.AutoLinkEmail {
		link.Dest = "mailto:" + link.Dest
	}
	s.addLink(link)
	return node
}

// headingEmphasis resolves emphasis where it matters, in the text of headings.
// Links bind closer than emphasis, so no other fact depends on it.
type headingEmphasis struct{ parser.InlineParser }

func (p headingEmphasis) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if !isHeading(parent) {
		return nil
	}
	lines := parent.Lines()
	if lines.At(lines.Len()-1).Stop-lines.At(0).Start > maxEmphasis {
		return nil
	}
	return p.InlineParser.Parse(parent, block, pc)
}

func isHeading(n ast.Node) bool { return n.Kind() == ast.KindHeading }
