package rules

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memls/memls/rules/markdown"
)

// RenameHeading gives a heading of the file at path another text, as it is
// written in Markdown, and returns the steps: with links that follow it, and
// those to headings whose anchors change with it because they have the same
// text. h is of the file's Doc.
func (v *View) RenameHeading(ctx context.Context, g *Graph, path string, h *markdown.Heading, text string) ([]Op, error) {
	r, err := v.headingRename(path, h, text)
	if err != nil {
		return nil, err
	}
	refs, err := g.To(ctx, v.Tree, path)
	if err != nil {
		return nil, err
	}
	edits := map[string][]Edit{path: {r.edit}}
	for i := range refs {
		ref := &refs[i]
		if ref.Link.Ref || ref.From.Path == path && r.edit.Span.Start <= ref.Link.Span.Start && ref.Link.Span.End <= r.edit.Span.End {
			continue // written elsewhere, or replaced together with the heading
		}
		edit, err := r.follow(ref)
		if err != nil {
			return nil, err
		}
		if edit != nil {
			edits[ref.From.Path] = append(edits[ref.From.Path], *edit)
		}
	}
	return editOps(edits), nil
}

func editOps(edits map[string][]Edit) []Op {
	ops := make([]Op, 0, len(edits))
	for path, list := range edits {
		slices.SortFunc(list, func(a, b Edit) int { return a.Span.Start - b.Span.Start })
		ops = append(ops, Op{Kind: OpEdit, Path: path, Edits: list})
	}
	slices.SortFunc(ops, func(a, b Op) int { return strings.Compare(a.Path, b.Path) })
	return ops
}

// A headingRename is the new text of a heading and what the file is with it.
type headingRename struct {
	view          *View
	path          string
	edit          Edit
	before, after *markdown.Doc
}

func (v *View) headingRename(path string, h *markdown.Heading, text string) (*headingRename, error) {
	f := v.Tree.File(path)
	src, err := f.Bytes()
	if err != nil {
		return nil, err
	}
	before, err := v.DocOf(f)
	if err != nil {
		return nil, err
	}
	r := &headingRename{view: v, path: path, before: before, edit: Edit{Span: h.TextSpan, New: strings.TrimSpace(text)}}
	refusal := fmt.Errorf("%q is no text of a heading; choose another one", text)
	if r.edit.New == "" || strings.ContainsAny(text, "\r\n") {
		return nil, refusal
	}
	if h.TextSpan.Start == h.TextSpan.End && bytes.HasSuffix(src[:h.TextSpan.Start], []byte("#")) {
		r.edit.New = " " + r.edit.New
	}
	changed, err := ApplyEdits(src, []Edit{r.edit})
	if err != nil {
		return nil, err
	}
	r.after = v.Parsers.doc(changed)
	same := slices.EqualFunc(r.before.Headings, r.after.Headings, func(a, b markdown.Heading) bool { return a.Level == b.Level })
	if i := r.index(h); !same || r.after.Headings[i].Text == "" {
		return nil, refusal
	}
	return r, nil
}

func (r *headingRename) index(h *markdown.Heading) int {
	return slices.IndexFunc(r.before.Headings, func(o markdown.Heading) bool { return o.Span == h.Span })
}

// follow is the edit of a link that would lead elsewhere, nil where it leads
// to the same heading as it is.
func (r *headingRename) follow(ref *Ref) (*Edit, error) {
	a := r.view.AnchorOf(ref.Target)
	if a.Heading == nil || ref.Target.File != r.path {
		return nil, nil
	}
	i := r.index(a.Heading)
	h := &r.after.Headings[i]
	if got, _ := FindAnchor(r.after, ref.Target.Fragment); got == h {
		return nil, nil
	}
	written, fragment, err := r.written(ref, a.Heading, h)
	if err != nil {
		return nil, err
	}
	if got, _ := FindAnchor(r.after, fragment); got != h {
		return nil, fmt.Errorf("%s: its link to %s#%s cannot be kept; choose another text", Display(ref.From.Path), Display(r.path), Printable(ref.Target.Fragment))
	}
	return &Edit{Span: ref.Link.FragmentSpan, New: written}, nil
}

