package rules

import "github.com/memls/memls/rules/tree"

var ruleRegularFile = &Rule{
	ID:       "regular-file",
	Severity: Error,
	Refusal:  true,
	Summary:  "memory Markdown is a regular file, no link and no submodule",
	Source:   "spec 5; letta-code 0.32.18",
	Doc: Doc{
		Checks: "A Markdown path that is judged has the mode of a regular file.",
		Why:    "A link may point out of the repository or to nothing; a submodule has no text. Neither is followed. The commit is refused.",
		Bad:    "link.md -> ../secrets.md",
		Good:   "link.md with text of its own",
	},
	place: func(p *Pass) {
		if p.File.Mode.IsRegular() || p.Role == RoleSkill || p.Role == RoleNone || p.Role == RoleConfig {
			return
		}
		// Without limits the reference reads the link's target as the file's
		// text and refuses that; an index alone may say anything. What it cannot
		// read, a submodule, it refuses always.
		if limits := p.Limits(); limits == nil && (!p.Enforced() || p.Role == RoleIndex && p.File.Mode != tree.Gitlink) {
			return
		}
		f := p.found(Span{}, "memory Markdown must be a regular file")
		f.Help = "replace the link or submodule by a file, or take it out of the repository"
		p.emit(f)
	},
}
