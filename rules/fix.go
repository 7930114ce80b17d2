package rules

import (
	"fmt"
	"slices"
	"sync"

	"github.com/memls/memls/rules/tree"
)

// A Fix is a change that mends a finding, as data: an editor turns it into a
// workspace edit, the command line writes it to disk, tests apply it to a tree.
type Fix struct {
	// Title is imperative and names the file where it is not obvious.
	Title string
	// Key tells changes apart: fixes of several findings with one key are
	// the same change.
	Key string

	guess bool // needs a person's eye: never safe
	build func() ([]Op, error)

	view *View
	memo *fixResult
}

// An Op is one step of a fix. Steps apply in order.
type Op struct {
	Kind OpKind
	// Path is what is created, edited, deleted or renamed; To is the new
	// path of a rename.
	Path, To string
	// Content is the text of a created file.
	Content string
	// Edits are the changes of an edited file, by offsets into its content
	// before the fix, sorted and not overlapping.
	Edits []Edit
}

// OpKind says what an Op does.
type OpKind int

// The steps.
const (
	OpCreate OpKind = iota
	OpEdit
	OpRename
	OpDelete
)

// An Edit replaces a range of bytes by a text.
type Edit struct {
	Span Span
	New  string
	// Place is where the Span stands, nil where only the text can tell.
	Place *Place
}

// fixMemo shares the results of equal fixes of one view: a directory of
// thousands of files without an index has one fix, not thousands.
type fixMemo struct {
	mu      sync.Mutex
	results map[string]*fixResult
}

type fixResult struct {
	build  sync.Once
	ops    []Op
	err    error
	verify sync.Once
	safe   bool
}

func (m *fixMemo) get(key string) *fixResult {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.results == nil {
		m.results = map[string]*fixResult{}
	}
	r := m.results[key]
	if r == nil {
		r = &fixResult{}
		m.results[key] = r
	}
	return r
}

// newFix makes a fix of one file or of the tree; key must name the change and
// all it depends on besides the tree.
func newFix(key, title string, build func() ([]Op, error)) *Fix {
	return &Fix{Key: key, Title: title, build: build}
}

// editFix edits the pass's own file.
func (p *Pass) editFix(title string, edits ...Edit) *Fix {
	path := p.File.Path
	key := fmt.Sprintf("edit:%s:%v", path, edits)
	return newFix(key, title, func() ([]Op, error) {
		return []Op{{Kind: OpEdit, Path: path, Edits: edits}}, nil
	})
}

// asGuess marks a fix that a person has to look at.
func (f *Fix) asGuess() *Fix {
	f.guess = true
	return f
}

func (f *Fix) bind(v *View, finding *Finding) {
	f.view, f.memo = v, v.fixes.get(f.Key)
}

// Ops are the steps of the fix.
func (f *Fix) Ops() ([]Op, error) {
	f.memo.build.Do(func() { f.memo.ops, f.memo.err = f.build() })
	return f.memo.ops, f.memo.err
}

// NeedsReview reports whether the fix is a guess that a person has to look at.
func (f *Fix) NeedsReview() bool { return f.guess }

// Safe reports whether the fix can be applied without asking: the errors of
// the tree after it are among those before it, and fewer or other findings
// are left. It is not claimed by a rule but found out, by judging what the
// change touches again.
func (f *Fix) Safe() bool {
	if f.guess {
		return false
	}
	f.memo.verify.Do(func() { f.memo.safe = f.view.verify(f) })
	return f.memo.safe
}

// Apply returns the tree after the steps.
func Apply(t *tree.Tree, ops []Op) (*tree.Tree, error) {
	for _, op := range ops {
		var err error
		if t, err = applyOp(t, op); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func applyOp(t *tree.Tree, op Op) (*tree.Tree, error) {
	f := t.File(op.Path)
	if op.Kind == OpCreate {
		if f != nil {
			return nil, fmt.Errorf("%s: exists already", Display(op.Path))
		}
		return t.With([]*tree.File{textFile(op.Path, tree.Regular, []byte(op.Content))}), nil
	}
	if f == nil {
		return nil, fmt.Errorf("%s: no such file in the tree", Display(op.Path))
	}
	switch op.Kind {
	case OpDelete:
		return t.With(nil, op.Path), nil
	case OpRename:
		if t.Has(op.To) {
			return nil, fmt.Errorf("%s: exists already", Display(op.To))
		}
		src, err := f.Bytes()
		if err != nil {
			return nil, err
		}
		return t.With([]*tree.File{textFile(op.To, f.Mode, src)}, op.Path), nil
	}
	src, err := f.Bytes()
	if err != nil {
		return nil, err
	}
	out, err := ApplyEdits(src, op.Edits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Display(op.Path), err)
	}
	return t.With([]*tree.File{textFile(op.Path, f.Mode, out)}), nil
}

func textFile(path string, mode tree.Mode, content []byte) *tree.File {
	return tree.NewFile(path, mode, "", tree.Buffer(content))
}

// ApplyEdits applies edits by offsets into src. They may come in any order
// but must not overlap.
func ApplyEdits(src []byte, edits []Edit) ([]byte, error) {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.Span.Start - b.Span.Start })
	var out []byte
	at := 0
	for _, e := range edits {
		if e.Span.Start < at || e.Span.End < e.Span.Start || e.Span.End > len(src) {
			return nil, fmt.Errorf("edits overlap or lie outside the text")
		}
		out = append(append(out, src[at:e.Span.Start]...), e.New...)
		at = e.Span.End
	}
	return append(out, src[at:]...), nil
}
