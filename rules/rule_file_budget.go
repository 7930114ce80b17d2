package rules

var ruleFileBudget = &Rule{
	ID:       "file-budget",
	Severity: Error,
	Refusal:  true,
	Summary:  "a memory file is no longer than its budget",
	Source:   "spec 5; letta-code 0.32.18",
	Doc: Doc{
		Checks: "The Unicode code points of the whole file, frontmatter included, against the first matching entry of `fileCharacterLimits`, else `maxFileCharacters` (20000 in v2).",
		Why:    "Core files are paid for on every call, deferred ones on every read. The commit is refused.",
		Bad:    "a file of 20001 characters",
		Good:   "two files of 10000 characters, both linked from the index",
	},
	place: func(p *Pass) {
		b, ok := p.fileBudget()
		if !ok || b.used <= b.limit {
			return
		}
		f := p.found(Span{}, "%d characters exceeds %d from %s", b.used, b.limit, b.source)
		f.Help = "split the file, and link the parts from the index"
		p.emit(f)
	},
}

// A fileBudget is what a file uses of its cap, both in code points, and where
// the cap comes from.
type fileBudget struct {
	used, limit int64
	source      string
}

// fileBudget is the budget of the pass's file; ok is false where it has none
// or cannot be read.
func (p *Pass) fileBudget() (b fileBudget, ok bool) {
	limits := p.Limits()
	if limits == nil || !p.Constrained(p.File.Path) || !p.File.Mode.IsRegular() {
		return b, false
	}
	if b.limit, b.source, ok = limits.FileLimit(p.File.Path); !ok {
		return b, false
	}
	n, err := charactersOf(p.File)
	if err != nil {
		p.unread(err)
		return b, false
	}
	b.used = int64(n)
	return b, true
}
