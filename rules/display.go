package rules

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/memls/memls/rules/facts"
)

// Display renders a path for people: as it is when it can be printed, else
// quoted like git does, so that a file name can neither break a line nor talk
// to the terminal.
func Display(path string) string {
	for i, r := range path {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			if r == utf8.RuneError && strings.HasPrefix(path[i:], "\uFFFD") {
				continue
			}
			return quote(path)
		}
	}
	return path
}

var quoteEscapes = map[byte]string{
	'\a': `\a`, '\b': `\b`, '\t': `\t`, '\n': `\n`, '\v': `\v`, '\f': `\f`, '\r': `\r`, '"': `\"`, '\\': `\\`,
}

// quote is git's C-style quoting (core.quotePath=false: only what cannot be
// printed is escaped), which strconv does not know.
func quote(path string) string {
	var b strings.Builder
	b.WriteByte('"')
	for len(path) > 0 {
		r, size := utf8.DecodeRuneInString(path)
		switch esc, ok := quoteEscapes[path[0]]; {
		case ok:
			b.WriteString(esc)
		case r != utf8.RuneError && unicode.IsPrint(r), r == utf8.RuneError && size == 3:
			b.WriteString(path[:size])
		default:
			for _, c := range []byte(path[:size]) {
				b.WriteString(`\` + string([]byte{'0' + c>>6, '0' + c>>3&7, '0' + c&7}))
			}
		}
		path = path[size:]
	}
	b.WriteByte('"')
	return b.String()
}

// shown renders text that comes from a file for a message: decoded as UTF-8
// the WHATWG way. Control characters stay: presenters decide about them.
func shown(s string) string {
	return facts.Decode(s)
}

func printableOrSpace(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return ' '
}

// Printable renders text that may come from a file for a terminal: control
// characters are shown as escapes, so that they do nothing.
func Printable(s string) string {
	clean := func(r rune) bool { return unicode.IsPrint(r) || r == '\t' }
	if strings.IndexFunc(s, func(r rune) bool { return !clean(r) }) < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if clean(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

// PrintableJSON escapes in a JSON text, in the way of JSON, what a terminal may
// obey, such as C1 controls and marks of direction: it means the same as before.
func PrintableJSON(text []byte) []byte {
	clean := func(r rune) bool { return r < 0x7f || unicode.IsPrint(r) } // JSON has escapes for all below
	if bytes.IndexFunc(text, func(r rune) bool { return !clean(r) }) < 0 {
		return text
	}
	var b bytes.Buffer
	for _, r := range string(text) {
		if clean(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.Bytes()
}
