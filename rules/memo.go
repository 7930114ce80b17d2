package rules

import (
	"github.com/memls/memls/rules/facts"
	"github.com/memls/memls/rules/markdown"
	"github.com/memls/memls/rules/markdown/commonmark"
	"github.com/memls/memls/rules/tree"
)

type memoKey int

const (
	factsKey memoKey = iota
	docKey
	yamlKey
	tagsKey
)

// factsOf returns the facts of the file's bytes, computed once.
func factsOf(f *tree.File) (*facts.Facts, error) {
	return memo(f, factsKey, nil, facts.Of)
}

// docOf returns the Markdown of the file, computed once.
func docOf(f *tree.File) (*markdown.Doc, error) {
	return memo(f, docKey, nil, parseDoc)
}

// yamlOf returns the file's frontmatter read as YAML, computed once.
func yamlOf(f *tree.File) (*facts.YAML, error) {
	return memo(f, yamlKey, nil, facts.ParseYAML)
}

func parseDoc(src []byte) *markdown.Doc {
	return commonmark.Parse(src, facts.BodyStart(src))
}

// prime computes what later rules will ask of the file while its bytes are
// in hand, so that they are read once.
func prime(f *tree.File, src []byte, role Role, refusals bool) {
	_, _ = memo(f, factsKey, src, facts.Of)
	if refusals || role == RoleConfig || role == RoleNone {
		return
	}
	_, _ = memo(f, docKey, src, parseDoc)
	if role != RoleIndex {
		_, _ = memo(f, yamlKey, src, facts.ParseYAML)
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
