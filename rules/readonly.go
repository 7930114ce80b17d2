package rules

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/tree"
)

// A readOnlyChange is a path that readOnlyFiles matches and that the last commit
// has otherwise.
type readOnlyChange struct {
	path, pattern string
	change        Change
}

// readOnlyState is what is known of them in one tree. From one state of the
// memory to the next it costs what has changed in between. It is kept with the
// config that it follows from.
type readOnlyState struct {
	mu         sync.Mutex
	head, tree *tree.Tree // nil when nothing is known
	changes    map[string]readOnlyChange
}

type readOnlyKey struct{}

// readOnlyChanges are the paths that are protected by limits and have changed,
// sorted.
func (v *View) readOnlyChanges(limits *config.Config) ([]readOnlyChange, error) {
	kept, err := v.Tree.File(config.Path).Memo(readOnlyKey{}, func() (any, error) { return &readOnlyState{}, nil })
	if err != nil {
		return nil, err
	}
	s := kept.(*readOnlyState)
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs error
	look := func(path string) {
		delete(s.changes, path)
		pattern, ok := limits.IsReadOnly(path)
		if !ok {
			return
		}
		change, err := v.ChangeOf(path)
		errs = errors.Join(errs, err)
		if change != Unchanged {
			s.changes[path] = readOnlyChange{path, pattern, change}
		}
	}
	from := s.tree
	if from == nil || s.head != v.Head {
		from, s.changes = v.Head, map[string]readOnlyChange{}
	}
	tree.Diff(from, v.Tree, func(before, after *tree.File) { look(cmp.Or(before, after).Path) })
	s.head, s.tree = v.Head, v.Tree
	if errs != nil || v.Head.Err() != nil || v.Tree.Err() != nil {
		s.tree = nil // not all was seen: look again
	}
	byPath := func(a, b readOnlyChange) int { return cmp.Compare(a.path, b.path) }
	return slices.SortedFunc(maps.Values(s.changes), byPath), errs
}
