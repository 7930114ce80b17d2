package commonmark

import (
	"bytes"
	"cmp"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/memls/memls/rules/markdown"
)

// wiki reads a wiki link whose first [ is at offset open. The brackets stand on
// one line, hold no further bracket, and name a file, a heading or both. An
// inline link with a bracketed text, [[1]](https://example.org), stays one.
func (s *state) wiki(parent ast.Node, block text.Reader, start, open int) ast.Node {
	lineNo, seg := block.Position()
	line := s.src[open:seg.Stop]
	if len(line) < 5 || line[1] != '[' {
		return nil
	}
	n := bytes.IndexAny(line[2:], "[]\r\n")
	if n < 0 || !bytes.HasPrefix(line[2+n:], []byte("]]")) {
		return nil
	}
	first, last := open+2, open+2+n
	c := newCursor(s.src, parent.Lines(), lineNo, last+2)
	if c.byte() == '(' {
		if _, ok := c.inlineTail(); ok {
			return nil
		}
	}
	target, alias := s.wikiTarget(first, last)
	if target.Dest == "" && target.Fragment == "" {
		return nil
	}
	s.markInner()
	s.addLink(Link{
		Kind:     markdown.Wiki,
		Span:     s.span(start, last+2),
		TextSpan: s.span(first, last),
		Target:   target,
		Label:    alias,
	})
	block.Advance(last + 2 - start)
	if !isHeading(parent) {
		return &marker{}
	}
	return &marker{literal: cmp.Or(alias, string(bytes.TrimSpace(s.src[first:last])))}
}

// wikiTarget splits target#heading|alias. In a table the bar is written \|.
func (s *state) wikiTarget(start, end int) (Target, string) {
	alias := ""
	if i := bytes.IndexByte(s.src[start:end], '|'); i >= 0 {
		alias = string(bytes.TrimSpace(s.src[start+i+1 : end]))
		end = start + i
		if i > 0 && s.src[end-1] == '\\' {
			end--
		}
	}
	start, end = s.trim(start, end)
	t := s.target(destination{start: start, end: end, verbatim: true})
	if t.HasFragment { // white space around the # belongs to neither side
		hash := start + bytes.IndexByte(s.src[start:end], '#')
		from, to := s.trim(start, hash)
		t.DestSpan, t.Dest = s.span(from, to), string(s.src[from:to])
		from, to = s.trim(hash+1, end)
		t.FragmentSpan, t.Fragment = s.span(from, to), string(s.src[from:to])
	}
	return t, alias
}

// trim narrows a range to leave out ASCII white space on both sides.
func (s *state) trim(start, end int) (int, int) {
	for start < end && isSpace(s.src[start]) {
		start++
	}
	for end > start && isSpace(s.src[end-1]) {
		end--
	}
	return start, end
}
