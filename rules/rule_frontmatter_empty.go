package rules

import "fmt"

var ruleFrontmatterEmpty = &Rule{
	ID:       "frontmatter-empty",
	Severity: Error,
	Refusal:  true,
	Summary:  "frontmatter values must not be empty",
	Source:   "spec 4; letta-code 0.32.18",
	Doc: Doc{
		Checks: "`name` and `description` have a value; `\"\"` and `''` count as empty. v1 asks this of `description` alone.",
		Why:    "An agent decides by the description whether to read the file. The commit is refused.",
		Bad:    "---\nname: Human\ndescription:\n---",
		Good:   "---\nname: Human\ndescription: The user\n---",
		Fix:    "Fills in a name taken from the path or a description taken from the text.",
	},
	roles: frontRoles,
	text: func(p *Pass) {
		for _, k := range p.frontKeys() {
			if !p.format().allows(k.key) || !p.empty(k) || p.Role == RoleLegacy && k.key != "description" {
				continue
			}
			span := k.KeySpan
			if k.ValueSpan.Start < k.ValueSpan.End {
				span = k.ValueSpan
			}
			f := p.found(span, "'%s' must not be empty", k.key)
			f.Help = fmt.Sprintf("write a %s after '%s:'", k.key, k.key)
			value := p.derivedValue(k.key, string(p.Text()))
			f.Fixes = []*Fix{p.editFix(fmt.Sprintf("Fill in '%s'", k.key), Edit{Span: Span{Start: k.KeySpan.End, End: k.Span.End}, New: ": " + value})}
			p.emit(f)
		}
	},
}
