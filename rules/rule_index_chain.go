package rules

import (
	"fmt"
	"strings"

	"github.com/memls/memls/rules/tree"
)

var ruleIndexChain = &Rule{
	ID:       "index-chain",
	Severity: Error,
	Refusal:  true,
	Summary:  "every directory above a memory file has its own MEMORY.md",
	Source:   "spec 1 and 5; letta-code 0.32.18",
	Doc: Doc{
		Checks: "Each directory above a Markdown file (skills/ apart) holds a MEMORY.md. The topmost missing one is named, once for each file below it.",
		Why:    "An agent finds deferred memory by reading indexes from the top. Below a gap everything does not exist for it. The commit is refused.",
		Bad:    "MEMORY.md\nnotes/idea.md",
		Good:   "MEMORY.md\nnotes/MEMORY.md\nnotes/idea.md",
		Fix:    "Creates every missing index on the way, each with a heading from the directory's name and a link to every file and index in it.",
	},
	place: func(p *Pass) {
		path := p.File.Path
		if !p.V2 || !p.Constrained(path) || p.configBroken() {
			return
		}
		gap := p.Gap(path)
		if gap == "" {
			return
		}
		f := p.found(Span{}, "missing required index %s", shown(gap))
		f.Help = "create " + Display(gap)
		f.Fixes = p.chainFixes(path, gap)
		p.emit(f)
	},
}

// chainFixes mend the gap above path: by renaming an index that is misspelt
// in its capitals, else by creating every missing index on the way down.
func (p *Pass) chainFixes(path, gap string) []*Fix {
	if wrong := p.misspeltIndex(dirOf(gap)); wrong != nil {
		from := wrong.Path
		return []*Fix{newFix("rename:"+from+"\x00"+gap, "Rename "+Display(from)+" to "+Index, func() ([]Op, error) {
			return []Op{{Kind: OpRename, Path: from, To: gap}}, nil
		})}
	}
	missing := p.missingIndexes(path)
	title := "Create " + Display(missing[0])
	if n := len(missing) - 1; n > 0 {
		title += fmt.Sprintf(" and %d more", n)
	}
	return []*Fix{newFix("index:"+strings.Join(missing, "\x00"), title, func() ([]Op, error) {
		return p.View.createIndexes(missing), nil
	})}
}

// missingIndexes are the indexes missing above path, topmost first.
func (v *View) missingIndexes(path string) []string {
	var missing []string
	for dir := dirOf(path); dir != ""; dir = dirOf(dir) {
		if v.Tree.Dir(dir).File(Index) == nil {
			missing = append([]string{joinPath(dir, Index)}, missing...)
		}
	}
	return missing
}

// misspeltIndex is a file of the directory that is named like an index but
// for its capitals.
func (v *View) misspeltIndex(dir string) *tree.File {
	d := v.Tree.Dir(dir)
	for _, name := range d.Twins(Index) {
		if f := d.File(name); f != nil && f.Mode.IsRegular() {
			return f
		}
	}
	return nil
}

func (v *View) createIndexes(paths []string) []Op {
	coming := map[string]bool{}
	for _, path := range paths {
		coming[path] = true
	}
	ops := make([]Op, 0, len(paths))
	for _, path := range paths {
		ops = append(ops, Op{Kind: OpCreate, Path: path, Content: v.indexText(dirOf(path), coming)})
	}
	return ops
}
