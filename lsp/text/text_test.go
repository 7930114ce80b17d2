package text_test

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/memls/memls/lsp/text"
	"github.com/memls/memls/lsp/wire"
	"go.lsp.dev/protocol"
)

func at(line, character uint32) protocol.Position {
	return protocol.Position{Line: line, Character: character}
}

func TestPosition(t *testing.T) {
	// "e" + combining acute, then U+1F600, then CJK; all line ends.
	const src = "e\u0301x\n😀y\r\n日本\rz"
	tests := []struct {
		name   string
		offset int
		utf8   protocol.Position
		utf16  protocol.Position
	}{
		{"start", 0, at(0, 0), at(0, 0)},
		{"before the start", -5, at(0, 0), at(0, 0)},
		{"after e", 1, at(0, 1), at(0, 1)},
		{"inside the combining mark", 2, at(0, 1), at(0, 1)},
		{"after the combining mark", 3, at(0, 3), at(0, 2)},
		{"at \\n", 4, at(0, 4), at(0, 3)},
		{"second line", 5, at(1, 0), at(1, 0)},
		{"inside the emoji", 7, at(1, 0), at(1, 0)},
		{"after the emoji", 9, at(1, 4), at(1, 2)},
		{"at \\r of \\r\\n", 10, at(1, 5), at(1, 3)},
		{"between \\r and \\n", 11, at(1, 5), at(1, 3)},
		{"third line", 12, at(2, 0), at(2, 0)},
		{"after the first ideograph", 15, at(2, 3), at(2, 1)},
		{"at \\r", 18, at(2, 6), at(2, 2)},
		{"last line", 19, at(3, 0), at(3, 0)},
		{"end", 20, at(3, 1), at(3, 1)},
		{"past the end", 99, at(3, 1), at(3, 1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := text.NewMapper([]byte(src), wire.UTF8).Position(tt.offset); got != tt.utf8 {
				t.Errorf("utf-8 position = %v, want %v", got, tt.utf8)
			}
			if got := text.NewMapper([]byte(src), wire.UTF16).Position(tt.offset); got != tt.utf16 {
				t.Errorf("utf-16 position = %v, want %v", got, tt.utf16)
			}
		})
	}
}

func TestOffset(t *testing.T) {
	const src = "a😀b\r\nc"
	tests := []struct {
		name  string
		pos   protocol.Position
		utf8  int
		utf16 int
	}{
		{"start", at(0, 0), 0, 0},
		{"before the emoji", at(0, 1), 1, 1},
		{"inside it: half of the surrogate pair, second byte", at(0, 2), 1, 1},
		{"utf-16: after it", at(0, 3), 1, 5},
		{"utf-16: at the line's end", at(0, 4), 1, 6},
		{"utf-8: after it", at(0, 5), 5, 6},
		{"past the line's end", at(0, 7), 6, 6},
		{"far past it", at(0, math.MaxUint32), 6, 6},
		{"second line", at(1, 0), 8, 8},
		{"end", at(1, 1), 9, 9},
		{"past the last line", at(2, 0), 9, 9},
		{"far past it", at(math.MaxUint32, math.MaxUint32), 9, 9},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := text.NewMapper([]byte(src), wire.UTF8).Offset(tt.pos); got != tt.utf8 {
				t.Errorf("utf-8 offset = %d, want %d", got, tt.utf8)
			}
			if got := text.NewMapper([]byte(src), wire.UTF16).Offset(tt.pos); got != tt.utf16 {
				t.Errorf("utf-16 offset = %d, want %d", got, tt.utf16)
			}
		})
	}
}

// The place of LSP-04: characters 9-14 of this line are the link's target.
func TestRangeOfIdeographs(t *testing.T) {
	const src = "日本語 [メモ](メモ.md)"
	start := strings.LastIndex(src, "メモ.md")
	m := text.NewMapper([]byte(src), wire.UTF16)
	want := protocol.Range{Start: at(0, 9), End: at(0, 14)}
	if got := m.Range(start, start+len("メモ.md")); got != want {
		t.Errorf("range = %v, want %v", got, want)
	}
	if lo, hi := m.Offsets(protocol.Range{Start: want.End, End: want.Start}); lo != start || hi != start+len("メモ.md") {
		t.Errorf("offsets of the reversed range = %d, %d, want %d, %d", lo, hi, start, start+len("メモ.md"))
	}
}

