package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A mistake is a syntax error in plain words and the bytes it is about.
type mistake struct {
	why        string
	start, end int
}

// syntaxProblem reports why src is not JSON, if it is not.
func syntaxProblem(src []byte) (Problem, bool) {
	m, bad := encodingMistake(src)
	if !bad {
		var discard json.RawMessage
		err := json.Unmarshal(src, &discard)
		if err == nil {
			return Problem{}, false
		}
		m = grammarMistake(src, err)
	}
	before := src[:m.start]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return Problem{
		Message: fmt.Sprintf("%s: invalid JSON (%s, line %d column %d)", Path, m.why, line, column),
		Start:   m.start,
		End:     m.end,
	}, true
}

// encodingMistake recognises files that are wrong as a whole.
func encodingMistake(src []byte) (mistake, bool) {
	switch {
	case bytes.HasPrefix(src, []byte("\xEF\xBB\xBF")):
		return mistake{"the file starts with a byte order mark", 0, 3}, true
	case bytes.HasPrefix(src, []byte("\xFF\xFE")), bytes.HasPrefix(src, []byte("\xFE\xFF")):
		return mistake{"the file is UTF-16 instead of UTF-8", 0, 2}, true
	case len(bytes.Trim(src, " \t\r\n")) == 0:
		return mistake{"the file is empty", 0, len(src)}, true
	}
	return mistake{}, false
}

// grammarMistake puts the library's syntax error into words for people who do
// not know JSON well. What they are used to from other formats is recognised by
// its look; the rest by what the library expected.
func grammarMistake(src []byte, err error) mistake {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return mistake{err.Error(), 0, 0}
	}
	what := syntax.Error()
	if strings.Contains(what, "unexpected end") {
		return mistake{"the file ends before every quote and bracket is closed", len(src), len(src)}
	}
	// Offset counts the bytes read, the offending one included.
	at := min(max(int(syntax.Offset)-1, 0), len(src)-1)
	for at > 0 && !utf8.RuneStart(src[at]) {
		at--
	}
	r, size := utf8.DecodeRune(src[at:])
	here := mistake{"unexpected " + character(r), at, at + size}
	inString := strings.Contains(what, "in string") || strings.Contains(what, "hexadecimal")
	if m, ok := foreignSyntax(src, here, r); ok && !inString {
		return m
	}
	for _, known := range syntaxWords {
		if strings.Contains(what, known.library) {
			here.why = strings.ReplaceAll(known.why, "%", character(r))
			break
		}
	}
	return here
}

// syntaxWords says in plain words what the library says; % is the character.
// What is not listed (after a change in the library) is "unexpected %".
var syntaxWords = []struct{ library, why string }{
	{"exceeded max depth", "brackets nested too deep"},
	{"looking for beginning of object key", "expected a key in double quotes instead of %"},
	{"looking for beginning of value", "expected a value instead of %"},
	{"after object key:value pair", "expected ',' or '}' instead of %"},
	{"after object key", "expected ':' instead of %"},
	{"after array element", "expected ',' or ']' instead of %"},
	{"after top-level value", "unexpected % after the end of the JSON value"},
	{"in string escape code", "unknown escape in a string: \\ before %"},
	{"hexadecimal character escape", "\\u needs four hexadecimal digits instead of %"},
	{"in string literal", "% inside a string: write it as an escape, or close the string before"},
	{"in literal", "misspelt true, false or null: unexpected %"},
	{"numeric literal", "malformed number: unexpected %"},
}

// foreignSyntax recognises what other formats allow and JSON does not, at the
// character r that here points to.
func foreignSyntax(src []byte, here mistake, r rune) (mistake, bool) {
	rest := src[here.start:]
	line := src[:here.start]
	line = line[bytes.LastIndexByte(line, '\n')+1:]
	before := bytes.TrimRight(src[:here.start], " \t\r\n")
	named := func(why string) (mistake, bool) {
		here.why = why
		return here, true
	}
	switch {
	case len(line) == 0 && isConflictMarker(rest):
		here.end = here.start + 7
		return named("unresolved merge conflict")
	case bytes.HasPrefix(rest, []byte("//")), bytes.HasPrefix(rest, []byte("/*")):
		here.end = here.start + 2
		return named("comment (JSON has none)")
	case r == '#':
		return named("comment (JSON has none)")
	case r == '\'' || r == '`':
		return named("string in " + character(r) + " (JSON needs double quotes)")
	case strings.ContainsRune("“”„‘’«»", r):
		return named("typographic quote " + character(r) + " (JSON needs '\"')")
	case (r == '}' || r == ']') && bytes.HasSuffix(before, []byte(",")):
		return mistake{"trailing comma before " + character(r), len(before) - 1, len(before)}, true
	case r >= '0' && r <= '9' && bytes.HasSuffix(src[:here.start], []byte("0")):
		return named("malformed number: leading zero")
	}
	return bareWord(src, here)
}

// bareWord recognises a word without quotes that is not true, false or null:
// a key, a text, or another language's True, None or NaN.
func bareWord(src []byte, here mistake) (mistake, bool) {
	inWord := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	start := len(bytes.TrimRightFunc(src[:here.start], inWord))
	end := len(src) - len(bytes.TrimLeftFunc(src[here.start:], inWord))
	word := string(src[start:end])
	if first, _ := utf8.DecodeRuneInString(word); end == here.start || unicode.IsDigit(first) {
		return mistake{}, false
	}
	if bytes.HasPrefix(bytes.TrimLeft(src[end:], " \t\r\n"), []byte(":")) {
		return mistake{"key without double quotes", start, end}, true
	}
	for _, literal := range []string{"true", "false", "null"} {
		if strings.EqualFold(word, literal) {
			return mistake{"'" + literal + "' must be in lower case", start, end}, true
		}
	}
	return mistake{"text without double quotes", start, end}, true
}

// isConflictMarker reports whether text starts with a line that git leaves in a
// conflicting merge.
func isConflictMarker(text []byte) bool {
	for _, marker := range []string{"<<<<<<<", "=======", ">>>>>>>", "|||||||"} {
		if bytes.HasPrefix(text, []byte(marker)) {
			return true
		}
	}
	return false
}

// character names r so that it can be seen.
func character(r rune) string {
	switch {
	case r == '\n' || r == '\r':
		return "line break"
	case r == '\t':
		return "tab"
	case r == utf8.RuneError:
		return "a byte that is not UTF-8"
	case !unicode.IsGraphic(r) || unicode.IsSpace(r):
		return fmt.Sprintf("U+%04X", r)
	}
	return "'" + string(r) + "'"
}
