package rules

import (
	"fmt"

	"github.com/memls/memls/rules/facts"
)

var ruleFrontmatterRequired = &Rule{
	ID:       "frontmatter-required",
	Severity: Error,
	Refusal:  true,
	Summary:  "frontmatter has every required key",
	Source:   "spec 4; letta-code 0.32.18",
	Doc: Doc{
		Checks: "v2 frontmatter has `name` and `description`, v1 has `description`.",
		Why:    "An agent decides by them whether to read the file. The commit is refused.",
		Bad:    "---\nname: Human\n---",
		Good:   "---\nname: Human\ndescription: The user\n---",
		Fix:    "Adds the key with a name taken from the path or a description taken from the text.",
	},
	roles: frontRoles,
	text: func(p *Pass) {
		front := &p.Facts().Front
		if front.State != facts.FrontClosed || p.locked() {
			return
		}
		keys := p.frontKeys()
		for _, key := range p.format().required {
			if hasKey(keys, key) {
				continue
			}
			f := p.found(front.Open, "missing required field '%s'", key)
			f.Help = fmt.Sprintf("add a line '%s: …' to the frontmatter", key)
			// Where a key means to be this one, renaming it is the better fix,
			// and both together would make a duplicate.
			if firstMeant(keys, key) == nil {
				f.Fixes = []*Fix{p.addKey(key)}
			}
			p.emit(f)
		}
	},
}

// addKey adds the key where people look for it: the name first, the rest
// last. New lines end as the fence does.
func (p *Pass) addKey(key string) *Fix {
	front := &p.Facts().Front
	src := p.Text()
	at := front.Close.Start
	if key == "name" {
		at = front.Open.End + 1
	}
	line := key + ": " + p.derivedValue(key, string(src)) + "\n"
	return p.editFix(fmt.Sprintf("Add '%s'", key), Edit{Span: Span{Start: at, End: at}, New: line})
}
