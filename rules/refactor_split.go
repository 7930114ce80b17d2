package rules

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/memls/memls/rules/facts"
	"github.com/memls/memls/rules/markdown"
	"github.com/memls/memls/rules/tree"
)

// Split moves the section below a heading into a file of its own, and leaves
// the heading with a link to it. The heading is named by its anchor. to is the
// new file; "" names it after the heading, beside the old one. Links to what
// is in the section follow it. The new file is listed in its index.
func (v *View) Split(path, anchor, to string) ([]Op, error) {
	if v.Parsers == noParsers {
		return nil, errNoParsers
	}
	f := v.Tree.File(path)
	if f == nil || !IsMarkdown(path) || !f.Mode.IsRegular() {
		return nil, fmt.Errorf("%s: no such Markdown file in the tree", Display(path))
	}
	src, err := f.Bytes()
	if err != nil {
		return nil, err
	}
	doc, err := v.Parsers.docOf(f)
	if err != nil {
		return nil, err
	}
	h, ok := FindAnchor(doc, anchor)
	if !ok || h == nil {
		return nil, fmt.Errorf("%s: has no heading #%s", Display(path), Printable(anchor))
	}
	if to == "" {
		to = joinPath(dirOf(path), h.Slug+".md")
	}
	s := split{View: v, path: path, to: to, src: src, doc: doc, heading: h, edits: map[string][]Edit{}}
	if err := s.check(); err != nil {
		return nil, err
	}
	ops, err := s.ops()
	if err != nil {
		return nil, err
	}
	ops, err = v.oneEditEach(ops)
	if err != nil {
		return nil, err
	}
	if err := s.keepsLinks(ops); err != nil {
		return nil, err
	}
	return ops, v.sound(ops, func(p string) string { return p })
}

// A split is one run of Split.
type split struct {
	*View
	path, to string
	src      []byte
	doc      *markdown.Doc
	heading  *markdown.Heading
	section  Span // what is below the heading

	edits map[string][]Edit // by path; of the section's own links by the new one
}

func (s *split) check() error {
	m := &move{View: s.View, from: s.path, to: s.to}
	switch {
	case !validPath(s.to) || !IsMarkdown(s.to) || s.V2 && IsIndex(s.to):
		return fmt.Errorf("%s: is no name for a memory file; name the new file", Display(s.to))
	case s.Tree.Has(s.to) || s.Tree.Dir(s.to) != nil:
		return fmt.Errorf("%s: exists already; name the new file", Display(s.to))
	case InSkills(s.to) != InSkills(s.path):
		return fmt.Errorf("%s: a section stays on its side of skills/", Display(s.to))
	}
	if err := m.checkTwins(); err != nil {
		return err
	}
	s.section = Span{Start: afterLine(s.src, s.heading.Span.End), End: len(s.src)}
	for i := range s.doc.Headings {
		if h := &s.doc.Headings[i]; h.Span.Start > s.heading.Span.Start && h.Level <= s.heading.Level {
			s.section.End = h.Span.Start
			break
		}
	}
	if len(bytes.TrimSpace(s.src[s.section.Start:s.section.End])) == 0 {
		return fmt.Errorf("%s: there is nothing below the heading %s", Display(s.path), Printable(s.heading.Text))
	}
	return s.checkDefinitions()
}

// checkDefinitions refuses to part a reference link from its definition.
func (s *split) checkDefinitions() error {
	for i := range s.doc.Links {
		if l := &s.doc.Links[i]; l.Ref && s.inSection(l.Span.Start) != s.inSection(l.DestSpan.Start) {
			return fmt.Errorf("%s: the section shares the link definition [%s] with the rest; write that link out first", Display(s.path), Printable(facts.Decode(l.Label)))
		}
	}
	return nil
}

func (s *split) inSection(at int) bool { return s.section.Start <= at && at < s.section.End }

// home is the file that an anchor of the split file is in afterwards.
func (s *split) home(fragment string) string {
	if isPlainFragment(fragment) {
		return s.path
	}
	if h, ok := FindAnchor(s.doc, fragment); ok && h != nil && s.inSection(h.Span.Start) {
		return s.to
	}
	return s.path
}

func (s *split) ops() ([]Op, error) {
	if err := s.rewriteLinks(); err != nil {
		return nil, err
	}
	body, err := s.cut()
	if err != nil {
		return nil, err
	}
	eol := eolOf(s.src)
	made := "# " + string(s.src[s.heading.TextSpan.Start:s.heading.TextSpan.End]) + eol + eol + string(bytes.TrimSpace(body)) + eol
	v := s.View
	p := Pass{View: v, File: textFile(s.to, tree.Regular, nil), Role: v.RoleOf(s.to)}
	if p.Role == RoleMemory || p.Role == RoleLegacy {
		made = p.derivedFront(made, eol) + made
	}
	ops := []Op{{Kind: OpCreate, Path: s.to, Content: made}}
	left := eol + "[" + escapeMarkdown(s.heading.Text) + "](" + EscapeTarget(relativePath(dirOf(s.path), s.to)) + ")" + eol
	if s.section.End < len(s.src) {
		left += eol
	}
	s.edits[s.path] = append(s.edits[s.path], Edit{Span: s.section, New: left})
	for f := range s.Tree.All() {
		if es := s.edits[f.Path]; len(es) > 0 {
			slices.SortStableFunc(es, func(a, b Edit) int { return a.Span.Start - b.Span.Start })
			ops = append(ops, Op{Kind: OpEdit, Path: f.Path, Edits: es})
		}
	}
	return s.list(ops)
}

