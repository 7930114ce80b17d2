package rules

import (
	"bytes"
	"unicode/utf8"
)

// A Position is 1-based; Column counts code points.
type Position struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// A Range is a half-open range of positions.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// RangeIn turns the place of a finding into lines and columns of the text it
// was found in.
func (f *Finding) RangeIn(src []byte) Range {
	span := f.SpanIn(src)
	return Range{Start: PositionIn(src, span.Start), End: PositionIn(src, span.End)}
}

// SpanIn is the place of a finding as byte offsets into the text.
func (f *Finding) SpanIn(src []byte) Span {
	if !f.FirstLine {
		return Span{Start: min(f.Span.Start, len(src)), End: min(f.Span.End, len(src))}
	}
	end := bytes.IndexByte(src, '\n')
	if end < 0 {
		end = len(src)
	}
	if end > 0 && src[end-1] == '\r' {
		end--
	}
	return Span{End: end}
}

// PositionIn is the line and column of a byte offset.
func PositionIn(src []byte, offset int) Position {
	head := src[:min(max(offset, 0), len(src))]
	line := bytes.Count(head, []byte("\n"))
	if i := bytes.LastIndexByte(head, '\n'); i >= 0 {
		head = head[i+1:]
	}
	return Position{Line: line + 1, Column: utf8.RuneCount(head) + 1}
}
