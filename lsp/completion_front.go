package lsp

import (
	"bytes"
	"path"
	"regexp"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/facts"
)

// keyDocs say what the keys of frontmatter mean.
var keyDocs = map[string]string{
	"name":          "What the memory or skill is called, in lists and in the prompt.",
	"description":   "One line that says what is inside: it decides whether an agent opens the file.",
	"read_only":     "true: the agent may not change the file.",
	"limit":         "How many characters the file may hold.",
	"license":       "License of the skill.",
	"compatibility": "What the skill needs of its environment.",
	"metadata":      "Keys of your own.",
	"allowed-tools": "Tools that the skill may use without asking.",
}

var keyBegun = regexp.MustCompile(`^[A-Za-z_-]*$`)

// frontmatter offers keys and values of frontmatter. It reports whether the
// cursor is in frontmatter, so that nothing else is offered there.
func (c *completer) frontmatter() bool {
	front := facts.ParseFront(c.src)
	if front.State == facts.FrontMissing || c.at <= front.Open.End || front.State == facts.FrontClosed && c.at > front.Close.Start {
		return false
	}
	line := lineAround(c.src, c.at)
	if front.State == facts.FrontUnclosed && bytes.Contains(c.src[front.Open.End:line.Start], []byte("\n\n")) {
		return false // far from the fence it is text
	}
	keys, _ := rules.FrontKeys(c.view.RoleOf(c.sub.path))
	before := string(c.src[line.Start:c.at])
	if key, value, isValue := strings.Cut(before, ":"); isValue {
		c.frontValue(key, strings.TrimLeft(value, " "), line)
		return true
	}
	if !keyBegun.MatchString(before) {
		return true
	}
	span := rules.Span{Start: line.Start, End: c.at}
	for span.End < line.End && keyBegun.Match(c.src[span.End:span.End+1]) {
		span.End++
	}
	present := map[string]bool{}
	for _, l := range front.Lines {
		present[l.Key] = l.Span.Start != line.Start
	}
	for _, key := range keys {
		if !present[key] {
			c.frontKey(key, span, bytes.HasPrefix(c.src[span.End:line.End], []byte(":")))
		}
	}
	return true
}

// frontKey offers a key, with a value where the line has none.
func (c *completer) frontKey(key string, span rules.Span, hasColon bool) {
	item := wire.CompletionItem{Label: key, Kind: protocol.CompletionItemKindProperty, Detail: keyDocs[key], FilterText: key}
	text := key
	switch value := c.derivedValue(key); {
	case hasColon:
	case value != "":
		text += ": " + value
		item.Detail = text
	case key == "description" && c.snippets:
		text += ": ${1:" + rules.Placeholder + "}"
		item.InsertTextFormat = protocol.InsertTextFormatSnippet
	default:
		text += ": "
	}
	c.add(item, span, text)
}

// derivedValue is the value that can be told from the file's path, as YAML.
func (c *completer) derivedValue(key string) string {
	if key != "name" {
		return ""
	}
	if c.view.RoleOf(c.sub.path) == rules.RoleSkill {
		return c.view.Parsers.Scalar(path.Base(parentDir(c.sub.path)))
	}
	return c.view.Parsers.Scalar(rules.Title(c.sub.path))
}

// frontValue offers values of a key.
func (c *completer) frontValue(key, typed string, line rules.Span) {
	span := rules.Span{Start: c.at - len(typed), End: line.End}
	var values []string
	switch key = strings.TrimSpace(key); key {
	case "name":
		values = []string{c.derivedValue(key)}
	case "read_only":
		values = []string{"true", "false"}
	}
	lead := ""
	if c.src[span.Start-1] == ':' {
		lead = " "
	}
	for _, value := range values {
		c.add(wire.CompletionItem{Label: value, Kind: protocol.CompletionItemKindValue, Detail: keyDocs[key], FilterText: lead + value}, span, lead+value)
	}
}
