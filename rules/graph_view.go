package rules

import (
	"strings"

	"github.com/memls/memls/rules/facts"
	"github.com/memls/memls/rules/markdown"
	"github.com/memls/memls/rules/tree"
)

// Front returns the frontmatter of a file as the text check reads it.
func (v *View) Front(f *tree.File) (*facts.Front, error) {
	known, err := factsOf(f)
	if err != nil {
		return nil, err
	}
	return &known.Front, nil
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
	doc, err := v.DocOf(f)
	if err != nil {
		return Anchor{}
	}
	if h, _ := FindAnchor(doc, t.Fragment); h != nil {
		return Anchor{Heading: h}
	}
	return Anchor{Name: strings.ToLower(t.Fragment)}
}
