package memory

import (
	"slices"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/tree"
)

// listNew creates the indexes that are missing above files that are new, and
// lists in their indexes what is: by the fixes of the rules that ask for it.
func (w *Workspace) listNew(before *tree.Tree) error {
	var paths []string
	for _, p := range changedPaths(before, w.tree) {
		if w.tree.Has(p) && !before.Has(p) {
			paths = append(paths, p)
		}
	}
	for i := 0; i < len(paths); i++ { // grows by the indexes that are created
		for _, rule := range []string{"index-chain", "index-unlisted"} {
			was := w.tree
			if err := w.mend(paths[i], rule); err != nil {
				return err
			}
			for _, p := range changedPaths(was, w.tree) {
				if !was.Has(p) && !slices.Contains(paths, p) {
					paths = append(paths, p)
				}
			}
		}
	}
	return nil
}

// mend applies the fix of one rule's finding about a file. Of several the last
// is the one about this file alone.
func (w *Workspace) mend(p, rule string) error {
	f := w.tree.File(p)
	if f == nil {
		return nil
	}
	findings, err := w.View().JudgeFile(f)
	if err != nil {
		return err
	}
	for i := range findings {
		found := &findings[i]
		if found.Rule.ID != rule || found.Severity > rules.Warning {
			continue
		}
		for _, fix := range slices.Backward(found.Fixes) {
			if !fix.Safe() {
				continue
			}
			ops, err := fix.Ops()
			if err != nil || w.guardAll(ops) != nil {
				return err // what is out of reach is told as a finding
			}
			w.tree, err = rules.Apply(w.tree, ops)
			return err
		}
	}
	return nil
}

func (w *Workspace) guardAll(ops []rules.Op) error {
	for _, op := range ops {
		for _, p := range []string{op.Path, op.To} {
			if err := w.guard(p); err != nil {
				return err
			}
		}
	}
	return nil
}
