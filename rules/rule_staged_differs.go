package rules

import (
	"github.com/memls/memls/rules/tree"
)

var ruleStagedDiffers = &Rule{
	ID:       "staged-differs",
	Severity: Hint,
	Summary:  "a file that was mended is staged again before the commit",
	Source:   "spec 3; case GIT-06",
	Doc: Doc{
		Checks: "A file that differs from its staged copy, where staging it again would end refusals that the staged copy still has.",
		Why:    "The hook judges what is staged, not what is on disk: the commit is refused although the file looks right.",
		Bad:    "git add a.md, then the error in a.md is mended, then git commit",
		Good:   "git add a.md again",
	},
	place: func(p *Pass) {
		path := p.File.Path
		old := p.Staged.File(path)
		if old == nil || old.Unmerged || !p.Constrained(path) || !old.Mode.IsRegular() || !p.File.Mode.IsRegular() {
			return
		}
		if same, err := tree.SameContent(old, p.File); err != nil || same {
			return // what cannot be read is reported as that
		}
		n := p.mendedByStaging(old)
		if n == 0 {
			return
		}
		f := p.found(Span{}, "the staged copy still has %s", counted(n, "problem"))
		if old.IntentToAdd {
			f.Message = "is only marked for adding (git add -N): the hook takes it for empty"
		}
		f.Help = "stage the file again: git add " + Display(path)
		p.emit(f)
	},
}

// mendedByStaging counts the refusals that the staged copy of the pass's file
// has and would not have if the file was staged as it is now.
func (p *Pass) mendedByStaging(old *tree.File) int {
	before := p.stagedView(p.Staged).refusalsOf(old, func() ([]byte, error) { return p.stagedText(old) })
	if len(before) == 0 {
		return 0
	}
	now := p.stagedView(p.Staged.With([]*tree.File{p.File})).refusalsOf(p.File, p.File.Bytes)
	n := 0
	for key, count := range before {
		n += max(count-now[key], 0)
	}
	return n
}

// stagedView is what the hook would judge if t was staged.
func (v *View) stagedView(t *tree.Tree) *View {
	s := v.Snapshot
	s.Tree, s.Staged, s.Load = t, nil, nil
	return NewView(s)
}

// stagedText is the text of the staged copy of the pass's file. It is kept while
// the file is typed in, since every keystroke asks for it.
func (p *Pass) stagedText(old *tree.File) ([]byte, error) {
	if !p.File.Unsaved {
		return old.Bytes()
	}
	text, err := memo(old, textKey, nil, func(src []byte) *[]byte { return &src })
	if err != nil {
		return nil, err
	}
	return *text, nil
}

// refusalsOf counts what refuses one file, by rule and message. Rules that are
// no refusals do not run: this one would ask itself.
func (v *View) refusalsOf(f *tree.File, text func() ([]byte, error)) map[string]int {
	j := &judgement{View: v, opt: Options{RefusalsOnly: true}, rules: ruleSet(true)}
	role := v.RoleOf(f.Path)
	if role != RoleNone {
		if src, err := text(); err == nil {
			j.run(f, role, src, j.rules.text)
		}
	}
	j.run(f, role, nil, j.rules.place)
	counts := map[string]int{}
	for i := range j.out.Findings {
		if found := &j.out.Findings[i]; found.Severity == Error {
			counts[found.Rule.ID+"\x00"+withoutDigits(found.Message)]++
		}
	}
	return counts
}
