package rules

import (
	"cmp"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

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
	paths := append([]string{""}, slices.Sorted(maps.Keys(touched(ops, v.Tree, t)))...)
	has, err := after.errorsAt(paths)
	if err != nil || !slices.ContainsFunc(has, func(f []Finding) bool { return len(f) > 0 }) {
		return err // as a rule: what was before need not be known
	}
	had, err := v.errorsAt(paths)
	if err != nil {
		return err
	}
	core, before := v.coreSize(), map[string]int{}
	for i, path := range paths {
		for _, f := range had[i] {
			at := f.Path
			if path != "" {
				at = moved(path)
			}
			before[errorKey(&f, at)]++
		}
	}
	for i := range paths {
		for _, f := range has[i] {
			key := errorKey(&f, f.Path)
			worse := f.Rule.ID == coreBudget && after.coreSize() > core
			if before[key]--; before[key] < 0 || worse {
				return fmt.Errorf("that would break a rule: %s [%s]", Printable(f.Line), f.Rule.ID)
			}
		}
	}
	return nil
}

// errorsAt are the errors of each file, or of the tree as a whole where the path is
// "".
func (v *View) errorsAt(paths []string) ([][]Finding, error) {
	found := make([][]Finding, len(paths))
	return found, inParallel(len(paths), func(i int) error {
		return v.eachError(paths[i], func(f *Finding) { found[i] = append(found[i], *f) })
	})
}

// held is the view with the files that steps edit in memory, which are read here
// once for all.
func (v *View) held(ops []Op) (*View, error) {
	var files []*tree.File
	for _, op := range ops {
		if f := v.Tree.File(op.Path); op.Kind == OpEdit && f != nil {
			files = append(files, f)
		}
	}
	err := inParallel(len(files), func(i int) error {
		src, err := files[i].Bytes()
		files[i] = files[i].Held(src)
		return err
	})
	return v.with(v.Tree.With(files)), err
}

// inParallel calls do for each of n numbers, from 0, on all CPUs. The error is the
// first one by number.
func inParallel(n int, do func(i int) error) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, n)
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				errs[i] = do(i)
			}
		})
	}
	wg.Wait()
	return cmp.Or(errs...)
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
