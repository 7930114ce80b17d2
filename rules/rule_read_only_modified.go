package rules

import "github.com/memls/memls/rules/facts"

var ruleReadOnlyModified = &Rule{
	ID:       "read-only-modified",
	Severity: Error,
	Refusal:  true,
	Summary:  "a v1 file that is read_only at the last commit cannot be modified",
	Source:   "spec 4; letta-code 0.32.18",
	Doc: Doc{
		Checks: "In the v1 layout, a changed file whose version at the last commit says `read_only: true`.",
		Why:    "Such files belong to the harness or to a person; the agent may only read them. The commit is refused.",
		Bad:    "a change of the text of system/rules.md, which says read_only: true",
		Good:   "the file as it was",
		Fix:    "Puts the committed text back.",
	},
	roles: []Role{RoleLegacy},
	text: func(p *Pass) {
		if p.Facts().Front.State != facts.FrontClosed || !p.locked() {
			return
		}
		f := p.found(p.Facts().Front.Open, "file is read_only and cannot be modified")
		f.Help = "take the change back; only a person may change this file"
		old := p.headText()
		f.Fixes = []*Fix{p.editFix("Restore the committed text", minimalEdit(p.Text(), old)).asGuess()}
		p.emit(f)
	},
}
