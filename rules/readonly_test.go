package rules_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/parsers"
	"github.com/memls/memls/rules/tree"
)

func protectedTree(n int) *tree.Tree {
	files := []*tree.File{textFile("MEMORY.md", "# M\n"), protection()}
	for i := range n {
		files = append(files, textFile(fmt.Sprintf("d%d/n%d.md", i/50, i), "x\n"))
	}
	return tree.New(files)
}

func protection() *tree.File {
	return textFile(config.Path, `{"version":1,"readOnlyFiles":["d0/*","**/n7*.md","*.txt"]}`)
}

func textFile(path, text string) *tree.File {
	return tree.NewFile(path, tree.Regular, "", tree.Buffer(text))
}

// readOnlyFindings are what the rule finds in a tree.
func readOnlyFindings(t testing.TB, head, now *tree.Tree) (lines []string) {
	t.Helper()
	view := rules.NewView(rules.Snapshot{Tree: now, Head: head, Policy: config.RootMarker, Parsers: parsers.New()})
	found, err := view.JudgeTree()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		if f.Rule.ID == "read-only-files" {
			lines = append(lines, fmt.Sprintf("%s %d", f.Line, len(f.Fixes)))
		}
	}
	return lines
}

// What is found by what changed since the last time is what is found anew.
func TestReadOnlyFilesStepByStep(t *testing.T) {
	head := protectedTree(100)
	now, r, seen := protectedTree(100), rand.New(rand.NewPCG(1, 1)), 0
	for step := range 300 {
		path := fmt.Sprintf("d%d/n%d.md", r.IntN(3), r.IntN(100))
		switch r.IntN(6) {
		case 0:
			now = now.With(nil, path)
		case 1:
			now = now.With([]*tree.File{textFile("new.txt", "x\n")})
		case 2:
			now = now.With(nil, "new.txt")
		case 3:
			if f := head.File(path); f != nil {
				now = now.With([]*tree.File{f})
			}
		case 4:
			now = now.With([]*tree.File{textFile(path, "changed\n")})
		case 5:
			if step%20 == 0 { // a commit
				head = now
			}
		}
		got := readOnlyFindings(t, head, now)
		want := readOnlyFindings(t, head, now.With([]*tree.File{protection()}))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("step %d (-want +got):\n%s", step, diff)
		}
		seen += len(got)
	}
	if seen == 0 {
		t.Error("nothing was found in any step")
	}
}

// A keystroke costs what it changes, however much is protected.
func TestReadOnlyFilesCost(t *testing.T) {
	allocations := func(n int) float64 {
		head, now := protectedTree(n), protectedTree(n)
		i := 0
		return testing.AllocsPerRun(50, func() {
			i++
			readOnlyFindings(t, head, now.With([]*tree.File{textFile("d0/n0.md", fmt.Sprint(i))}))
		})
	}
	if few, many := allocations(50), allocations(5000); many > few*1.5 {
		t.Errorf("%v allocations among 5000 files, want about as many as the %v among 50", many, few)
	}
}
