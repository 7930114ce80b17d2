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
		limits := p.Limits()
		if limits == nil || !p.Constrained(p.File.Path) || !p.File.Mode.IsRegular() {
			return
		}
		limit, source, ok := limits.FileLimit(p.File.Path)
		if !ok {
			return
		}
		n, err := charactersOf(p.File)
		if err != nil {
			p.unread(err)
			return
		}
		if int64(n) <= limit {
			return
		}
		f := p.found(Span{}, "%d characters exceeds %d from %s", n, limit, source)
		f.Help = "split the file, and link the parts from the index"
		p.emit(f)
	},
}
