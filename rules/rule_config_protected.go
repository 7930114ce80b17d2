package rules

import "github.com/memls/memls/rules/config"

var ruleConfigProtected = &Rule{
	ID:       "config-protected",
	Severity: Error,
	Refusal:  true,
	Summary:  "only a person may change .memfs.config.json",
	Source:   "spec 5; letta-code 0.32.18",
	Doc: Doc{
		Checks: "The commit does not add, change or delete `.memfs.config.json`, unless the environment has `LETTA_MEMORY_CONSTRAINTS_UPDATE=1` or `MEMLS_APPROVE_CONFIG=1`.",
		Why:    "The file holds the agent's own limits; an agent that can lift them has none.",
		Bad:    "git add .memfs.config.json && git commit",
		Good:   "MEMLS_APPROVE_CONFIG=1 git commit, typed by a person",
	},
	whole: func(p *Pass) {
		if p.ApproveConfig || p.Committed {
			return
		}
		change, err := p.ChangeOf(config.Path)
		if err != nil {
			p.fail(err)
			return
		}
		if change == Unchanged {
			return
		}
		f := p.found(Span{}, ".memfs.config.json is protected and requires human approval to change")
		f.Path, f.Line = config.Path, f.Message
		if change == Deleted {
			f.Scope = ScopeTree
		}
		f.Help = "if you are the person: MEMLS_APPROVE_CONFIG=1 git commit … (of a push, on the server); else take the change back"
		p.emit(f)
	},
}
