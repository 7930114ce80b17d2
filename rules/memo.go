package rules

import (
	"bytes"

	"github.com/memls/memls/rules/facts"
	"github.com/memls/memls/rules/markdown"
	"github.com/memls/memls/rules/tree"
)

// Parsers read the languages inside a file. They are handed in with the
// snapshot because the hook, whose refusals are about lines, paths and sizes,
// has no use for them, and would pay for the libraries at every commit.
// Package parsers has them.
type Parsers struct {
	// Markdown reads src[body:]; spans count from the start of src.
	Markdown func(src []byte, body int) *markdown.Doc
	// Again is Markdown for an edit of another text, of which it is known. It
	// costs in proportion to what differs.
	Again func(doc *markdown.Doc, old []byte, oldBody int, src []byte, body int) *markdown.Doc
	// YAML reads the frontmatter of src.
	YAML func(src []byte) *facts.YAML
	// Value reads one YAML value; the second result says why it is none.
	Value func(text string) (facts.Field, string)
	// Scalar writes a string as a YAML value.
	Scalar func(s string) string
}

// noParsers are those of the hook: there is no Markdown and no YAML, and what
// is written for YAML is quoted.
var noParsers = &Parsers{
	Markdown: func([]byte, int) *markdown.Doc { return &markdown.Doc{} },
	Again:    func(*markdown.Doc, []byte, int, []byte, int) *markdown.Doc { return &markdown.Doc{} },
	YAML:     func([]byte) *facts.YAML { return &facts.YAML{} },
	Value:    func(text string) (facts.Field, string) { return facts.Field{Value: text, Tag: "!!str"}, "" },
	Scalar:   facts.QuoteYAML,
}

type memoKey int

const (
	factsKey memoKey = iota
	docKey
	yamlKey
	tagsKey
	keyedKey
	textKey
)

// factsOf returns the facts of the file's bytes, computed once.
func factsOf(f *tree.File) (*facts.Facts, error) {
	return memo(f, factsKey, nil, facts.Of)
}

// docOf returns the Markdown of the file, computed once.
func (p *Parsers) docOf(f *tree.File) (*markdown.Doc, error) {
	return memo(f, docKey, nil, p.doc)
}

// yamlOf returns the file's frontmatter read as YAML, computed once.
func (p *Parsers) yamlOf(f *tree.File) (*facts.YAML, error) {
	return memo(f, yamlKey, nil, p.YAML)
}

func (p *Parsers) doc(src []byte) *markdown.Doc {
	return p.Markdown(src, facts.BodyStart(src))
}

// prime computes what later rules will ask of the file while its bytes are
// in hand, so that they are read once.
func (p *Parsers) prime(f *tree.File, src []byte, role Role) {
	_, _ = memo(f, factsKey, src, facts.Of)
	if p == noParsers || role == RoleConfig || role == RoleNone {
		return
	}
	_, _ = memo(f, docKey, src, p.doc)
}

// Carry hands on what is known of a file to an edit of it: the Markdown, of
// which only what differs is read again, and the frontmatter where it is the same.
// It is for files in memory.
func (p *Parsers) Carry(from, to *tree.File) {
	doc, _ := from.Known(docKey).(*markdown.Doc)
	old, oldErr := from.Bytes()
	src, err := to.Bytes()
	if doc == nil || oldErr != nil || err != nil {
		return
	}
	oldBody, body := facts.BodyStart(old), facts.BodyStart(src)
	_, _ = memo(to, docKey, src, func([]byte) *markdown.Doc { return p.Again(doc, old, oldBody, src, body) })
	if y, ok := from.Known(yamlKey).(*facts.YAML); ok && body > 0 && bytes.Equal(old[:oldBody], src[:body]) {
		_, _ = memo(to, yamlKey, src, func([]byte) *facts.YAML { return y })
	}
}

func memo[T any](f *tree.File, key memoKey, src []byte, compute func([]byte) *T) (*T, error) {
	v, err := f.Memo(key, func() (any, error) {
		if src == nil {
			b, err := f.Bytes()
			if err != nil {
				return nil, err
			}
			src = b
		}
		return compute(src), nil
	})
	if err != nil {
		return nil, err
	}
	return v.(*T), nil
}
