package rules

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memls/memls/rules/facts"
	"github.com/memls/memls/rules/tree"
)

// A tagText is text that reads like a whole tag. The compiled prompt holds
// memory raw, so code and comments count like everything else; the engine's
// Markdown, which tells them apart, is no help here, nor is an HTML tokenizer,
// which reads a file name in a tag differently from what a model sees.
type tagText struct {
	Span
	name string
	// closing is </name>, attr what follows "<name " up to a "=".
	closing bool
	attr    string
	// first tells that nothing but white space stands before it on its line.
	first bool
}

// tagsOf finds the tags in the file's body, computed once.
func tagsOf(f *tree.File) ([]tagText, error) {
	tags, err := memo(f, tagsKey, nil, func(src []byte) *[]tagText {
		tags := tagsIn(src, facts.BodyStart(src))
		return &tags
	})
	if err != nil {
		return nil, err
	}
	return *tags, nil
}

func tagsIn(src []byte, at int) []tagText {
	var tags []tagText
	for {
		i := bytes.IndexByte(src[at:], '<')
		if i < 0 {
			return tags
		}
		at += i
		if t, ok := tagAt(src, at); ok {
			tags = append(tags, t)
		}
		at++
	}
}

// tagAt reads the tag that starts at offset at, where a < is.
func tagAt(src []byte, at int) (tagText, bool) {
	rest := src[at+1:]
	if end := bytes.IndexAny(rest, "<>\n"); end < 0 || rest[end] != '>' {
		return tagText{}, false
	} else {
		rest = rest[:end]
	}
	t := tagText{Span: Span{Start: at, End: at + 1 + len(rest) + 1}}
	rest, t.closing = bytes.CutPrefix(rest, []byte("/"))
	inner := strings.TrimSpace(strings.TrimSuffix(string(rest), "/"))
	var attrs string
	t.name, attrs, _ = strings.Cut(inner, " ")
	if !isXMLName(t.name) {
		return tagText{}, false
	}
	name, _, hasAttr := strings.Cut(attrs, "=")
	switch {
	case hasAttr && !t.closing:
		t.attr = strings.TrimSpace(name)
	case attrs != "":
		return tagText{}, false
	}
	before := bytes.TrimRight(src[:at], " \t")
	t.first = len(before) == 0 || before[len(before)-1] == '\n'
	return t, true
}

// isXMLName reports whether a label can be the name of a tag; another is
// rendered as the attribute of a <file> (spec, section 10).
func isXMLName(s string) bool {
	for i, r := range s {
		start := r == '_' || unicode.IsLetter(r)
		if !start && (i == 0 || r != '-' && r != '.' && !unicode.IsDigit(r) && !unicode.IsMark(r)) {
			return false
		}
	}
	return s != "" && utf8.ValidString(s)
}
