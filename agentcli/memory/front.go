package memory

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/facts"
)

// giveFront puts frontmatter before a text that has none, where the file's
// place asks for it: by the rule's own fix, which derives it from name and
// text. What is meant to be frontmatter is left for the model to mend.
func (w *Workspace) giveFront(p string) error {
	view := w.View()
	f := w.tree.File(p)
	front, err := view.Front(f)
	if err != nil || front.State != facts.FrontMissing || front.Fault != facts.NoFault {
		return err
	}
	findings, err := view.JudgeFile(f)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(findings, func(f rules.Finding) bool {
		return (f.Rule.ID == "frontmatter-missing" || f.Rule.ID == "skill-metadata") && len(f.Fixes) > 0
	})
	if at < 0 {
		return nil
	}
	ops, err := findings[at].Fixes[0].Ops()
	if err != nil {
		return err
	}
	w.tree, err = rules.Apply(w.tree, ops)
	return err
}

// describe sets the description in the frontmatter of a file, if it has one.
func (w *Workspace) describe(p, description string) error {
	f := w.tree.File(p)
	front, err := w.View().Front(f)
	if err != nil {
		return err
	}
	if keys, _ := rules.FrontKeys(w.View().RoleOf(p)); len(keys) == 0 {
		return fmt.Errorf("%s has no description: only memory files and skills do", spell(p))
	}
	if front.State != facts.FrontClosed {
		return fmt.Errorf("%s has no complete frontmatter: mend that first", spell(p))
	}
	text, err := f.Bytes()
	if err != nil {
		return err
	}
	value := w.base.Parsers.Scalar(strings.Join(strings.Fields(description), " "))
	at := slices.IndexFunc(front.Lines, func(l facts.FrontLine) bool { return l.Key == "description" && l.Colon && !l.Indented })
	edit := rules.Edit{Span: rules.Span{Start: front.Close.Start, End: front.Close.Start}, New: "description: " + value + "\n"}
	if at >= 0 {
		// With the lines of a value that goes on.
		last := at
		for last+1 < len(front.Lines) && front.Lines[last+1].Indented {
			last++
		}
		edit.Span = rules.Span{Start: front.Lines[at].Span.Start, End: front.Lines[last].Span.End}
		edit.New = strings.TrimSuffix(edit.New, "\n")
	}
	out, err := rules.ApplyEdits(text, []rules.Edit{edit})
	if err != nil {
		return err
	}
	return w.put(p, f.Mode, out)
}
