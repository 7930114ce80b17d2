package rules_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/markdown"
	"github.com/memls/memls/rules/parsers"
	"github.com/memls/memls/rules/tree"
)

// graphPaths and graphLinks are made to meet: by way of the root, of the own
// directory, of a name, of a directory, in several spellings.
var (
	graphPaths = []string{
		"MEMORY.md", "a.md", "b c.md", "b%20c.md", "x", "p/MEMORY.md", "p/a.md", "p/q/MEMORY.md", "p/q/deep.md", "p.md",
		"skills/s/SKILL.md", "skills/s/only.md", "r/x.md.md", "r/pic.png", "ä.md",
	}
	graphLinks = []string{
		"[t](a.md)", "[t](./a.md)", "[t](../a.md)", "[t](/a.md)", "[t](p/a.md#h)", "[t](b%20c.md)", "[t](<b c.md>)", "[t](b%2520c.md)",
		"[t](p)", "[t](p/)", "[t](.)", "[t](..)", "[t](/)", "[t](#h)", "[t](?q#h)", "[t](a.md?q)", "![t](r/pic.png)", "[t](%zz.md)",
		"[[a]]", "[[a.md#h|alias]]", "[[p]]", "[[p/a]]", "[[deep]]", "[[only]]", "[[./a]]", "[[../p/a]]", "[[x.md]]", "[[/p/q/]]", "[[#h]]", "[[?]]",
		"[t][l]\n\n[l]: p/q/deep.md 'title'\n", "[unused]: ../p.md\n", "[^1]: note\n", "<https://example.org>", "[t](mailto:x@y.z)", "[t](%C3%A4.md)", "`[t](a.md)`",
	}
)

func graphFile(r *rand.Rand, path string) *tree.File {
	text := "---\nname: n\n---\n# h\n"
	for range r.IntN(6) {
		text += graphLinks[r.IntN(len(graphLinks))] + "\n"
	}
	return tree.NewFile(path, tree.Regular, "", tree.Buffer(text))
}

// linksByHand is what the graph answers, found by reading everything.
func linksByHand(t *tree.Tree, path string) (refs []string) {
	p := parsers.New()
	note := func(f *tree.File, l *markdown.Link, definition bool) {
		to := rules.Resolve(t, f.Path, l)
		if to.Kind == rules.TargetExternal || to.Kind == rules.TargetOutside || to.Kind == rules.TargetInvalid {
			return
		}
		if to.Path == path || to.File != "" && to.File == path {
			refs = append(refs, describeRef(f.Path, l, definition, to))
		}
	}
	for f := range t.All() {
		src, _ := f.Bytes()
		if !rules.IsMarkdown(f.Path) {
			continue
		}
		doc := p.Markdown(src, len("---\nname: n\n---\n"))
		for i := range doc.Links {
			note(f, &doc.Links[i], false)
		}
		for i := range doc.Definitions {
			if d := &doc.Definitions[i]; d.Label != "^1" {
				note(f, &markdown.Link{Kind: markdown.Reference, Span: d.Span, Target: d.Target}, true)
			}
		}
	}
	slices.Sort(refs)
	return refs
}

func describeRef(from string, l *markdown.Link, definition bool, to rules.Target) string {
	return fmt.Sprintf("%s %v %d %q %q %v %v %v %v %+v", from, l.Span, l.Kind, l.Dest, l.Fragment, l.DestSpan, l.FragmentSpan, l.Angle, definition, to)
}

func ask(t *testing.T, g *rules.Graph, tr *tree.Tree, path string) (refs []string) {
	t.Helper()
	found, err := g.To(t.Context(), tr, path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range found {
		refs = append(refs, describeRef(found[i].From.Path, &found[i].Link, found[i].Definition, found[i].Target))
	}
	slices.Sort(refs)
	return refs
}

// The graph says at every moment what resolving every link of every file says,
// whatever changed and in whatever order trees are asked about.
func TestGraphAgreesWithResolve(t *testing.T) {
	targets := append([]string{"", "p", "p/q", "missing.md", "r"}, graphPaths...)
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		g := rules.NewGraph(parsers.New())
		trees := []*tree.Tree{tree.New(nil)}
		for step := range 12 {
			old := trees[r.IntN(len(trees))]
			var files []*tree.File
			var removed []string
			for range 1 + r.IntN(5) {
				if path := graphPaths[r.IntN(len(graphPaths))]; r.IntN(3) > 0 {
					files = append(files, graphFile(r, path))
				} else {
					removed = append(removed, path)
				}
			}
			now := old.With(files, removed...)
			trees = append(trees, now)
			if r.IntN(3) == 0 {
				now = old
			}
			if r.IntN(4) == 0 {
				cancelled, cancel := context.WithCancel(t.Context())
				cancel()
				if _, err := g.To(cancelled, trees[r.IntN(len(trees))], "a.md"); err == nil {
					t.Fatal("a cancelled question has an answer")
				}
			}
			for _, path := range targets {
				got, want := ask(t, g, now, path), linksByHand(now, path)
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d, step %d: links to %q are\n%q\nwant\n%q", seed, step, path, got, want)
				}
			}
		}
	}
}

func flatMemory(n int) *tree.Tree {
	files := []*tree.File{tree.NewFile("MEMORY.md", tree.Regular, "", tree.Buffer("# M\n"))}
	for i := range n {
		text := fmt.Sprintf("---\nname: N%d\ndescription: d\n---\n# N\n", i)
		for k := range 7 {
			text += fmt.Sprintf("- [some text](note-%05d.md#heading-%d)\n", (i*7+k*k*131)%n, k)
		}
		files = append(files, tree.NewFile(fmt.Sprintf("notes/note-%05d.md", i), tree.Regular, "", tree.Buffer(text)))
	}
	return tree.New(files)
}

// The graph of ten thousand files with seven links each takes less than 10 MB.
func TestGraphIsSmall(t *testing.T) {
	tr := flatMemory(10000)
	before := heap()
	g := rules.NewGraph(parsers.New())
	if err := g.Follow(t.Context(), tr); err != nil {
		t.Fatal(err)
	}
	if size := int(heap()) - int(before); size > 10<<20 {
		t.Errorf("the graph takes %d bytes", size)
	} else {
		t.Logf("the graph takes %d bytes", size)
	}
	runtime.KeepAlive(tr)
	runtime.KeepAlive(g)
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func BenchmarkGraphBuild(b *testing.B) {
	tr := flatMemory(10000)
	for b.Loop() {
		if err := rules.NewGraph(parsers.New()).Follow(b.Context(), tr); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkGraphStep asks for the links to a file after each change of one.
func BenchmarkGraphStep(b *testing.B) {
	for _, n := range []int{100, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			tr, g := flatMemory(n), rules.NewGraph(parsers.New())
			for i := 0; b.Loop(); i++ {
				f := tree.NewFile("notes/note-00001.md", tree.Regular, "", tree.Buffer(fmt.Sprintf("[x](note-00002.md) %d\n", i)))
				tr = tr.With([]*tree.File{f})
				if refs, err := g.To(b.Context(), tr, "notes/note-00002.md"); err != nil || len(refs) == 0 {
					b.Fatal(refs, err)
				}
			}
		})
	}
}
