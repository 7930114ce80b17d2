package rules

import (
	"fmt"
	"maps"
	"slices"

	"github.com/memls/memls/rules/tree"
)

// coreBudget is the one error that more of the same makes worse.
const coreBudget = "core-budget"

// sound fails where steps bring an error that was not there, by rule, file and
// message; moved tells where a file is afterwards. It is how budgets, depth
// and the chain of indexes are checked before a refactoring is offered.
func (v *View) sound(ops []Op, moved func(string) string) error {
	v, err := v.held(ops)
	if err != nil {
		return err
	}
	t, err := Apply(v.Tree, ops)
	if err != nil {
		return err
	}
	after := v.with(t)
	paths := touched(ops, v.Tree, t)
	before := map[string]int{}
	core := v.coreSize()
	for path := range paths {
		err := v.eachError(path, func(f *Finding) { before[errorKey(f, moved(path))]++ })
		if err != nil {
			return err
		}
	}
	if err := v.eachError("", func(f *Finding) { before[errorKey(f, f.Path)]++ }); err != nil {
		return err
	}
	for _, path := range append([]string{""}, slices.Sorted(maps.Keys(paths))...) {
		var first *Finding
		err := after.eachError(path, func(f *Finding) {
			key := errorKey(f, f.Path)
			worse := f.Rule.ID == coreBudget && after.coreSize() > core
			if before[key]--; (before[key] < 0 || worse) && first == nil {
				first = f
			}
		})
		if err != nil {
			return err
		}
		if first != nil {
			return fmt.Errorf("that would break a rule: %s [%s]", Printable(first.Line), first.Rule.ID)
		}
	}
	return nil
}

// held is the view with the files that steps edit in memory, which are read here
// once for all.
func (v *View) held(ops []Op) (*View, error) {
	var files []*tree.File
	for _, op := range ops {
		f := v.Tree.File(op.Path)
		if op.Kind != OpEdit || f == nil {
			continue
		}
		src, err := f.Bytes()
		if err != nil {
			return nil, err
		}
		files = append(files, f.Held(src))
	}
	return v.with(v.Tree.With(files)), nil
}

func errorKey(f *Finding, path string) string {
	return f.Rule.ID + "\x00" + path + "\x00" + withoutDigits(f.Message)
}

// coreSize is the size of the core memory in bytes, which grows when its
// number of characters does.
func (v *View) coreSize() int {
	n := 0
	for f := range v.Tree.Root().Files() {
		if IsCore(f.Path) && f.Mode.IsRegular() {
			b, _ := f.Bytes() // reported as unreadable
			n += len(b)
		}
	}
	return n
}
