// Package facts computes what the rules need to know of one file: pure
// functions of its bytes, so that they can be cached by content.
package facts

import (
	"bytes"
	"unicode/utf8"

	"github.com/memls/memls/rules/markdown"
)

// Span is a half-open range of byte offsets into the file.
type Span = markdown.Span

// Facts are what is known of a file's bytes. They hold no reference to them.
type Facts struct {
	// Bytes is the size; Characters counts Unicode code points of the whole
	// file the way the WHATWG decoder sees it (see Characters).
	Bytes, Characters int
	Encoding          Encoding
	// BOM is set for a UTF-8 byte order mark, CRLF when a line ends in \r\n.
	BOM, CRLF bool
	// Front is the frontmatter as the text check reads it.
	Front Front
	// FirstLine is the first line without its line end.
	FirstLine Span
}

// Of computes the facts of src.
func Of(src []byte) *Facts {
	valid := utf8.Valid(src)
	f := &Facts{
		Bytes:      len(src),
		Characters: characters(src, valid),
		Encoding:   encodingOf(src, valid),
		BOM:        bytes.HasPrefix(src, utf8BOM),
		CRLF:       bytes.Contains(src, []byte("\r\n")),
		Front:      ParseFront(src),
	}
	f.FirstLine = Span{End: len(src)}
	if i := bytes.IndexByte(src, '\n'); i >= 0 {
		f.FirstLine.End = i
	}
	if e := f.FirstLine.End; e > 0 && src[e-1] == '\r' {
		f.FirstLine.End--
	}
	return f
}

// Characters counts code points as the WHATWG UTF-8 decoder yields them: each
// maximal ill-formed subsequence counts one, and so does a byte order mark.
// Budgets are in this unit (spec, section 5), not in bytes or UTF-16 units.
func Characters(src []byte) int { return characters(src, utf8.Valid(src)) }

func characters(src []byte, valid bool) int {
	// Go's decoder consumes one byte of an ill-formed sequence, the WHATWG
	// one its maximal prefix, so only files with errors need the slow way.
	if valid {
		return utf8.RuneCount(src)
	}
	n := 0
	for len(src) > 0 {
		r, size := utf8.DecodeRune(src)
		if r == utf8.RuneError && size <= 1 {
			size = illFormed(src)
		}
		src = src[size:]
		n++
	}
	return n
}

// illFormed is the length of the maximal ill-formed subsequence that src
// starts with (Unicode standard, section 3.9, table 3-7).
func illFormed(src []byte) int {
	lo, hi, need := byte(0x80), byte(0xBF), 0
	switch c := src[0]; {
	case c >= 0xC2 && c <= 0xDF:
		need = 1
	case c >= 0xE0 && c <= 0xEF:
		need = 2
		if c == 0xE0 {
			lo = 0xA0
		} else if c == 0xED {
			hi = 0x9F
		}
	case c >= 0xF0 && c <= 0xF4:
		need = 3
		if c == 0xF0 {
			lo = 0x90
		} else if c == 0xF4 {
			hi = 0x8F
		}
	}
	n := 1
	for ; n <= need && n < len(src) && lo <= src[n] && src[n] <= hi; n++ {
		lo, hi = 0x80, 0xBF
	}
	return n
}

// Decode replaces each maximal ill-formed subsequence by U+FFFD, as the
// WHATWG decoder (and so the reference) does.
func Decode(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	out := make([]byte, 0, len(s)+8)
	for src := []byte(s); len(src) > 0; {
		r, size := utf8.DecodeRune(src)
		if r == utf8.RuneError && size <= 1 {
			size = illFormed(src)
			out = append(out, "\uFFFD"...)
		} else {
			out = append(out, src[:size]...)
		}
		src = src[size:]
	}
	return string(out)
}
