package rules

import "strings"

var ruleMaxDepth = &Rule{
	ID:       "max-depth",
	Severity: Error,
	Refusal:  true,
	Summary:  "a memory file lies at most maxDepth directories deep",
	Source:   "spec 5; letta-code 0.32.18",
	Doc: Doc{
		Checks: "The number of directories above a memory file: `projects/archive/2025.md` has depth 2. The limit is `maxDepth` of `.memfs.config.json`, 2 in v2.",
		Why:    "Each level is one more index to read before the agent gets to the file. The commit is refused.",
		Bad:    "projects/archive/2025/q1.md",
		Good:   "projects/archive/2025-q1.md",
	},
	place: func(p *Pass) {
		limits := p.Limits()
		if limits == nil || limits.MaxDepth == nil || !p.Constrained(p.File.Path) || !p.File.Mode.IsRegular() {
			return
		}
		depth := int64(strings.Count(p.File.Path, "/"))
		if depth <= *limits.MaxDepth {
			return
		}
		f := p.found(Span{}, "depth %d exceeds maxDepth %d", depth, *limits.MaxDepth)
		f.Help = "move the file up, or join directories into one"
		p.emit(f)
	},
}
