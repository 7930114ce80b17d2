package rules

import (
	"bytes"
	"strings"
)

var rulePlaceholder = &Rule{
	ID:       "placeholder",
	Severity: Info,
	Summary:  "a name or description is more than what a fix left to be filled in",
	Source:   "spec 6",
	Doc: Doc{
		Checks: "No `name` or `description` holds \"" + Placeholder + "\", which our fixes write where a file has no text to take a description from.",
		Why:    "The description is all that an agent knows of a file before it reads it.",
		Bad:    "---\nname: Deploy\ndescription: " + Placeholder + "\n---",
		Good:   "---\nname: Deploy\ndescription: How we deploy\n---",
	},
	roles: []Role{RoleMemory, RoleLegacy, RoleSkill},
	text: func(p *Pass) {
		// A look at the text saves nearly every file the YAML library; only a
		// skill may have it folded over lines.
		if p.Role != RoleSkill && !bytes.Contains(p.Text(), []byte(Placeholder)) {
			return
		}
		for _, field := range p.yaml().Fields {
			if field.Key != "name" && field.Key != "description" || strings.TrimSpace(field.Value) != Placeholder {
				continue
			}
			f := p.found(field.ValueSpan, "'%s' is a placeholder", field.Key)
			f.Help = "say in one line what the file is about"
			p.emit(f)
		}
	},
}
