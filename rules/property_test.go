package rules_test

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memls/memls/rules"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// After any safe fix its finding is gone and no new error is there. The cases
// are the corpus: every rule with a fix has to be met by one of them.
func TestSafeFixesAreSafe(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	fixed := map[string]bool{}
	for _, file := range files {
		v := rules.NewView(loadCase(t, file).snapshot)
		before, err := v.Judge(context.Background(), rules.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range before.Findings {
			for _, fix := range f.Fixes {
				if fix.Safe() {
					fixed[f.Rule.ID] = true
					checkFix(t, filepath.Base(file), v, before, &f, fix)
				}
			}
		}
	}
	for _, r := range rules.All() {
		if r.Doc.Fix != "" && !fixed[r.ID] && !guessesOnly[r.ID] {
			t.Errorf("no case has a safe fix of %s", r.ID)
		}
	}
}

// guessesOnly are rules whose every fix needs a person's eye.
var guessesOnly = map[string]bool{"read-only-modified": true, "read-only-files": true, "protected-moved": true, "conflict-marker": true, "prompt-tag": true}

func key(f *rules.Finding) string {
	return strings.Join([]string{f.Rule.ID, f.Path, f.Message}, "\x00")
}

func checkFix(t *testing.T, file string, v *rules.View, before *rules.Report, f *rules.Finding, fix *rules.Fix) {
	t.Helper()
	ops, err := fix.Ops()
	if err != nil {
		t.Errorf("%s: %s: %v", file, fix.Title, err)
		return
	}
	after, err := rules.Apply(v.Tree, ops)
	if err != nil {
		t.Errorf("%s: %s: %v", file, fix.Title, err)
		return
	}
	s := v.Snapshot
	s.Tree = after
	report, err := rules.NewView(s).Judge(context.Background(), rules.Options{})
	if err != nil {
		t.Fatal(err)
	}
	old := map[string]int{}
	for i := range before.Findings {
		old[key(&before.Findings[i])]++
	}
	left := map[string]int{}
	for i := range report.Findings {
		g := &report.Findings[i]
		left[key(g)]++
		if g.Severity == rules.Error && left[key(g)] > old[key(g)] {
			t.Errorf("%s: fix %q of %s brings a new error: %s", file, fix.Title, f.Rule.ID, g.Line)
		}
	}
	if left[key(f)] >= old[key(f)] {
		t.Errorf("%s: fix %q does not mend %s: %s", file, fix.Title, f.Rule.ID, f.Line)
	}
}
