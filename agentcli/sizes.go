package agentcli

import (
	"cmp"
	"slices"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/facts"
	"github.com/memls/memls/rules/tree"
)

// A size is what a file costs.
type size struct {
	bytes, characters int
}

// tokens is the estimate of the spec, section 10: a quarter of the bytes,
// rounded up.
func (s size) tokens() int { return (s.bytes + 3) / 4 }

type sizeKey struct{}

func noteSize(f *tree.File, src []byte) size {
	v, _ := f.Memo(sizeKey{}, func() (any, error) {
		return size{bytes: len(src), characters: facts.Characters(src)}, nil
	})
	return v.(size)
}

// sizeOf measures a regular file.
func sizeOf(f *tree.File) (size, error) {
	v, err := f.Memo(sizeKey{}, func() (any, error) {
		src, err := f.Bytes()
		return size{bytes: len(src), characters: facts.Characters(src)}, err
	})
	if err != nil {
		return size{}, err
	}
	return v.(size), nil
}

// The budget of a report. Limits are nil where there is none.
type budget struct {
	Core    coreBudget   `json:"core"`
	Nearest []fileBudget `json:"nearest"`
}

type coreBudget struct {
	Characters int    `json:"characters"`
	Limit      *int64 `json:"limit"`
	Tokens     int    `json:"tokens"`
}

type fileBudget struct {
	Path       string `json:"path"`
	Characters int    `json:"characters"`
	Limit      int64  `json:"limit"`
}

func (b fileBudget) share() float64 { return float64(b.Characters) / float64(b.Limit) }

// maxNearest is how many files a report names as nearest to their limit.
const maxNearest = 5

// budget measures the core memory, and the selected files that have a limit.
// What cannot be read is left out: it is a finding.
func (t *target) budget(sel selection) budget {
	b := budget{Nearest: []fileBudget{}}
	if _, limit, _ := t.view.CoreBudget(); limit >= 0 {
		b.Core.Limit = &limit
	}
	limits := t.view.Limits()
	for f := range t.view.Tree.All() {
		core := t.isCore(f.Path)
		if !f.Mode.IsRegular() || !core && (limits == nil || !t.view.Constrained(f.Path) || !sel.has(f.Path)) {
			continue
		}
		n, err := sizeOf(f)
		if err != nil {
			continue
		}
		if core {
			b.Core.Characters += n.characters
			b.Core.Tokens += n.tokens()
		}
		if limits == nil || !sel.has(f.Path) {
			continue
		}
		if limit, _, ok := limits.FileLimit(f.Path); ok {
			b.Nearest = append(b.Nearest, fileBudget{Path: f.Path, Characters: n.characters, Limit: limit})
		}
	}
	slices.SortStableFunc(b.Nearest, func(x, y fileBudget) int { return cmp.Compare(y.share(), x.share()) })
	b.Nearest = b.Nearest[:min(maxNearest, len(b.Nearest))]
	return b
}

// isCore reports whether the file is resident in its layout: Markdown at the
// root (v2), below system/ (v1).
func (t *target) isCore(path string) bool {
	if t.view.V2Front {
		return rules.IsCore(path)
	}
	return rules.IsLegacy(path) && isSystem(path)
}
