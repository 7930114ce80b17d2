package lsp

import (
	"bytes"
	"net/url"
	"regexp"
	"strings"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/markdown"
)

// A partLink is the link whose target is being written. The Markdown parser
// sees none before it is complete, so the line up to the cursor is read here.
type partLink struct {
	// like has the style of the link: its kind, <…>, and what is typed of the
	// path as its destination.
	like markdown.Link
	// span is what a completion replaces: of the path, or of the fragment.
	span   rules.Span
	anchor bool
	typed  string // of the fragment
}

var definitionLead = regexp.MustCompile(`^ {0,3}\[[^\[\]]+\]:[ \t]*`)

// linkBefore finds the link in whose target the cursor is.
func linkBefore(src []byte, at int) (partLink, bool) {
	line := lineAround(src, at)
	before := src[line.Start:at]
	start, l := -1, partLink{}
	take := func(from int, kind markdown.LinkKind) {
		if from > start {
			start, l.like = from, markdown.Link{Kind: kind}
		}
	}
	if i := bytes.LastIndex(before, []byte("](")); i >= 0 {
		take(i+2, markdown.Inline)
	}
	if i := bytes.LastIndex(before, []byte("[[")); i >= 0 {
		take(i+2, markdown.Wiki)
	}
	if m := definitionLead.Find(before); m != nil {
		take(len(m), markdown.Reference)
	}
	if start < 0 {
		return l, false
	}
	typed := before[start:]
	if l.like.Kind != markdown.Wiki && bytes.HasPrefix(typed, []byte("<")) {
		l.like.Angle = true
		start, typed = start+1, typed[1:]
	}
	if l.ended(typed) {
		return l, false
	}
	path, fragment, anchor := strings.Cut(string(typed), "#")
	if strings.ContainsAny(path, "?:") {
		return l, false // a query, or a scheme: no file
	}
	l.like.Dest = path
	l.span.Start = line.Start + start
	if anchor {
		l.anchor, l.typed = true, fragment
		l.span.Start += len(path) + 1
	}
	l.span.End = l.end(src, at, line.End)
	return l, true
}

// ended reports whether the target ends before the cursor.
func (l *partLink) ended(typed []byte) bool {
	switch {
	case l.like.Angle:
		return bytes.ContainsAny(typed, "<>")
	case l.like.Kind == markdown.Wiki:
		return bytes.ContainsAny(typed, "]|")
	case l.like.Kind == markdown.Reference:
		return bytes.ContainsAny(typed, " \t")
	}
	depth := 0
	for _, c := range typed {
		switch c {
		case ' ', '\t':
			return true
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return true
			}
		}
	}
	return false
}

// end is where the target that the cursor is in ends. Without its closing mark
// in the line, what follows is text, and only the word at the cursor belongs to
// the target.
func (l *partLink) end(src []byte, at, eol int) int {
	rest := src[at:eol]
	stops := " \t)#"
	switch {
	case l.like.Angle && bytes.IndexByte(rest, '>') >= 0:
		stops = ">#"
	case l.like.Angle:
		stops = " \t#"
	case l.like.Kind == markdown.Wiki && bytes.Contains(rest, []byte("]]")):
		stops = "]|#"
	case l.like.Kind == markdown.Wiki:
		stops = " \t|#"
	case l.like.Kind == markdown.Reference:
		stops = " \t#"
	}
	if l.anchor {
		stops = strings.TrimSuffix(stops, "#")
	}
	if i := bytes.IndexAny(rest, stops); i >= 0 {
		return at + i
	}
	return eol
}

// lineAround is the line that an offset is in, without its line end.
func lineAround(src []byte, at int) rules.Span {
	line := rules.Span{Start: bytes.LastIndexByte(src[:at], '\n') + 1, End: len(src)}
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		line.End = at + i
	}
	if line.End > at && src[line.End-1] == '\r' {
		line.End--
	}
	return line
}

// decoded is a typed path without percent-encoding, if that means anything.
func decoded(path string) string {
	if s, err := url.PathUnescape(path); err == nil {
		return s
	}
	return path
}
