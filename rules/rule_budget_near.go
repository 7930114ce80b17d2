package rules

var ruleBudgetNear = &Rule{
	ID:       "budget-near",
	Severity: Warning,
	Summary:  "a file, or the core memory, leaves a tenth of its budget free",
	Source:   "spec 6",
	Doc: Doc{
		Checks: "The size of a memory file against its cap, and of all Markdown at the root against `maxCoreMemoryCharacters`, in code points: more than 90 %, but not over it (then `file-budget` or `core-budget` refuses).",
		Why:    "The next thing that the agent notes down may be refused, in the middle of other work. Now there is time to split the file or to move parts behind an index.",
		Bad:    "a file of 18500 characters where 20000 are allowed",
		Good:   "two files of 9250 characters, both linked from the index",
	},
	place: func(p *Pass) {
		b, ok := p.fileBudget()
		if !ok || !NearLimit(b.used, b.limit) {
			return
		}
		f := p.found(Span{}, "%d characters are %d %% of %d from %s", b.used, percent(b.used, b.limit), b.limit, b.source)
		f.Help = "split the file before it is full, and link the parts from the index"
		p.emit(f)
	},
	whole: func(p *Pass) {
		used, limit, err := p.CoreBudget()
		if err != nil {
			p.unread(err)
			return
		}
		if !NearLimit(used, limit) {
			return
		}
		f := p.found(Span{}, "core memory: %d characters are %d %% of %d from maxCoreMemoryCharacters", used, percent(used, limit), limit)
		f.Scope = ScopeCore
		f.Help = "move what is not needed on every call behind an index: agentcli demote FILE DIR"
		p.emit(f)
	},
}

// NearLimit reports whether more than nine tenths of a limit are used, but not
// more than all; a negative limit is none.
func NearLimit(used, limit int64) bool {
	return limit >= used && float64(used) > 0.9*float64(limit)
}

func percent(used, limit int64) int64 { return int64(float64(used) / float64(limit) * 100) }
