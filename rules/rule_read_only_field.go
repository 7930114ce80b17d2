package rules

import (
	"strings"

	"github.com/memls/memls/rules/facts"
)

var ruleReadOnlyField = &Rule{
	ID:       "read-only-field",
	Severity: Error,
	Refusal:  true,
	Summary:  "the agent may not set, change or remove read_only in a v1 file",
	Source:   "spec 4; letta-code 0.32.18",
	Doc: Doc{
		Checks: "In the v1 layout, the key `read_only` of a changed file against the last commit: it is not new, not another value, not gone.",
		Why:    "The key protects a file from the agent, so the agent must not be the one to decide about it. The commit is refused.",
		Bad:    "a new file with read_only: true",
		Good:   "a new file with description alone",
		Fix:    "Puts the key back to what was committed.",
	},
	roles: []Role{RoleLegacy},
	text:  checkReadOnlyField,
}

func checkReadOnlyField(p *Pass) {
	front := &p.Facts().Front
	if front.State != facts.FrontClosed || p.Committed || p.locked() {
		return
	}
	old := p.headText()
	was := legacyValue(old, "read_only")
	for _, k := range p.frontKeys() {
		if k.key != "read_only" {
			continue
		}
		switch {
		case len(old) == 0:
			f := p.found(k.Span, "'read_only' is a protected field and cannot be set by the agent")
			f.Help = "delete the line; only a person may protect a file"
			f.Fixes = []*Fix{p.editFix("Delete 'read_only'", deleteLine(p.Text(), k.Span))}
			p.emit(f)
		case k.Value != was:
			f := p.found(k.Span, "'read_only' is a protected field and cannot be changed by the agent")
			f.Help = "put the committed value back"
			switch {
			case was == "":
				f.Fixes = []*Fix{p.editFix("Delete 'read_only'", deleteLine(p.Text(), k.Span))}
			case !strings.Contains(was, "\n"): // else several lines, which none equals
				f.Fixes = []*Fix{p.editFix("Restore 'read_only: "+shown(was)+"'", Edit{Span: k.Span, New: "read_only: " + was})}
			}
			p.emit(f)
		}
	}
	if was != "" && legacyValue(p.Text(), "read_only") == "" {
		f := p.found(front.Open, "'read_only' is a protected field and cannot be removed by the agent")
		f.Help = "put the line 'read_only: " + shown(was) + "' back"
		at := front.Close.Start
		f.Fixes = []*Fix{p.editFix("Restore 'read_only: "+shown(was)+"'", Edit{Span: Span{Start: at, End: at}, New: "read_only: " + was + "\n"})}
		p.emit(f)
	}
}
