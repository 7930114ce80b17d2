package tree

import "sync"

// baseNames finds files by their last segment, wherever they lie, and counts
// them. It depends on the set of paths alone, so trees that differ in content
// share it: typing in a file does not make it anew.
type baseNames struct {
	once   sync.Once
	byFold map[string][]string

	counted sync.Once
	count   int
}

// Named returns the paths of the files, in any directory, whose last segment
// a case-insensitive or normalising file system takes for name, in byte order.
func (t *Tree) Named(name string) []string {
	if t == nil {
		return nil
	}
	t.names.once.Do(func() {
		t.names.byFold = map[string][]string{}
		for f := range t.All() {
			key := FoldName(f.Name())
			t.names.byFold[key] = append(t.names.byFold[key], f.Path)
		}
	})
	return t.names.byFold[FoldName(name)]
}

// namesWith are the base names of the tree that With makes.
func (t *Tree) namesWith(files []*File, removed []string) *baseNames {
	for _, f := range files {
		if !t.Has(f.Path) {
			return &baseNames{}
		}
	}
	for _, path := range removed {
		if t.Has(path) {
			return &baseNames{}
		}
	}
	return t.names
}

// Len is the number of files. They are counted once for all trees with the
// same paths.
func (t *Tree) Len() int {
	if t == nil {
		return 0
	}
	t.names.counted.Do(func() {
		for range t.All() {
			t.names.count++
		}
	})
	return t.names.count
}
