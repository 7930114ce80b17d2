package rules

import (
	"strings"

	"github.com/memls/memls/rules/facts"
	"github.com/memls/memls/rules/markdown"
	"github.com/memls/memls/rules/tree"
)

// Doc returns the Markdown of a file, read once.
func (v *View) Doc(f *tree.File) (*markdown.Doc, error) { return v.Parsers.docOf(f) }

// Front returns the frontmatter of a file as the text check reads it.
func (v *View) Front(f *tree.File) (*facts.Front, error) {
	known, err := factsOf(f)
	if err != nil {
		return nil, err
	}
	return &known.Front, nil
}

// NameOf returns what a Markdown file calls itself: the name and description
// of its frontmatter, of an index the first heading, else a name made from the
// path.
func (v *View) NameOf(f *tree.File) (name, description string) {
	if !IsIndex(f.Path) {
		return v.nameOf(f)
	}
	if doc, err := v.Doc(f); err == nil && len(doc.Headings) > 0 && doc.Headings[0].Text != "" {
		return doc.Headings[0].Text, ""
	}
	return indexTitle(dirOf(f.Path)), ""
}

// An Anchor is a place in a file that links lead to.
type Anchor struct {
	// Heading is nil for an anchor in HTML, and for one that is not there.
	Heading *markdown.Heading
	// Name is the fragment in lower case where there is no heading.
	Name string
}

// AnchorOf returns the place that a target's fragment names; the zero Anchor
// is the file as a whole. Links that lead to one place have equal anchors.
func (v *View) AnchorOf(t Target) Anchor {
	f := v.Tree.File(t.File)
	if isPlainFragment(t.Fragment) || f == nil || !linksCount(f) {
		return Anchor{}
	}
	doc, err := v.Doc(f)
	if err != nil {
		return Anchor{}
	}
	if h, _ := FindAnchor(doc, t.Fragment); h != nil {
		return Anchor{Heading: h}
	}
	return Anchor{Name: strings.ToLower(t.Fragment)}
}
