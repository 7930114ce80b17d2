package rules

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/memls/memls/rules/facts"
)

// skillKeys are the keys that a skill may have: those of the format, then
// those that Letta reads besides. The value tells whether it is a text.
var skillKeys = map[string]bool{
	"name": true, "description": true, "version": false, "license": true,
	"compatibility": true, "metadata": false, "allowed-tools": false,

	"argument-hint": true, "when_to_use": true, "category": true, "id": true,
	"disable-model-invocation": false, "user-invocable": false, "tags": false,
}

// fields judges frontmatter that is a YAML mapping.
func (s *skillReader) fields() {
	s.name()
	if f := s.text("description", maxSkillDescription); f != nil {
		s.Description = strings.TrimSpace(f.Value)
	}
	s.text("compatibility", maxSkillCompatibility)
	seen := map[string]bool{}
	for _, f := range s.y.Fields {
		isText, known := skillKeys[f.Key]
		switch {
		case seen[f.Key]:
			s.add(Warning, f.KeySpan, "duplicate key '%s': other agents will not load this skill", shown(f.Key)).
				with("keep one of the two", nil)
		case !known && skillKeys[strings.ToLower(f.Key)] && s.y.Field(strings.ToLower(f.Key)) == nil:
			// Reported where the key is missed.
		case !known:
			s.add(Hint, f.KeySpan, "key '%s' is not part of the Agent Skills format", shown(f.Key)).
				with("other agents ignore it; the format's place for keys of your own is metadata", nil)
		case isText && isCollection(&f) && f.Key != "name" && f.Key != "description":
			s.add(Hint, f.ValueSpan, "'%s' reads as %s, not as text", f.Key, typeNames[f.Tag]).
				with("put the value into double quotes", s.quoteSource(&f))
		}
		seen[f.Key] = true
	}
}

func isCollection(f *facts.Field) bool { return f.Tag == "!!seq" || f.Tag == "!!map" }

// quoteSource quotes a list or mapping as it is written, where that is one
// line: brackets were meant to be shown.
func (s *skillReader) quoteSource(f *facts.Field) func(*Pass) []*Fix {
	text := string(s.src[f.ValueSpan.Start:f.ValueSpan.End])
	if text == "" || strings.ContainsAny(text, "\r\n") {
		return nil
	}
	key, edit := f.Key, Edit{Span: f.ValueSpan, New: facts.QuoteYAML(text)}
	return func(p *Pass) []*Fix {
		return []*Fix{p.editFix("Quote '"+key+"'", edit)}
	}
}

// text judges a field that is a text of limited length in code points, folded
// as YAML folds it, and returns it when it is a text. Compatibility alone may
// be missing.
func (s *skillReader) text(key string, limit int) *facts.Field {
	f := s.y.Field(key)
	if f == nil {
		if key != "compatibility" {
			s.missing(key)
		}
		return nil
	}
	value := strings.TrimSpace(f.Value)
	n := utf8.RuneCountInString(value)
	switch {
	case isCollection(f):
		if key != "compatibility" {
			s.add(Warning, f.ValueSpan, "'%s' must be a text, not %s", key, typeNames[f.Tag]).with("write it as text", nil)
		}
		return nil
	case value == "" || f.Tag == "!!null":
		s.add(Warning, f.KeySpan, "'%s' must not be empty", key).with("write a "+key+" after '"+key+":'", s.fill(f))
		return nil
	case n > limit:
		s.add(Warning, f.ValueSpan, "'%s' is too long: %d > %d characters", key, n, limit).
			with("say it shorter; details belong into the text below", nil)
	}
	return f
}

// name judges the name: its form, and that it is the folder's.
func (s *skillReader) name() {
	f := s.text("name", math.MaxInt) // name has its limit in nameProblems
	if f == nil {
		return
	}
	// YAML reads 123 or true as something else; a name is what is written.
	s.Name = strings.TrimSpace(f.Value)
	name, folder := normalName(f.Value), normalName(s.Folder)
	problems := nameProblems(name)
	if name != folder {
		problems = append(problems, fmt.Sprintf("differs from its folder '%s'", shown(s.Folder)))
	}
	if len(problems) == 0 {
		return
	}
	s.add(Warning, f.ValueSpan, "name '%s' %s", shorten(name), strings.Join(problems, ", ")).
		with("a skill is named like its folder, in lower-case letters, digits and single hyphens", nameFixes(f.ValueSpan, name, folder))
}

