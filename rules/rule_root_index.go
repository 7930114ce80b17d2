package rules

import "strings"

var ruleRootIndex = &Rule{
	ID:       "root-index",
	Severity: Error,
	Refusal:  true,
	Summary:  "a v2 repository has a MEMORY.md at its root",
	Source:   "spec 5; letta-code 0.32.18",
	Doc: Doc{
		Checks: "When the last commit has a root MEMORY.md, the next one has it too.",
		Why:    "The root index marks the repository as v2 and is the first thing an agent reads. Deleting it does not switch the rules off.",
		Bad:    "git rm MEMORY.md",
		Good:   "MEMORY.md with a link to every file",
		Fix:    "Puts the committed index back, or creates one that links to every file and index at the root.",
	},
	whole: func(p *Pass) {
		if !p.V2 || p.Tree.Has(Index) || p.configBroken() {
			return
		}
		f := p.found(Span{}, "root memory index is required for MemFS v2")
		f.Path, f.Scope = Index, ScopeTree
		f.Help = "create MEMORY.md at the root"
		if old := p.Head.File(Index); old != nil && old.Mode.IsRegular() {
			f.Fixes = append(f.Fixes, newFix("restore:"+Index, "Restore the committed MEMORY.md", func() ([]Op, error) {
				src, err := old.Bytes()
				return []Op{{Kind: OpCreate, Path: Index, Content: string(src)}}, err
			}))
		}
		f.Fixes = append(f.Fixes, newFix("index:"+Index, "Create MEMORY.md", func() ([]Op, error) {
			return []Op{{Kind: OpCreate, Path: Index, Content: p.indexText("", nil)}}, nil
		}))
		p.emit(f)
	},
}

// rootTitle is the heading of a new root index.
const rootTitle = "Memory"

func indexTitle(dir string) string {
	if dir == "" {
		return rootTitle
	}
	if t := Title(dir); t != "" {
		return t
	}
	return strings.TrimSpace(base(dir))
}
