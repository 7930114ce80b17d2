package facts

import (
	"bytes"
	"strconv"
	"strings"
)

// YAML is frontmatter as tools read it that load real YAML: skill loaders,
// prompt compilers, viewers. They forgive a byte order mark, \r\n and blanks
// around a fence, which the text check (Front) does not.
type YAML struct {
	State FrontState
	// Text is the YAML text between the fences, Body where the text after
	// the closing fence starts (0 without closed frontmatter).
	Text Span
	Body int
	// Fields are the top-level keys in order, duplicates included.
	Fields []Field
	// Err says why the text is not a YAML mapping, "" when it is one;
	// ErrSpan is the line that the parser complains of.
	Err     string
	ErrSpan Span
}

// A Field is one top-level key.
type Field struct {
	Key     string
	KeySpan Span
	// Value is the scalar's decoded text whatever its YAML type; "" for
	// collections.
	Value     string
	ValueSpan Span // as written, quotes included
	Tag       string
	Block     bool // a block scalar
	Quoted    bool
}

// IsString reports whether YAML reads the value as a string.
func (f *Field) IsString() bool { return f.Tag == "!!str" }

// Field returns the last field of that key (YAML loaders that take
// duplicates let the last win), or nil.
func (y *YAML) Field(key string) *Field {
	for i := len(y.Fields) - 1; i >= 0; i-- {
		if y.Fields[i].Key == key {
			return &y.Fields[i]
		}
	}
	return nil
}

// BodyStart is the offset where the Markdown starts: after the frontmatter,
// however leniently it is read, or after a byte order mark.
func BodyStart(src []byte) int {
	if y := SplitYAML(src); y.State == FrontClosed {
		return y.Body
	}
	if bytes.HasPrefix(src, utf8BOM) {
		return len(utf8BOM)
	}
	return 0
}

// SplitYAML finds the YAML text and the body; package frontyaml reads the
// text.
func SplitYAML(src []byte) YAML {
	var y YAML
	at := 0
	if bytes.HasPrefix(src, utf8BOM) {
		at = len(utf8BOM)
	}
	first, next := lineAt(src, at)
	if !isFence(first.text(src)) {
		return y
	}
	y.State = FrontUnclosed
	for next >= 0 {
		if y.Text.Start == 0 {
			y.Text.Start = next
		}
		line, after := lineAt(src, next)
		if isFence(line.text(src)) {
			y.State, y.Text.End, y.Body = FrontClosed, line.Start, line.End
			if after >= 0 {
				y.Body = after
			}
			return y
		}
		next = after
	}
	y.Text = Span{}
	return y
}

func isFence(line []byte) bool {
	return bytes.HasPrefix(line, []byte("---")) && len(bytes.Trim(line[3:], " \t\r")) == 0
}

// QuoteYAML writes s as a YAML double-quoted scalar on one line. JSON's
// string syntax is a subset of YAML's double quotes, but escapes more than
// people want to read, so only what must be escaped is.
func QuoteYAML(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20 || 0x7f <= r && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffe || r == 0xffff:
			b.WriteString(`\u` + hex4(r))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func hex4(r rune) string {
	s := strconv.FormatInt(int64(r), 16)
	return strings.Repeat("0", 4-len(s)) + s
}
