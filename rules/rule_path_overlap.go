package rules

import "strings"

var rulePathOverlap = &Rule{
	ID:       "path-overlap",
	Severity: Info,
	Summary:  "no memory file stands beside a directory of its name",
	Source:   "spec 6",
	Doc: Doc{
		Checks: "A memory file `human.md` beside a directory `human/` that holds Markdown.",
		Why:    "Both have the same label. An agent that is told of \"human\" opens one and misses the other, and `[[human]]` can mean either.",
		Bad:    "human.md\nhuman/MEMORY.md\nhuman/work.md",
		Good:   "human.md\npeople/MEMORY.md\npeople/work.md",
	},
	place: func(p *Pass) {
		path := p.File.Path
		if !p.Constrained(path) || IsIndex(path) || p.File.Name() == ".md" {
			return
		}
		for f := range p.Tree.Dir(strings.TrimSuffix(path, ".md")).All() {
			if !IsMarkdown(f.Path) {
				continue
			}
			dir := strings.TrimSuffix(path, ".md") + "/"
			f := p.found(Span{}, "stands beside the directory %s", shown(dir))
			f.Help = "rename one of the two, or move the file into the directory"
			p.emit(f)
			return
		}
	},
}
