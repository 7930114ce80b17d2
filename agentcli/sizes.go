package agentcli

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"

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

func measured(src []byte) size {
	return size{bytes: len(src), characters: facts.Characters(src)}
}

func noteSize(f *tree.File, src []byte) {
	_, _ = f.Memo(sizeKey{}, func() (any, error) { return measured(src), nil })
}

// measure reads the sizes of all files, several at a time: waiting for the
// disk or for git is most of what it takes. A file on disk that cannot be read
// is an error only when its size is asked for.
func (t *target) measure(ctx context.Context) error {
	var files []*tree.File
	for f := range t.view.Tree.All() {
		if f.Mode.IsRegular() {
			files = append(files, f)
		}
	}
	if t.view.Load != nil {
		return t.load(ctx, files, func(*tree.File, []byte) {})
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(4, len(files)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(files)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				_, _ = sizeOf(files[i])
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

// sizeOf measures a regular file.
func sizeOf(f *tree.File) (size, error) {
	v, err := f.Memo(sizeKey{}, func() (any, error) {
		src, err := f.Bytes()
		return measured(src), err
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