// cut is the text of the section with its links as the new file has them.
func (s *split) cut() ([]byte, error) {
	var inside []Edit
	for _, e := range s.edits[s.to] {
		e.Span.Start -= s.section.Start
		e.Span.End -= s.section.Start
		inside = append(inside, e)
	}
	return ApplyEdits(s.src[s.section.Start:s.section.End], inside)
}

// rewriteLinks keeps the links to anchors of the section, and of the section.
func (s *split) rewriteLinks() error {
	for f := range s.Tree.All() {
		if !IsMarkdown(f.Path) || !f.Mode.IsRegular() {
			continue
		}
		doc, err := s.Parsers.docOf(f)
		if err != nil {
			return err
		}
		for l := range linksOf(doc) {
			s.rewrite(f.Path, l)
		}
	}
	return nil
}

func (s *split) rewrite(from string, l *markdown.Link) {
	t := Resolve(s.Tree, from, l)
	at, want := from, t.Path
	if from == s.path && s.inSection(l.Span.Start) {
		at = s.to
	}
	switch t.Kind {
	case TargetSelf, TargetFile:
		if t.File == s.path {
			want = s.home(t.Fragment)
		}
	case TargetDir:
	default:
		return
	}
	if t.Kind == TargetSelf && want == at || t.Kind != TargetSelf && want == t.Path && dirOf(at) == dirOf(from) {
		return
	}
	s.edits[at] = append(s.edits[at], Edit{Span: l.DestSpan, New: WriteTarget(at, want, l) + t.Query})
}

// list adds the new file to its index, and the indexes that are missing above.
func (s *split) list(ops []Op) ([]Op, error) {
	if !s.V2 || InSkills(s.to) {
		return ops, nil
	}
	t, err := Apply(s.Tree, ops)
	if err != nil {
		return nil, err
	}
	after := s.with(t)
	m := &move{View: after, from: s.to, to: s.to, after: t, edits: map[string][]Edit{}, texts: map[string][]byte{}, created: map[string]bool{}, removed: map[string]bool{}}
	if err := m.createChain(s.to, nil); err != nil {
		return nil, err
	}
	index := joinPath(dirOf(s.to), Index)
	if m.after.Has(index) && m.wantsItem(s.to) {
		if err := m.listIn(index, s.to, nil); err != nil {
			return nil, err
		}
	}
	more, err := m.ops()
	return append(ops, more...), err
}

// oneEditEach joins the edits of files that steps edit more than once, since
// the offsets of an edit count in the text before all of them.
func (v *View) oneEditEach(ops []Op) ([]Op, error) {
	t, err := Apply(v.Tree, ops)
	if err != nil {
		return nil, err
	}
	times := map[string]int{}
	for _, op := range ops {
		times[op.Path]++
	}
	var joined []Op
	for _, op := range ops {
		n := times[op.Path]
		delete(times, op.Path)
		if n == 0 {
			continue
		}
		if n > 1 {
			before, err := v.Tree.File(op.Path).Bytes()
			if err != nil {
				return nil, err
			}
			after, err := t.File(op.Path).Bytes()
			if err != nil {
				return nil, err
			}
			op.Edits = difference(before, after)
		}
		joined = append(joined, op)
	}
	return joined, nil
}

// keepsLinks fails where a link would break: the anchor of a repeated heading
// changes when one of its name goes elsewhere.
func (s *split) keepsLinks(ops []Op) error {
	t, err := Apply(s.Tree, ops)
	if err != nil {
		return err
	}
	after := s.with(t)
	for f := range t.All() {
		was := f.Path
		if was == s.to {
			continue
		}
		before, err := s.brokenLinks(was)
		if err != nil {
			return err
		}
		now, err := after.brokenLinks(was)
		if err != nil {
			return err
		}
		if len(now) > len(before) {
			return fmt.Errorf("%s: would have a %s; change that link first", Display(was), now[len(now)-1])
		}
	}
	return nil
}

// brokenLinks are the messages about the links of a file.
func (v *View) brokenLinks(path string) ([]string, error) {
	f := v.Tree.File(path)
	if f == nil || v.RoleOf(path) == RoleNone || v.RoleOf(path) == RoleConfig || !f.Mode.IsRegular() {
		return nil, nil
	}
	var out []string
	j := &judgement{View: v}
	j.run(f, v.RoleOf(path), nil, []*Rule{ruleLinkBroken})
	for i := range j.out.Findings {
		out = append(out, Printable(j.out.Findings[i].Message))
	}
	return out, nil
}
