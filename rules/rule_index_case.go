package rules

import (
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/tree"
)

var ruleIndexCase = &Rule{
	ID:       "index-case",
	Severity: Warning,
	Summary:  "an index is named MEMORY.md and a skill's text SKILL.md, in capitals",
	Source:   "spec 1 and 8",
	Doc: Doc{
		Checks: "A file such as `memory.md` at the root, or in a directory of a v2 repository, that has no MEMORY.md; a file such as `skill.md` in the folder of a skill that has no SKILL.md.",
		Why:    "The names are compared to the letter. A root `memory.md` leaves the repository in the v1 layout without a word; in a directory it hides everything below; a skill is not found on Linux.",
		Bad:    "MEMORY.md\nprojects/memory.md",
		Good:   "MEMORY.md\nprojects/MEMORY.md",
		Fix:    "Renames the file. At the root of a repository that is not v2 a person has to decide, since the rename makes it one.",
	},
	place: func(p *Pass) {
		path := p.File.Path
		dir := dirOf(path)
		var want, message string
		switch name := tree.FoldName(base(path)); {
		case name == "skill.md" && dir != "" && dir == skillRoot(path):
			want, message = "SKILL.md", "must be SKILL.md"
		case name != "memory.md" || InSkills(path) || p.Policy == config.SharedMemory:
			return
		case p.V2:
			want, message = Index, "must be MEMORY.md to be an index"
		case dir == "":
			want, message = Index, "did you mean MEMORY.md? The root index of a v2 repository is named in capitals"
		default:
			return
		}
		if base(path) == want || p.Tree.Has(joinPath(dir, want)) {
			return // the latter is a case-collision
		}
		f := p.found(Span{}, "%s", message)
		f.Help = "rename it; on macOS and Windows in two steps: git mv " + base(path) + " x && git mv x " + want
		fix := renameFix(path, joinPath(dir, want))
		if !p.V2 && want == Index || len(p.Tree.Dir(dir).Twins(base(path))) > 0 {
			fix.asGuess()
		}
		f.Fixes = []*Fix{fix}
		p.emit(f)
	},
}

// renameFix renames a file within its directory. It is the same change for
// every rule that asks for it.
func renameFix(from, to string) *Fix {
	return newFix("rename:"+from+"\x00"+to, "Rename "+Display(from)+" to "+base(to), func() ([]Op, error) {
		return []Op{{Kind: OpRename, Path: from, To: to}}, nil
	})
}
