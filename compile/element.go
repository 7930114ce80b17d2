package compile

import (
	"strings"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/facts"
)

// An element is the pair of tags around a piece of memory. What stands between
// them is text for a model, not XML: it is not escaped.
type element struct{ open, close string }

func namedElement(name string) element { return element{"<" + name + ">", "</" + name + ">"} }

// fileElement names a file by an attribute.
func fileElement(path string) element {
	return element{`<file name="` + attribute(path) + `">`, "</file>"}
}

// ownElements are the elements that the prompt has besides those of files. A
// core file with such a label is named by an attribute, or it would pass for
// the prompt's own.
var ownElements = map[string]bool{
	"memory": true, "deferred-memory": true, "available_skills": true, "memory_metadata": true,
}

// coreElement is the element of a core file: its label where that is a name.
func coreElement(path string) element {
	label := strings.TrimSuffix(path, ".md")
	if ownElements[label] || !rules.IsTagName(label) {
		return fileElement(path)
	}
	return namedElement(label)
}

// element writes an element with a file in it.
func (d *draft) element(e element, path string, lines ...string) {
	d.line(e.open)
	d.part(PartFile, path, lines...)
	d.line(e.close)
}

// attributeEscapes covers line breaks besides what XML demands: a name must
// not add lines to the prompt.
var attributeEscapes = strings.NewReplacer(
	"&", "&amp;", `"`, "&quot;", "'", "&#x27;", "<", "&lt;", ">", "&gt;",
	"\n", "&#xA;", "\r", "&#xD;", "\t", "&#x9;",
)

// attribute writes text as the value of an attribute.
func attribute(s string) string { return attributeEscapes.Replace(facts.Decode(s)) }

// contentEscapes leaves quotes alone: a path has them more often than an
// element needs them gone.
var contentEscapes = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "\n", "&#xA;", "\r", "&#xD;", "\t", "&#x9;",
)

// content writes a path as the content of an element.
func content(s string) string { return contentEscapes.Replace(facts.Decode(s)) }

// lines are the description, if any, and the body, if any, with pad before
// each: not before the later lines of a body, whose bytes are the file's.
func (s *source) lines(pad string) []string {
	var lines []string
	if s.description != "" {
		lines = append(lines, pad+"<description>"+s.description+"</description>")
	}
	if s.body != "" {
		lines = append(lines, pad+s.body)
	}
	return lines
}

// nonEmpty is the text as the only line, no line when it is empty.
func nonEmpty(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}
