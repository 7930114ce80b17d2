package rules

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/memls/memls/rules/facts"
)

var ruleYAMLUnsafe = &Rule{
	ID:       "yaml-unsafe",
	Severity: Warning,
	Summary:  "frontmatter reads the same as YAML",
	Source:   "spec 4 and 6",
	Doc: Doc{
		Checks: "Frontmatter that the hook accepts is also a YAML mapping whose `name` and `description` are strings: no `: ` in a plain value, no value that starts with `*`, `@`, `[` or a backtick, no ` #` that cuts a value off, no number, date, `true` or `null`.",
		Why:    "The hook reads the block line by line, prompt compilers and viewers read it as YAML: they lose the file, or half of its description.",
		Bad:    "---\nname: Deploy\ndescription: Deploy: staging first\n---",
		Good:   "---\nname: Deploy\ndescription: \"Deploy: staging first\"\n---",
		Fix:    "Puts the value into double quotes; gives each line the form `key: value`.",
	},
	roles: frontRoles,
	text: func(p *Pass) {
		if p.Facts().Encoding != facts.UTF8 || p.plainlySafe() || !p.frontAccepted() {
			return // no second opinion on what has a finding already
		}
		y := p.yaml()
		if p.unsafeValues() || y.Err == "" && p.mapsAll(y) {
			return
		}
		f := p.found(y.ErrSpan, "frontmatter is not valid YAML: %s", shown(y.Err))
		if y.Err == "" {
			f = p.found(p.Facts().Front.Open, "frontmatter is not valid YAML: its lines are not one mapping")
		}
		f.Help = "write each line as 'key: value', without indentation"
		if edits := p.lineForms(); len(edits) > 0 {
			f.Fixes = []*Fix{p.editFix("Write each line as 'key: value'", edits...)}
		}
		p.emit(f)
	},
}

// plainlySafe reports whether the lines are of a kind that no YAML reader
// takes for anything else: `key: value` with a value of words and harmless
// punctuation. Most files are, and need no YAML library to be told so.
func (p *Pass) plainlySafe() bool {
	lines := p.Facts().Front.Lines
	for i := range lines {
		l := &lines[i]
		if l.Indented || !l.Colon || l.RawKey != l.Key || l.ValueSpan.Start != l.KeySpan.End+len(": ") || !plainWords(l.Value) {
			return false
		}
	}
	return p.frontAccepted()
}

// wordsOfYAML have a meaning to some reader of YAML, in any case.
var wordsOfYAML = []string{"y", "n", "yes", "no", "on", "off", "true", "false", "null"}

// plainWords reports whether a value starts with a letter, holds letters,
// digits, spaces and harmless punctuation alone, and is no word that YAML has a
// meaning for.
func plainWords(s string) bool {
	for i, r := range s {
		letter := r < unicode.MaxASCII && 'a' <= r|0x20 && r|0x20 <= 'z' || r > unicode.MaxASCII && unicode.IsLetter(r)
		if !letter && (i == 0 || !strings.ContainsRune(" 0123456789,.;()/'-_", r)) {
			return false
		}
	}
	return s != "" && !slices.ContainsFunc(wordsOfYAML, func(word string) bool { return strings.EqualFold(word, s) })
}

// frontAccepted reports whether the text check has nothing to say about the
// frontmatter.
func (p *Pass) frontAccepted() bool {
	keys := p.frontKeys()
	seen := map[string]bool{}
	for _, k := range keys {
		if !p.format().allows(k.key) || p.empty(k) || seen[k.key] {
			return false
		}
		seen[k.key] = true
	}
	for _, key := range p.format().required {
		if !seen[key] {
			return false
		}
	}
	return true
}

func (p *Pass) mapsAll(y *facts.YAML) bool {
	for _, key := range p.format().required {
		if y.Field(key) == nil {
			return false
		}
	}
	return true
}

// unsafeValues reports the values that spoil the YAML, or are no strings,
// each by itself.
func (p *Pass) unsafeValues() (reported bool) {
	for _, k := range p.frontKeys() {
		// v1 has values over several lines, which only the whole shows.
		if !k.Colon || k.Value == "" || p.continued(k) {
			continue
		}
		problem := p.valueProblem(k.Value)
		if k.key != "name" && k.key != "description" {
			_, problem = p.Parsers.Value(k.Value) // v1's limit is a number
		}
		if problem == "" {
			continue
		}
		reported = true
		f := p.found(k.ValueSpan, "'%s' is not safe as YAML: %s", k.key, problem)
		f.Help = "put the value into double quotes"
		edit := Edit{Span: k.ValueSpan, New: facts.QuoteYAML(intended(k.Value))}
		f.Fixes = []*Fix{p.editFix(fmt.Sprintf("Quote '%s'", k.key), edit)}
		p.emit(f)
	}
	return reported
}

// continued reports whether a v1 key has lines that belong to its value.
func (p *Pass) continued(k frontKey) bool {
	lines := p.Facts().Front.Lines
	for i := range lines {
		if lines[i].Span == k.Span {
			return p.Role == RoleLegacy && i+1 < len(lines) && lines[i+1].Indented
		}
	}
	return false
}

// typeNames say in words what YAML takes an unquoted value for.
var typeNames = map[string]string{
	"!!int": "a number", "!!float": "a number", "!!bool": "true or false", "!!null": "nothing",
	"!!timestamp": "a date", "!!seq": "a list", "!!map": "a mapping",
}

// valueProblem says what YAML makes of a value that the text check takes as
// it stands, "" when they agree.
func (p *Pass) valueProblem(text string) string {
	v, reason := p.Parsers.Value(text)
	text = strings.TrimSpace(text)
	switch {
	case reason != "":
		return reason
	case !v.IsString() && typeNames[v.Tag] != "":
		return "it reads as " + typeNames[v.Tag]
	case !v.IsString():
		return "it reads as a value of type " + shown(v.Tag)
	case !v.Quoted && v.Value == "":
		return "it reads as an empty text"
	case !v.Quoted && v.Value != text:
		return fmt.Sprintf("it reads as '%s'", shown(v.Value))
	}
	return ""
}

// intended is the text that a value was meant to be: what stands in quotes
// that do not pair up with those inside, else the value itself.
func intended(value string) string {
	inner := value
	if len(value) >= 2 && value[0] == value[len(value)-1] {
		inner = value[1 : len(value)-1]
	}
	switch value[0] {
	case '"':
		return strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(inner)
	case '\'':
		return strings.ReplaceAll(inner, "''", "'")
	}
	return value
}

// lineForms are the edits that give each line the form that YAML needs: no
// indentation, a colon and a space.
func (p *Pass) lineForms() []Edit {
	var edits []Edit
	for _, k := range p.frontKeys() {
		head := Span{Start: k.Span.Start, End: k.ValueSpan.Start}
		want := k.key + ": "
		if string(p.Text()[head.Start:head.End]) != want && !p.continued(k) {
			edits = append(edits, Edit{Span: head, New: want})
		}
	}
	return edits
}