// missing reports a required key that is not there, or is under other capitals.
func (s *skillReader) missing(key string) {
	help := fmt.Sprintf("add a line '%s: …' to the frontmatter", key)
	for _, f := range s.y.Fields {
		if strings.EqualFold(f.Key, key) {
			edit := Edit{Span: f.KeySpan, New: key}
			s.add(Warning, f.KeySpan, "missing required field '%s' (keys are lower-case)", key).with(help, func(p *Pass) []*Fix {
				return []*Fix{p.editFix("Rename key to '"+key+"'", edit)}
			})
			return
		}
	}
	at := s.y.Text.End
	if key == "name" {
		at = s.y.Text.Start
	}
	edit := Edit{Span: Span{Start: at, End: at}, New: key + ": " + s.derived(key) + eolOf(s.src)}
	s.add(Warning, Span{}, "missing required field '%s': other agents will not load this skill", key).with(help, func(p *Pass) []*Fix {
		return []*Fix{p.editFix("Add '"+key+"'", edit)}
	})
}

// fill gives an empty field its value.
func (s *skillReader) fill(f *facts.Field) func(*Pass) []*Fix {
	if f.Key == "compatibility" || f.Key == "name" && normalName(s.Folder) == "" {
		return nil
	}
	end := max(f.ValueSpan.End, f.KeySpan.End+len(":"))
	for end < len(s.src) && s.src[end] != '\n' && s.src[end] != '\r' {
		end++
	}
	key, edit := f.Key, Edit{Span: Span{Start: f.KeySpan.End, End: end}, New: ": " + s.derived(f.Key)}
	return func(p *Pass) []*Fix {
		return []*Fix{p.editFix("Fill in '"+key+"'", edit)}
	}
}

// derived is the value that a fix gives a key, as YAML.
func (s *skillReader) derived(key string) string {
	if key == "name" {
		return s.parsers.Scalar(facts.Decode(s.Folder))
	}
	return skillDescription(s.parsers, s.src)
}

func skillDescription(parsers *Parsers, src []byte) string {
	if text := shorten(firstParagraph(src)); text != "" {
		return parsers.Scalar(text)
	}
	return parsers.Scalar(Placeholder)
}

// invalidYAML reports frontmatter that no YAML loader takes, once, at the
// first value that is to blame.
func (s *skillReader) invalidYAML() {
	const message = "frontmatter is not valid YAML (%s): other agents will not load this skill"
	first, reason, edits := s.culprits()
	if reason == "" {
		s.add(Warning, s.y.ErrSpan, message, shown(s.y.Err)).with("make the frontmatter a YAML mapping", nil)
		return
	}
	title := "Quote '" + first.Key + "'"
	if len(edits) > 1 {
		title = fmt.Sprintf("Quote %d values", len(edits))
	}
	at := first.ValueSpan
	if i := strings.Index(string(s.src[at.Start:at.End]), ": "); i >= 0 {
		at.Start += i
	}
	s.add(Warning, at, message, shown(reason)).with("put the value into double quotes", func(p *Pass) []*Fix {
		if len(edits) == 0 {
			return nil
		}
		return []*Fix{p.editFix(title, edits...)}
	})
}

// culprits are the top-level values that are not valid YAML by themselves:
// the first one, what the parser says of it, and the edits that quote them.
func (s *skillReader) culprits() (first facts.FrontLine, reason string, edits []Edit) {
	lines := facts.LinesIn(s.src, s.y.Text)
	for i := 0; i < len(lines); {
		l, end := lines[i], lines[i].Span.End
		for i++; i < len(lines) && continuesValue(s.src[lines[i].Span.Start]); i++ {
			end = lines[i].Span.End
		}
		if !l.Colon || continuesValue(s.src[l.Span.Start]) {
			continue
		}
		value := Span{Start: l.ValueSpan.Start, End: max(end, l.ValueSpan.End)}
		_, why := s.parsers.Value(string(s.src[value.Start:value.End]))
		if why == "" {
			continue
		}
		if reason == "" {
			first, reason = l, why
		}
		text := strings.Join(strings.Fields(string(s.src[value.Start:value.End])), " ")
		if l.Value != "" && l.Value[0] != '|' && l.Value[0] != '>' {
			edits = append(edits, Edit{Span: value, New: facts.QuoteYAML(intended(text))})
		}
	}
	return first, reason, edits
}

// continuesValue reports whether a line that starts so belongs to the key
// above it: indented, a list item, a comment.
func continuesValue(c byte) bool { return strings.IndexByte(" \t-#", c) >= 0 }
