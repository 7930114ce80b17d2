package facts

import (
	"bytes"
	"strings"
)

// FrontState says how far the text check gets into the frontmatter.
type FrontState int

// The states of spec section 4: the first line must be exactly "---" and the
// block ends at the next line that is exactly "---".
const (
	FrontMissing FrontState = iota
	FrontUnclosed
	FrontClosed
)

// Front is the frontmatter as the text check reads it: lines split at \n only,
// as text, before any YAML.
type Front struct {
	State FrontState
	// Open and Close are the fence lines without their line ends.
	Open, Close Span
	// Lines are the lines of the block that are not empty.
	Lines []FrontLine
	// Body is where the text after the closing fence starts; 0 when there
	// is no closed frontmatter.
	Body int
	// Fault says what keeps a fence from being one, for a person.
	Fault FenceFault
	// FaultSpan is what has to go, or be replaced, to mend the fault.
	FaultSpan Span
}

// A FrontLine is one line of the block, read as `key: value` up to its first
// colon. A line without a colon is a key with itself as value.
type FrontLine struct {
	Span Span // without the line end
	// Key and Value have the spaces (not tabs) around them stripped, as v2
	// reads them; KeySpan and ValueSpan are where they stand.
	Key, Value         string
	KeySpan, ValueSpan Span
	// RawKey is all before the colon, as v1 reads it.
	RawKey string
	// Colon tells whether the line has one.
	Colon bool
	// Indented marks a line that starts with a space or tab.
	Indented bool
}

// FenceFault is why text that looks like frontmatter is none to the text check.
type FenceFault int

// The faults, in the order they are looked for.
const (
	NoFault       FenceFault = iota
	FaultBOM                 // a byte order mark before the fence
	FaultCRLF                // the fence ends in \r
	FaultTrailing            // spaces or tabs after the fence
	FaultLeading             // blank lines or white space before the fence
	FaultDashes              // more than three dashes
)

// ParseFront reads the frontmatter of src.
func ParseFront(src []byte) Front {
	var f Front
	line, next := lineAt(src, 0)
	if string(line.text(src)) != "---" {
		f.Fault, f.FaultSpan = openingFault(src)
		return f
	}
	f.State, f.Open = FrontUnclosed, line.Span
	for next >= 0 {
		line, next = lineAt(src, next)
		text := line.text(src)
		if string(text) == "---" {
			f.State, f.Close, f.Body = FrontClosed, line.Span, line.End
			if next >= 0 {
				f.Body = next
			}
			f.Fault, f.FaultSpan = NoFault, Span{}
			return f
		}
		if f.Fault == NoFault {
			f.Fault, f.FaultSpan = fenceFault(text, line.Start)
		}
		if len(text) > 0 {
			f.Lines = append(f.Lines, frontLine(text, line.Start))
		}
	}
	return f
}

// Value returns the first value of a key as v2 reads it.
func (f *Front) Value(key string) (string, bool) {
	for i := range f.Lines {
		if f.Lines[i].Key == key && f.Lines[i].Colon {
			return f.Lines[i].Value, true
		}
	}
	return "", false
}

type lineSpan struct{ Span }

func (l lineSpan) text(src []byte) []byte { return src[l.Start:l.End] }

// lineAt returns the line that starts at offset and the start of the next
// one, -1 when there is none.
func lineAt(src []byte, start int) (lineSpan, int) {
	if i := bytes.IndexByte(src[start:], '\n'); i >= 0 {
		return lineSpan{Span{Start: start, End: start + i}}, start + i + 1
	}
	return lineSpan{Span{Start: start, End: len(src)}}, -1
}

func frontLine(text []byte, start int) FrontLine {
	l := FrontLine{Span: Span{Start: start, End: start + len(text)}, Indented: text[0] == ' ' || text[0] == '\t'}
	colon := bytes.IndexByte(text, ':')
	key, value, valueAt := text, text, 0
	if colon >= 0 {
		l.Colon, key, value, valueAt = true, text[:colon], text[colon+1:], colon+1
	}
	l.RawKey = string(key)
	l.Key, l.KeySpan = trimmed(key, start)
	l.Value, l.ValueSpan = trimmed(value, start+valueAt)
	return l
}

// trimmed strips spaces, and only spaces, as the reference does.
func trimmed(b []byte, start int) (string, Span) {
	left := len(b) - len(bytes.TrimLeft(b, " "))
	t := strings.Trim(string(b), " ")
	return t, Span{Start: start + left, End: start + left + len(t)}
}

func openingFault(src []byte) (FenceFault, Span) {
	at := 0
	fault, span := NoFault, Span{}
	if bytes.HasPrefix(src, utf8BOM) {
		at, fault, span = len(utf8BOM), FaultBOM, Span{End: len(utf8BOM)}
	}
	rest := src[at:]
	blank := len(rest) - len(bytes.TrimLeft(rest, " \t\r\n"))
	if !bytes.HasPrefix(rest[blank:], []byte("---")) {
		return NoFault, Span{}
	}
	if blank > 0 && fault == NoFault {
		fault, span = FaultLeading, Span{End: blank}
	}
	line, _ := lineAt(src, at+blank)
	lineFault, lineSpan := fenceFault(line.text(src), line.Start)
	switch {
	case lineFault == NoFault && string(line.text(src)) != "---":
		return NoFault, Span{} // "---text" is no fence at all
	case fault == NoFault:
		fault, span = lineFault, lineSpan
	}
	// A thematic break that no second one follows is no frontmatter.
	if !hasClosingFence(src, line.End) {
		return NoFault, Span{}
	}
	return fault, span
}

// fenceFault says what keeps a line that looks like a fence from being one.
func fenceFault(text []byte, start int) (FenceFault, Span) {
	dashes := len(text) - len(bytes.TrimLeft(text, "-"))
	after := text[dashes:]
	switch {
	case dashes < 3 || len(bytes.Trim(after, " \t\r")) > 0:
		return NoFault, Span{}
	case dashes > 3:
		return FaultDashes, Span{Start: start + 3, End: start + len(text)}
	case string(after) == "\r":
		return FaultCRLF, Span{Start: start + 3, End: start + 4}
	case len(after) > 0:
		return FaultTrailing, Span{Start: start + 3, End: start + len(text)}
	}
	return NoFault, Span{}
}

func hasClosingFence(src []byte, from int) bool {
	for next := from + 1; next > 0 && next <= len(src); {
		var line lineSpan
		line, next = lineAt(src, next)
		t := bytes.TrimRight(line.text(src), " \t\r")
		if len(t) >= 3 && len(bytes.TrimLeft(t, "-")) == 0 {
			return true
		}
	}
	return false
}

// LinesIn are the lines of a part of src that are not empty, read as the text
// check reads frontmatter, but with a carriage return taken for part of the
// line end.
func LinesIn(src []byte, part Span) []FrontLine {
	var lines []FrontLine
	for next := part.Start; next >= 0 && next < part.End; {
		var line lineSpan
		line, next = lineAt(src[:part.End], next)
		if text := bytes.TrimSuffix(line.text(src), []byte("\r")); len(text) > 0 {
			lines = append(lines, frontLine(text, line.Start))
		}
	}
	return lines
}
