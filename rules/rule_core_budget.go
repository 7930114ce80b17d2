package rules

import "github.com/memls/memls/rules/config"

var ruleCoreBudget = &Rule{
	ID:       "core-budget",
	Severity: Error,
	Refusal:  true,
	Summary:  "the core memory as a whole is no longer than its budget",
	Source:   "spec 5; letta-code 0.32.18",
	Doc: Doc{
		Checks: "The sum of the code points of all Markdown at the root, the index included, against `maxCoreMemoryCharacters` (65536 in v2).",
		Why:    "All of it is in the system prompt of every call. The commit is refused.",
		Bad:    "MEMORY.md and four files of 20000 characters at the root",
		Good:   "the rarely used files moved into a directory with an index",
	},
	whole: func(p *Pass) {
		used, limit, err := p.CoreBudget()
		if err != nil {
			p.unread(err)
			return
		}
		if limit < 0 || used <= limit {
			return
		}
		f := p.found(Span{}, "core memory: %d characters exceeds %d from maxCoreMemoryCharacters", used, limit)
		f.Scope = ScopeCore
		f.Help = "move what is not needed on every call behind an index: agentcli demote FILE DIR"
		p.emit(f)
	},
}

// CoreBudget is the size of the core memory and its limit, both in code
// points; the limit is -1 where there is none.
func (v *View) CoreBudget() (used, limit int64, err error) {
	limits := v.Limits()
	limit = -1
	if limits != nil && limits.MaxCore != nil && v.Policy == config.RootMarker {
		limit = *limits.MaxCore
	}
	for f := range v.Tree.Root().Files() {
		if !v.Constrained(f.Path) || !IsCore(f.Path) || !f.Mode.IsRegular() {
			continue
		}
		n, err := charactersOf(f)
		if err != nil {
			return 0, limit, err
		}
		used += int64(n)
	}
	return used, limit, nil
}
