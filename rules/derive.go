package rules

import (
	"bytes"
	"strings"

	"github.com/memls/memls/rules/facts"
)

// Placeholder is what our fixes write where only a person or the agent knows
// what to say. The rule placeholder finds it again.
const Placeholder = "Describe this file in one line"

// descriptionLength bounds a derived description, in code points.
const descriptionLength = 120

// derivedFront is a frontmatter block for a body that has none.
func (p *Pass) derivedFront(body string, eol string) string {
	lines := []string{"---"}
	for _, key := range p.format().required {
		lines = append(lines, key+": "+p.derivedValue(key, body))
	}
	return strings.Join(append(lines, "---", ""), eol)
}

// derivedValue is the value that a fix gives a missing key, as YAML.
func (p *Pass) derivedValue(key, body string) string {
	if key == "name" {
		if title := Title(p.File.Path); title != "" {
			return p.Parsers.Scalar(title)
		}
		return p.Parsers.Scalar(fileStem(p.File.Path))
	}
	return p.Parsers.Scalar(p.describe(body))
}

// fileStem is the name of a file without .md, but never nothing.
func fileStem(path string) string {
	if stem := strings.TrimSuffix(base(path), ".md"); stem != "" {
		return stem
	}
	return base(path)
}

// describe takes a description from the text: its first line of prose, else
// its first heading, else the placeholder.
func (v *View) describe(body string) string {
	doc := v.Parsers.doc([]byte(body))
	for line := range strings.Lines(body[facts.BodyStart([]byte(body)):]) {
		text := strings.TrimSpace(line)
		if !strings.ContainsAny(text, "[]<>`|") && len(text) > 0 && startsWithLetter(text) {
			return shorten(text)
		}
		if text != "" && !strings.HasPrefix(text, "#") {
			break
		}
	}
	if len(doc.Headings) > 0 && doc.Headings[0].Text != "" {
		return shorten(doc.Headings[0].Text)
	}
	return Placeholder
}

func startsWithLetter(s string) bool {
	c := s[0]
	return c >= 0x80 || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// shorten cuts at a word before the limit.
func shorten(s string) string {
	s = strings.TrimSpace(strings.Map(printableOrSpace, s))
	runes := []rune(s)
	if len(runes) <= descriptionLength {
		return s
	}
	cut := string(runes[:descriptionLength-1])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:.") + "…"
}

// eolOf is the line end that new lines of the file get.
func eolOf(src []byte) string {
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
