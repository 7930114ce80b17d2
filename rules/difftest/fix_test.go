package difftest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/parsers"
)

// fixCases is how many random repositories are mended.
const fixCases = 2000

// What `fix` does to a repository, however broken, leaves no error that was
// not there before, and nothing to mend a second time.
func TestFixAll(t *testing.T) {
	for i := range fixCases {
		r := generate(*seed, uint64(i))
		s := r.snapshot()
		s.Parsers = parsers.New()
		fixed, err := rules.NewView(s).FixAll(context.Background(), nil)
		if err != nil {
			t.Fatalf("repository %d of seed %d: %v\n%s", i, *seed, err, r)
		}
		before := errorsIn(t, s)
		s.Tree = fixed.Tree
		for key, n := range errorsIn(t, s) {
			if n > before[key] {
				t.Errorf("repository %d of seed %d: new: %s\n%q\n%s", i, *seed, key, fixed.Titles, r)
			}
		}
		again, err := rules.NewView(s).FixAll(context.Background(), nil)
		if err != nil || len(again.Changes) > 0 {
			t.Errorf("repository %d of seed %d: mended again: %v, %q\n%s", i, *seed, err, again.Titles, r)
		}
	}
}

// errorsIn counts errors by rule, path and message, without the numbers: a
// file that is too large already may grow, and lines move.
func errorsIn(t *testing.T, s rules.Snapshot) map[string]int {
	t.Helper()
	report, err := rules.NewView(s).Judge(context.Background(), rules.Options{})
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, f := range report.Findings {
		if f.Severity == rules.Error {
			counts[f.Rule.ID+" "+rules.Display(f.Path)+": "+strings.Map(withoutDigits, f.Message)]++
		}
	}
	return counts
}

func withoutDigits(r rune) rune {
	if '0' <= r && r <= '9' {
		return -1
	}
	return r
}
