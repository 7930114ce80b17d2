package rules

import "github.com/memls/memls/rules/facts"

var ruleIndexFrontmatter = &Rule{
	ID:       "index-frontmatter",
	Severity: Error,
	Refusal:  true,
	Summary:  "an index must not have frontmatter",
	Source:   "spec 4; letta-code 0.32.18",
	Doc: Doc{
		Checks: "The first line of a MEMORY.md, at any level, is not `---`.",
		Why:    "An index is all text: it is read whole, and needs no description of its own. The commit is refused.",
		Bad:    "---\nname: Projects\n---\n# Projects",
		Good:   "# Projects",
		Fix:    "Removes the frontmatter. Without a closing fence only the line `---` goes.",
	},
	roles: []Role{RoleIndex},
	text: func(p *Pass) {
		front := &p.Facts().Front
		if front.State == facts.FrontMissing {
			return
		}
		span := Span{Start: front.Open.Start, End: front.Close.End}
		if front.State == facts.FrontUnclosed {
			span = front.Open
		}
		f := p.found(span, "MEMORY.md must not have frontmatter")
		f.Help = "remove the lines from --- to ---"
		f.Fixes = []*Fix{p.editFix("Remove the frontmatter", deleteLine(p.Text(), span))}
		p.emit(f)
	},
}
