// Package text converts between byte offsets and LSP positions, and applies
// the changes that a client sends to a document.
//
// Inside the module places are byte offsets; positions exist on the wire only.
package text

import (
	"bytes"
	"slices"
	"sort"
	"unicode/utf8"

	"github.com/memls/memls/lsp/wire"
	"go.lsp.dev/protocol"
)

// markDistance is the least number of bytes between two marks, so what one
// conversion scans in a line of any length.
const markDistance = 1 << 10

// A Mapper converts between byte offsets and positions in one immutable text.
// Lines end at \n, \r\n or \r (LSP 3.17, "Text Documents"); a line's end is not
// part of it. Every input is clamped to a place in the text. A byte that is no
// valid UTF-8 counts as one character of one unit in both encodings.
//
// A Mapper may be used by several goroutines.
type Mapper struct {
	src   []byte
	enc   wire.PositionEncoding
	lines []int  // offset of each line's first byte
	marks []mark // ascending; UTF-16 only
}

// A mark is a place at a character's start whose UTF-16 offset is known.
type mark struct{ offset, units int }

// NewMapper indexes src, which must not change afterwards.
func NewMapper(src []byte, enc wire.PositionEncoding) *Mapper {
	m := &Mapper{src: src, enc: enc, lines: lineStarts(src)}
	if enc == wire.UTF8 {
		return m
	}
	m.marks = []mark{{}}
	for i, units := 0, 0; ; m.marks = append(m.marks, mark{i, units}) {
		if end := min(i+markDistance, len(src)); isASCII(src[i:end]) {
			i, units = end, units+end-i
		} else {
			for i < end {
				w, u := character(src[i:])
				i, units = i+w, units+u
			}
		}
		if i >= len(src) {
			break
		}
	}
	return m
}

// lineStarts are the offsets of the first bytes of lines.
func lineStarts(src []byte) []int {
	starts := make([]int, 1, bytes.Count(src, []byte("\n"))+1)
	if bytes.IndexByte(src, '\r') < 0 { // as it is nearly always
		for at := 0; ; {
			i := bytes.IndexByte(src[at:], '\n')
			if i < 0 {
				return starts
			}
			at += i + 1
			starts = append(starts, at)
		}
	}
	for i, c := range src {
		if c == '\n' || c == '\r' && (i+1 == len(src) || src[i+1] != '\n') {
			starts = append(starts, i+1)
		}
	}
	return starts
}

func isASCII(s []byte) bool {
	for _, c := range s {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// character measures the first character of s in bytes and UTF-16 units.
func character(s []byte) (width, units int) {
	if s[0] < utf8.RuneSelf {
		return 1, 1
	}
	r, width := utf8.DecodeRune(s)
	if r >= 0x10000 {
		return width, 2
	}
	return width, 1
}

// Position converts a byte offset. An offset inside a character is taken as
// the character's start, one inside a line end as the end of the line.
func (m *Mapper) Position(offset int) protocol.Position {
	offset = max(0, min(offset, len(m.src)))
	line := sort.SearchInts(m.lines, offset+1) - 1
	start, end := m.line(line)
	offset = m.characterStart(start, min(offset, end))
	n := offset - start
	if m.enc != wire.UTF8 {
		n = m.units(offset) - m.units(start)
	}
	return protocol.Position{Line: uint32(line), Character: uint32(n)}
}

// Offset converts a position. One past the last line is the end of the text,
// one past the end of its line the end of the line, and one inside a character
// the character's start.
func (m *Mapper) Offset(p protocol.Position) int {
	if uint64(p.Line) >= uint64(len(m.lines)) {
		return len(m.src)
	}
	start, end := m.line(int(p.Line))
	n := int(min(uint64(p.Character), uint64(end-start)))
	if m.enc == wire.UTF8 {
		return m.characterStart(start, start+n)
	}

	want := m.units(start) + n
	next := sort.Search(len(m.marks), func(i int) bool { return m.marks[i].units > want })
	at := m.marks[next-1]
	if at.offset < start {
		at = mark{start, want - n}
	}
	for at.offset < end {
		w, u := character(m.src[at.offset:])
		if at.units+u > want {
			break
		}
		at.offset, at.units = at.offset+w, at.units+u
	}
	return at.offset
}

// Range converts the bytes from start up to end.
func (m *Mapper) Range(start, end int) protocol.Range {
	return protocol.Range{Start: m.Position(start), End: m.Position(end)}
}

// Offsets converts a range; one that is reversed is turned round.
func (m *Mapper) Offsets(r protocol.Range) (start, end int) {
	start, end = m.Offset(r.Start), m.Offset(r.End)
	return min(start, end), max(start, end)
}

// line returns the bounds of a line without its end.
func (m *Mapper) line(i int) (start, end int) {
	start, end = m.lines[i], len(m.src)
	if i+1 == len(m.lines) {
		return start, end
	}
	end = m.lines[i+1] - 1
	if m.src[end] == '\n' && end > start && m.src[end-1] == '\r' {
		end--
	}
	return start, end
}

// units returns the number of UTF-16 units before a character's start.
func (m *Mapper) units(offset int) int {
	next, exact := slices.BinarySearchFunc(m.marks, offset, func(k mark, o int) int { return k.offset - o })
	if exact {
		return m.marks[next].units
	}
	at := m.marks[next-1]
	for at.offset < offset {
		w, u := character(m.src[at.offset:])
		at.offset, at.units = at.offset+w, at.units+u
	}
	return at.units
}

// characterStart moves an offset inside a character to its start, not before
// lo.
func (m *Mapper) characterStart(lo, offset int) int {
	for i := offset - 1; i >= lo && i > offset-utf8.UTFMax; i-- {
		if utf8.RuneStart(m.src[i]) {
			if _, w := utf8.DecodeRune(m.src[i:]); i+w > offset {
				return i
			}
			break
		}
	}
	return offset
}
