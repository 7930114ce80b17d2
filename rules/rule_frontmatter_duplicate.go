package rules

import "fmt"

var ruleFrontmatterDuplicate = &Rule{
	ID:       "frontmatter-duplicate",
	Severity: Error,
	Refusal:  true,
	Summary:  "each frontmatter key stands once",
	Source:   "spec 4; letta-code 0.32.18",
	Doc: Doc{
		Checks: "No key of v2 frontmatter stands twice.",
		Why:    "Tools disagree about which of the two counts. The commit is refused.",
		Bad:    "---\nname: A\ndescription: one\ndescription: two\n---",
		Good:   "---\nname: A\ndescription: one\n---",
		Fix:    "Deletes a second line that says the same; which of two different values goes is yours to say.",
	},
	roles: []Role{RoleMemory},
	text: func(p *Pass) {
		first := map[string]frontKey{}
		for _, k := range p.frontKeys() {
			before, seen := first[k.key]
			if !seen {
				first[k.key] = k
			}
			if !seen || !p.format().allows(k.key) {
				continue
			}
			f := p.found(k.KeySpan, "duplicate frontmatter key '%s'", k.key)
			f.Help = "keep one of the two lines"
			f.Related = []Related{{Path: p.File.Path, Span: before.KeySpan, Message: "first '" + k.key + "' is here"}}
			fix := p.editFix(fmt.Sprintf("Delete the second '%s'", k.key), deleteLine(p.Text(), k.Span))
			if before.Value != k.Value {
				fix.asGuess()
			}
			f.Fixes = []*Fix{fix}
			if p.conflicted() {
				f.Group, f.Fixes = p.conflictGroup(), nil
			}
			p.emit(f)
		}
	},
}