// written is the fragment of a link to a heading in the manner of the old one:
// by its anchor, encoded or not, or in a wiki link by its text.
func (r *headingRename) written(ref *Ref, was, is *markdown.Heading) (written, fragment string, err error) {
	old := ref.Target.Fragment
	lead := old[:strings.LastIndexByte(old, '#')+1]
	if rest, ok := strings.CutPrefix(old[len(lead):], "user-content-"); ok {
		lead, old = lead+"user-content-", lead+rest
	}
	name := is.Slug
	last := old[strings.LastIndexByte(old, '#')+1:]
	byText := ref.Link.Kind == markdown.Wiki && (last == was.Text || last != was.Slug)
	if byText && !strings.ContainsAny(is.Text, "[]|#") && strings.TrimSpace(is.Text) == is.Text {
		if h, _ := FindAnchor(r.after, is.Text); h == is {
			name = is.Text
		}
	}
	fragment = lead + name
	src, err := ref.From.Bytes()
	if err != nil {
		return "", "", err
	}
	if ref.Link.Kind != markdown.Wiki && bytes.IndexByte(src[ref.Link.FragmentSpan.Start:ref.Link.FragmentSpan.End], '%') >= 0 {
		return strings.ReplaceAll(escapePath(fragment), "%23", "#"), fragment, nil
	}
	return fragment, fragment, nil
}

// RenameLabel gives the label of a link definition, and of the links that use
// it, another text. A link [label] shows the new one. d is of the file's Doc.
func (v *View) RenameLabel(path string, d *markdown.Definition, label string) ([]Op, error) {
	f := v.Tree.File(path)
	src, err := f.Bytes()
	if err != nil {
		return nil, err
	}
	before, err := v.DocOf(f)
	if err != nil {
		return nil, err
	}
	edits := []Edit{}
	for _, span := range LabelSpans(before, d) {
		edits = append(edits, Edit{Span: span, New: label})
	}
	slices.SortFunc(edits, func(a, b Edit) int { return a.Span.Start - b.Span.Start })
	after, err := ApplyEdits(src, edits)
	if err != nil {
		return nil, err
	}
	if !sameTargets(before, v.Parsers.doc(after)) {
		return nil, fmt.Errorf("%q is no label, or that of another definition; choose another one", label)
	}
	return []Op{{Kind: OpEdit, Path: path, Edits: edits}}, nil
}

// LabelSpans are the places of a definition's label: in the definition, then
// in the links that use it.
func LabelSpans(doc *markdown.Doc, d *markdown.Definition) []Span {
	spans := []Span{{Start: d.Span.Start + 1, End: d.Span.Start + 1 + len(d.Label)}}
	for i := range doc.Links {
		if l := &doc.Links[i]; l.Ref && l.DestSpan == d.DestSpan {
			spans = append(spans, LabelSpan(l))
		}
	}
	return spans
}

// LabelSpan is where the label of a reference link stands: in the second pair
// of brackets, or where that is empty or missing in the first.
func LabelSpan(l *markdown.Link) Span {
	if second := (Span{Start: l.TextSpan.End + 2, End: l.Span.End - 1}); second.Start < second.End {
		return second
	}
	return l.TextSpan
}

func sameTargets(a, b *markdown.Doc) bool {
	return slices.EqualFunc(a.Links, b.Links, func(x, y markdown.Link) bool {
		return x.Kind == y.Kind && x.Ref == y.Ref && x.Dest == y.Dest && x.Fragment == y.Fragment
	}) && slices.EqualFunc(a.Definitions, b.Definitions, func(x, y markdown.Definition) bool { return x.Dest == y.Dest && x.Fragment == y.Fragment })
}
