package rules

import (
	"bytes"
	"strings"

	"github.com/memls/memls/rules/facts"
)

var ruleConflictMarker = &Rule{
	ID:       "conflict-marker",
	Severity: Error,
	Summary:  "no unresolved merge is left in a file",
	Source:   "spec 6",
	Doc: Doc{
		Checks: "Lines that start with `<<<<<<<`, `=======` and `>>>>>>>` do not stand in a file as a set, in this order. Code fences are left alone, and so is a line of `=` that underlines a heading.",
		Why:    "Both sides of the merge and git's marks between them end up in the agent's memory. It is an error although the hook, like the reference's, only stumbles over such lines in frontmatter.",
		Bad:    "<<<<<<< HEAD\n- likes pnpm\n=======\n- likes npm\n>>>>>>> laptop",
		Good:   "- likes pnpm",
		Fix:    "Keeps one side or both; which is yours to say.",
	},
	roles: []Role{RoleMemory, RoleIndex, RoleLegacy, RoleSkill},
	text: func(p *Pass) {
		src := p.Text()
		for _, c := range conflictsIn(src, nil) {
			what := "unresolved merge conflict"
			front := &p.Facts().Front
			inFront := front.State == facts.FrontClosed && c.Start < front.Close.Start
			switch {
			case inFront:
				what = "merge conflict in frontmatter"
			case inside(p.fences(), c.Start):
				continue
			}
			f := p.found(c.Span, "%s", conflictMessage(src, c.Span, what))
			f.Help = "choose a side, delete the marks, and stage the file"
			f.Fixes = p.resolutions(c, inFront)
			p.emit(f)
		}
	},
}

// fences are the fenced code blocks of the pass's file.
func (p *Pass) fences() []Span {
	doc, err := p.Parsers.docOf(p.File)
	if err != nil {
		p.fail(err)
		return nil
	}
	src := p.Text()
	var fences []Span
	for _, s := range doc.Code {
		if code := src[s.Start:s.End]; bytes.HasPrefix(code, []byte("```")) || bytes.HasPrefix(code, []byte("~~~")) {
			fences = append(fences, s)
		}
	}
	return fences
}

// resolutions keep one side or both. A conflict with several lines that could
// be the separator has none: nobody can tell the sides apart.
func (p *Pass) resolutions(c conflict, inFront bool) []*Fix {
	if c.ambiguous {
		return nil
	}
	src := p.Text()
	// What goes with each choice: whole lines, from the first mark's on.
	open, middle, end := deleteLine(src, c.marks[0]), deleteLine(src, c.marks[1]), deleteLine(src, c.marks[2])
	if c.base.Start > 0 {
		middle.Span.Start = c.base.Start
	}
	side := func(title string, mark Span, edits ...Edit) *Fix {
		label := strings.TrimSpace(shown(string(src[mark.Start+len(conflictMarks[0]) : mark.End])))
		if label != "" {
			title += " (" + shorten(label) + ")"
		}
		return p.editFix(title, edits...).asGuess()
	}
	fixes := []*Fix{
		side("Keep ours", c.marks[0], open, Edit{Span: Span{Start: middle.Span.Start, End: end.Span.End}}),
		side("Keep theirs", c.marks[2], Edit{Span: Span{Start: open.Span.Start, End: middle.Span.End}}, end),
	}
	if !inFront { // there, both would be two values of one key
		fixes = append(fixes, p.editFix("Keep both", open, middle, end).asGuess())
	}
	return fixes
}
