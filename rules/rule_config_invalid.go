package rules

import (
	"strings"

	"github.com/memls/memls/rules/config"
)

var ruleConfigInvalid = &Rule{
	ID:       "config-invalid",
	Severity: Error,
	Refusal:  true,
	Summary:  ".memfs.config.json must be valid",
	Source:   "spec 5; letta-code 0.32.18",
	Doc: Doc{
		Checks: "`.memfs.config.json` is a regular file with a JSON object of the known fields, each with a value of its kind.",
		Why:    "A limit that is misspelt is no limit. While the file is broken, no depth or budget is judged, and every commit is refused.",
		Bad:    `{"version": 1, "maxdepth": 2}`,
		Good:   `{"version": 1, "maxDepth": 2}`,
		Fix:    "Renames a field that is misspelt in its capitals, adds a missing version, deletes an unknown field.",
	},
	whole: func(p *Pass) {
		st := p.config()
		if st.irregular {
			f := p.found(Span{}, "constraint config must be a regular file")
			f.Path = config.Path
			f.Help = "replace the link or submodule by the file itself"
			p.emit(f)
			return
		}
		for _, problem := range st.problems {
			f := p.found(Span{Start: problem.Start, End: problem.End}, "%s", strings.TrimPrefix(problem.Message, config.Path+": "))
			f.Path, f.Line, f.FirstLine = config.Path, shown(problem.Message), false
			f.Help = "see the rule's page for the fields and their values"
			f.Fixes = configFixes(st.file, problem)
			p.emit(f)
		}
	},
}
