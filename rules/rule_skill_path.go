package rules

import (
	"strings"
)

var ruleSkillPath = &Rule{
	ID:       "skill-path",
	Severity: Error,
	Refusal:  true,
	Summary:  "a skill is a folder with a SKILL.md, not a flat file",
	Source:   "spec 3; letta-code 0.32.18",
	Doc: Doc{
		Checks: "No Markdown file lies flat in `skills/` (v1 also `memory/skills/`). A commit is refused only when it adds, changes or renames such a file; an old one is a warning.",
		Why:    "Skills are found as `skills/<name>/SKILL.md`; a flat file is never loaded.",
		Bad:    "skills/deploy.md",
		Good:   "skills/deploy/SKILL.md",
		Fix:    "Moves the file into a folder of its name.",
	},
	place: func(p *Pass) {
		path := p.File.Path
		if !flatSkill(path, p.V2Front) {
			return
		}
		f := p.found(Span{}, "invalid skill path (skills must be folders). Use skills/<name>/SKILL.md")
		if !p.Changed(path) {
			f.Severity = Warning
		}
		to := strings.TrimSuffix(path, ".md") + "/SKILL.md"
		f.Help = "move the file to " + Display(to)
		if !p.Tree.Has(to) {
			f.Fixes = []*Fix{newFix("rename:"+path+"\x00"+to, "Move to "+Display(to), func() ([]Op, error) {
				return []Op{{Kind: OpRename, Path: path, To: to}}, nil
			})}
		}
		p.emit(f)
	},
}