func TestApply(t *testing.T) {
	edit := func(startLine, startChar, endLine, endChar uint32, s string) wire.ContentChange {
		return wire.ContentChange{Range: &protocol.Range{Start: at(startLine, startChar), End: at(endLine, endChar)}, Text: s}
	}
	tests := []struct {
		name    string
		src     string
		changes []wire.ContentChange
		want    string
	}{
		{"none", "a", nil, "a"},
		{"insert at the start", "a", []wire.ContentChange{edit(0, 0, 0, 0, "x")}, "xa"},
		{"whole document", "a", []wire.ContentChange{{Text: "x"}}, "x"},
		{"each change sees the one before", "a\n", []wire.ContentChange{edit(1, 0, 1, 0, "b\n"), edit(1, 0, 1, 1, "c"), edit(0, 1, 1, 0, "")}, "ac\n"},
		{"range, then whole, then range", "a", []wire.ContentChange{edit(0, 1, 0, 1, "b"), {Text: "x"}, edit(0, 1, 0, 1, "y")}, "xy"},
		{"astral character", "😀b", []wire.ContentChange{edit(0, 2, 0, 3, "c")}, "😀c"},
		{"join lines", "a\r\nb", []wire.ContentChange{edit(0, 1, 1, 0, "")}, "ab"},
		{"past the end", "a", []wire.ContentChange{edit(5, 5, 9, 9, "b")}, "ab"},
		{"past the line's end", "a\nb", []wire.ContentChange{edit(0, 9, 0, 99, "x")}, "ax\nb"},
		{"reversed", "abc", []wire.ContentChange{edit(0, 2, 0, 1, "x")}, "axc"},
		{"empty document", "", []wire.ContentChange{edit(0, 0, 3, 0, "x")}, "x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src := []byte(tt.src)
			if got := text.NewMapper(src, wire.UTF16).Apply(tt.changes); string(got) != tt.want {
				t.Errorf("text = %q, want %q", got, tt.want)
			}
			if string(src) != tt.src {
				t.Errorf("the old text became %q", src)
			}
		})
	}
}

var seeds = []string{"", "a", "a\nb\r\nc\rd", "\r\r\n\n", "e\u0301", "😀x😀", "日本語\n", "\xff\xc3\n\xe2\x82", strings.Repeat("x😀é", 900) + "\n" + strings.Repeat("日", 500)}

// model converts a position by splitting the text with the standard library's
// code points and UTF-16 encoder only.
func model(src string, enc wire.PositionEncoding, p protocol.Position) int {
	unified := strings.NewReplacer("\r\n", "\x00\n", "\r", "\n").Replace(strings.ReplaceAll(src, "\x00", "."))
	offset := 0
	for i, line := range strings.SplitAfter(unified, "\n") {
		if uint32(i) < p.Line {
			offset += len(line)
			continue
		}
		units := 0
		for _, r := range strings.TrimRight(line, "\x00\n") {
			width := utf8.RuneLen(r)
			if enc == wire.UTF16 {
				units += len(utf16.AppendRune(nil, r))
			} else {
				units += width
			}
			if units > int(p.Character) {
				break
			}
			offset += width
		}
		return offset
	}
	return len(src)
}

func FuzzMapper(f *testing.F) {
	for _, s := range seeds {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, src string, offset int) {
		for _, enc := range []wire.PositionEncoding{wire.UTF8, wire.UTF16} {
			m := text.NewMapper([]byte(src), enc)
			p := m.Position(offset)
			back := m.Offset(p)
			if again := m.Position(back); again != p {
				t.Fatalf("%s: offset %d -> %v -> %d -> %v", enc, offset, p, back, again)
			}
			if !utf8.ValidString(src) {
				continue
			}
			if offset >= 0 && offset <= len(src) && back > offset {
				t.Fatalf("%s: offset %d moved forward to %d", enc, offset, back)
			}
			if want := model(src, enc, p); back != want {
				t.Fatalf("%s: position %v is at %d, want %d", enc, p, back, want)
			}
		}
	})
}

func FuzzApply(f *testing.F) {
	for _, s := range seeds {
		f.Add(s, "new\r\ntext😀", uint32(0), uint32(1), uint32(1), uint32(0), uint32(1), uint32(2))
	}
	f.Fuzz(func(t *testing.T, src, insert string, startLine, startChar, endLine, endChar, line, char uint32) {
		if !utf8.ValidString(src) || !utf8.ValidString(insert) {
			t.Skip("JSON strings are valid UTF-8")
		}
		changes := []wire.ContentChange{
			{Range: &protocol.Range{Start: at(startLine, startChar), End: at(endLine, endChar)}, Text: insert},
			{Range: &protocol.Range{Start: at(line, char), End: at(line, char)}, Text: insert},
		}
		for _, enc := range []wire.PositionEncoding{wire.UTF8, wire.UTF16} {
			want := src
			for _, c := range changes {
				lo, hi := model(want, enc, c.Range.Start), model(want, enc, c.Range.End)
				lo, hi = min(lo, hi), max(lo, hi)
				want = want[:lo] + c.Text + want[hi:]
			}
			if got := text.NewMapper([]byte(src), enc).Apply(changes); !bytes.Equal(got, []byte(want)) {
				t.Fatalf("%s: text = %q, want %q", enc, got, want)
			}
		}
	})
}
