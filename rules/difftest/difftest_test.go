// Package difftest_test compares the engine with the reference, the validator
// that Letta Code installs as a git hook: random repositories must be accepted
// or refused alike, with the same lines. See exceptions_test.go for what is
// meant to differ.
package difftest_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memls/memls/rules/difftest/oracle"
)

var (
	seed  = flag.Uint64("seed", 1, "seed of the random repositories")
	cases = flag.Int("cases", 0, "number of random repositories (0: 2000, in CI 20000)")
)

// fewCases is the default number, enough to meet every exception.
const fewCases = 2000

// batch is how many repositories go to the oracle at once.
const batch = 500

func caseCount() int {
	switch {
	case *cases > 0:
		return *cases
	case os.Getenv("CI") != "":
		return 20000
	}
	return fewCases
}

// A verdict is what the two judges say of one repository.
type verdict struct {
	want, got []string // the reference's lines, ours
	used      []string // the exceptions that were needed
	// unlike is set when the reference's verdict is not what its lines say.
	unlike bool
	err    error
}

// compare judges with our engine and evens out what is meant to differ.
func compare(r *repo, a oracle.Answer) verdict {
	got, err := r.judge()
	v := verdict{want: a.Errors, got: got, err: err}
	if a.Refused != (len(a.Errors) > 0) {
		v.unlike = !r.submoduleMarks()
		v.used = append(v.used, markerException.name)
	}
	for _, e := range exceptions {
		w, g := e.adjust(r, v.want, v.got)
		if !slices.Equal(w, v.want) || !slices.Equal(g, v.got) {
			v.used = append(v.used, e.name)
		}
		v.want, v.got = w, g
	}
	v.want, v.got = slices.Sorted(slices.Values(v.want)), slices.Sorted(slices.Values(v.got))
	return v
}

func (v *verdict) differs() bool { return v.err != nil || v.unlike || !slices.Equal(v.want, v.got) }

// String shows the lines that only one of the two has.
func (v *verdict) String() string {
	if v.err != nil {
		return fmt.Sprintf("our engine fails: %v\n", v.err)
	}
	var b strings.Builder
	if v.unlike {
		b.WriteString("the reference's verdict is not that of its lines\n")
	}
	only := func(mark string, lines, others []string) {
		others = slices.Clone(others)
		for _, line := range lines {
			if i := slices.Index(others, line); i >= 0 {
				others = slices.Delete(others, i, i+1)
				continue
			}
			fmt.Fprintf(&b, "%s %q\n", mark, line)
		}
	}
	only("only the reference:", v.want, v.got)
	only("only our engine:   ", v.got, v.want)
	return b.String()
}

// Random repositories are accepted or refused as by the reference, and for the
// same reasons.
func TestReference(t *testing.T) {
	o := oracle.Start(t)
	used := map[string]int{}
	refused, count := 0, caseCount()
	var failures failures
	for first := 0; first < count; first += batch {
		repos := make([]*repo, min(batch, count-first))
		each(len(repos), func(i int) { repos[i] = generate(*seed, uint64(first+i)) })
		answers, err := ask(o, repos...)
		if err != nil {
			t.Fatal(err)
		}
		verdicts := make([]verdict, len(repos))
		each(len(repos), func(i int) { verdicts[i] = compare(repos[i], answers[i]) })
		for i, v := range verdicts {
			if len(v.want) > 0 {
				refused++
			}
			for _, name := range v.used {
				used[name]++
			}
			if v.differs() {
				failures.add(t, o, first+i, repos[i])
			}
		}
	}
	failures.report(t)
	t.Logf("seed %d: %d repositories, %d of them refused", *seed, count, refused)
	for _, e := range append(exceptions, markerException) {
		t.Logf("exception %q: %d repositories", e.name, used[e.name])
		if used[e.name] == 0 && count >= fewCases {
			t.Errorf("no repository needs the exception %q (%s)", e.name, e.why)
		}
	}
	// A generator whose repositories are all bad, or all good, tests little.
	if refused*5 < count || refused*20 > count*19 {
		t.Errorf("%d of %d repositories are refused: the generator is out of balance", refused, count)
	}
}

// each runs f for 0 to n-1, on all CPUs.
func each(n int, f func(i int)) {
	var wg sync.WaitGroup
	for w := range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := w; i < n; i += runtime.GOMAXPROCS(0) {
				f(i)
			}
		})
	}
	wg.Wait()
}

// failures gathers repositories on which the judges differ, one of each kind.
type failures struct {
	total int
	seen  map[string]bool
	texts []string
}

// mostShrunk bounds the time that a broken engine takes to be reported.
const mostShrunk = 40

func (fs *failures) add(t *testing.T, o *oracle.Oracle, number int, r *repo) {
	fs.total++
	if fs.total > mostShrunk {
		return
	}
	small, v, err := shrink(o, r)
	if err != nil {
		t.Fatal(err)
	}
	kind := names.ReplaceAllString(v.String(), "")
	if fs.seen[kind] {
		return
	}
	if fs.seen == nil {
		fs.seen = map[string]bool{}
	}
	fs.seen[kind] = true
	fs.texts = append(fs.texts, fmt.Sprintf("repository %d of seed %d:\n%s%s", number, *seed, v.String(), small))
}

// names is what makes two failures of one kind look different.
var names = regexp.MustCompile(`"[^":]*:|'[^']*'|\d+`)

func (fs *failures) report(t *testing.T) {
	for _, text := range fs.texts {
		t.Error(text)
	}
	if fs.total > 0 {
		t.Errorf("%d repositories are judged unlike the reference", fs.total)
	}
}
