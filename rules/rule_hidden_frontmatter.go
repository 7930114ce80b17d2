package rules

import "github.com/memls/memls/rules/facts"

var ruleHiddenFrontmatter = &Rule{
	ID:       "hidden-frontmatter",
	Severity: Warning,
	Summary:  "an index has no frontmatter that the hook overlooks",
	Source:   "spec 6",
	Doc: Doc{
		Checks: "A MEMORY.md does not start with a frontmatter block that a byte order mark, CRLF line ends, a space after the dashes or blank lines hide from the hook. A key `name`, `description`, `label`, `limit` or `read_only` tells a block from text between two horizontal rules.",
		Why:    "An index must not have frontmatter. The hook looks for a line that is exactly `---` and lets this pass, but the lines are in the agent's prompt, and the next tool that saves the file with LF makes it refused.",
		Bad:    "---\\r\\nname: Memory\\r\\n---\\r\\n# Memory",
		Good:   "# Memory",
		Fix:    "Removes the block.",
	},
	roles: []Role{RoleIndex},
	text: func(p *Pass) {
		src := p.Text()
		front := &p.Facts().Front
		if front.State != facts.FrontMissing {
			return // index-frontmatter sees it
		}
		start := 0
		if p.Facts().BOM {
			start = len("\uFEFF")
		}
		block, ok := p.Parsers.blockAt(src, start)
		if !ok {
			return
		}
		f := p.found(block.Span, "MEMORY.md must not have frontmatter (the hook overlooks it: %s)", p.hiddenBy(block))
		f.Help = "remove the lines from --- to ---"
		// From the start, so that what hides it goes too.
		f.Fixes = []*Fix{p.editFix("Remove the frontmatter", Edit{Span: Span{End: block.body}})}
		p.emit(f)
	},
}

// hiddenBy says what the text check stumbles over.
func (p *Pass) hiddenBy(block frontBlock) string {
	switch src := p.Text(); {
	case p.Facts().BOM:
		return "a byte order mark stands before it"
	case block.Start > 0:
		return "blank lines stand before it"
	case src[3] == '\r':
		return "lines end in CRLF"
	}
	return "white space stands after the dashes"
}
