package rules

import (
	"strings"

	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/tree"
)

// verify judges again what a fix touches: it is safe when no error is there
// that was not before, and nothing but known text is lost.
func (v *View) verify(f *Fix) bool {
	ops, err := f.Ops()
	return err == nil && len(ops) > 0 && v.isSound(ops)
}

// isSound reports whether operations leave no error that was not before.
func (v *View) isSound(ops []Op) bool {
	t, err := Apply(v.Tree, ops)
	if err != nil {
		return false
	}
	after := v.with(t)
	paths := touched(ops, v.Tree, t)
	before, err := v.errorsOf(paths)
	if err != nil {
		return false
	}
	left, err := after.errorsOf(paths)
	if err != nil {
		return false
	}
	for key, n := range left {
		if n > before[key] {
			return false
		}
	}
	return true
}

// touched are the files whose findings a fix can change: those it names, and
// all below the directory of an index that it creates, moves or deletes, and
// every file when the limits change.
func touched(ops []Op, trees ...*tree.Tree) map[string]bool {
	paths := map[string]bool{}
	add := func(path string, structural bool) {
		paths[path] = true
		dir := dirOf(path)
		switch {
		case path == config.Path:
			dir = ""
		case !structural || !IsIndex(path):
			return
		}
		for _, t := range trees {
			for f := range t.Dir(dir).All() {
				paths[f.Path] = true
			}
		}
	}
	for _, op := range ops {
		add(op.Path, op.Kind != OpEdit)
		if op.Kind == OpRename {
			add(op.To, true)
		}
	}
	return paths
}

// errorsOf counts the errors on some files and on the tree as a whole, by
// rule, path and message. Numbers in messages (sizes) are dropped: a file
// that is too long already may get longer by a fix, as long as it is the same
// error.
func (v *View) errorsOf(paths map[string]bool) (map[string]int, error) {
	counts := map[string]int{}
	count := func(f *Finding) { counts[errorKey(f, f.Path)]++ }
	for path := range paths {
		if path == "" {
			continue
		}
		if err := v.eachError(path, count); err != nil {
			return nil, err
		}
	}
	return counts, v.eachError("", count)
}

func withoutDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, s)
}
