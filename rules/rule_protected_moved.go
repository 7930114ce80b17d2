package rules

import (
	"github.com/memls/memls/rules/tree"
)

var ruleProtectedMoved = &Rule{
	ID:       "protected-moved",
	Severity: Warning,
	Summary:  "a v1 file that is read_only stays where it is",
	Source:   "spec 6",
	Doc: Doc{
		Checks: "In the v1 layout, against the last commit: a file with `read_only: true` that is gone (deleted or renamed) or is now a link; and a change of a file whose `read_only` is true for YAML, but spelt otherwise, such as `\"true\"`.",
		Why:    "read_only protects the file from the agent. The hook compares the exact text of files that are still there, so these changes pass it.",
		Bad:    "git mv system/rules.md system/old-rules.md",
		Good:   "system/rules.md as it was",
		Fix:    "Puts the committed file back.",
	},
	place: func(p *Pass) {
		if p.Role != RoleLegacy || p.Committed {
			return
		}
		old := p.Head.File(p.File.Path)
		if change, err := p.ChangeOf(p.File.Path); old == nil || err != nil || change == Unchanged {
			return
		}
		protected, exact := p.Parsers.protection(old)
		if !protected || exact && old.Mode.Type() == p.File.Mode.Type() {
			return // a change of what is marked exactly is refused
		}
		f := p.found(Span{}, "file is read_only at the last commit, in a spelling that the hook lets pass")
		if exact {
			f.Message = "file is read_only at the last commit, and is no regular file now"
		}
		f.Help = "take the change back; only a person may change this file"
		p.emit(f)
	},
	whole: func(p *Pass) {
		if p.V2Front || p.Committed || p.Head == nil {
			return
		}
		for _, dir := range [...]string{"memory/reference", "memory/system", "reference", "system"} {
			p.checkGone(p.Head.Dir(dir), p.Tree.Dir(dir))
		}
	},
}

// checkGone compares the names in a directory at the last commit with those of
// now. Only files that are gone are read.
func (p *Pass) checkGone(was, is *tree.Dir) {
	tree.DiffDirs(was, is, func(old, now *tree.File) {
		if old == nil || now != nil || !IsMarkdown(old.Path) {
			return
		}
		if protected, _ := p.Parsers.protection(old); protected {
			p.reportGone(old)
		}
	})
}

func (p *Pass) reportGone(old *tree.File) {
	f := p.found(Span{}, "file is read_only at the last commit, and was deleted")
	f.Path, f.Scope = old.Path, ScopeTree
	f.Help = "put the file back; only a person may move or delete it"
	if to := p.movedTo(old); to != "" {
		f.Message = "file is read_only at the last commit, and was moved to " + shown(to)
		f.Related = []Related{{Path: to, Message: "where it is now"}}
	}
	if p.Tree.Dir(old.Path) == nil {
		f.Fixes = []*Fix{newFix("restore:"+old.Path, "Restore the committed "+Display(old.Path), func() ([]Op, error) {
			src, err := old.Bytes()
			return []Op{{Kind: OpCreate, Path: old.Path, Content: string(src)}}, err
		}).asGuess()}
	}
	p.emit(f)
}

// movedTo is where a file went: to a new path of its name, or to a new name in
// its directory with its content.
func (p *Pass) movedTo(old *tree.File) string {
	for _, path := range p.Tree.Named(base(old.Path)) {
		if !p.Head.Has(path) {
			return path
		}
	}
	for f := range p.Tree.Dir(dirOf(old.Path)).Files() {
		if f.OID != "" && f.OID == old.OID && !p.Head.Has(f.Path) {
			return f.Path
		}
	}
	return ""
}

// protection tells whether a committed v1 file is marked read_only, and
// whether so in the exact spelling that the hook knows.
func (p *Parsers) protection(f *tree.File) (protected, exact bool) {
	if !f.Mode.IsRegular() {
		return false, false
	}
	if src, err := f.Bytes(); err == nil && legacyValue(src, "read_only") == "true" {
		return true, true
	}
	y, err := p.yamlOf(f)
	if err != nil {
		return false, false
	}
	field := y.Field("read_only")
	return field != nil && isYAMLTrue(field.Value), false
}

// isYAMLTrue reports whether some YAML reader takes the scalar, quoted or not,
// for true.
func isYAMLTrue(s string) bool {
	switch s {
	case "true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON":
		return true
	}
	return false
}
