package rules

import (
	"strings"

	"github.com/memls/memls/rules/tree"
)

var ruleCaseCollision = &Rule{
	ID:       "case-collision",
	Severity: Warning,
	Summary:  "no two paths are one file where case or Unicode form does not count",
	Source:   "spec 6",
	Doc: Doc{
		Checks: "Every path of the tree, its directories included, against the others after Unicode case folding and NFC normalisation. Both files are reported.",
		Why:    "The file systems of macOS and Windows take the two for one: a checkout loses one of them, and the next commit deletes it.",
		Bad:    "Persona.md\npersona.md",
		Good:   "persona.md\npersona-old.md",
	},
	place: func(p *Pass) {
		path := p.File.Path
		if !hasTwin(p.Tree, path) {
			return
		}
		for _, other := range foldedPaths(p.Tree, path) {
			if other == path {
				continue
			}
			how := "case"
			if !strings.EqualFold(other, path) {
				how = "Unicode form"
			}
			f := p.found(Span{}, "differs only by %s from %s", how, shown(other))
			f.Help = "rename one of the two, or join them"
			f.Related = []Related{{Path: other, Message: "the same file on macOS and Windows"}}
			p.emit(f)
		}
	},
}

// hasTwin reports whether any segment of the path has a twin beside it: there
// is no collision without one, and few paths have any.
func hasTwin(t *tree.Tree, path string) bool {
	d := t.Root()
	for d != nil && path != "" {
		var name string
		name, path, _ = strings.Cut(path, "/")
		if len(d.Twins(name)) > 0 {
			return true
		}
		d = d.Dir(name)
	}
	return false
}
