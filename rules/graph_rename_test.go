package rules_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/parsers"
	"github.com/memls/memls/rules/tree"
)

// headingTexts make anchors that meet: the same text twice, and texts that look
// like the anchor of the second one.
var headingTexts = []string{"Part One", "Part One", "Part One 1", "Ünï Cödé", "Some `code` *here*", "😀 Fun", "A-b"}

// headingLinks are links to headings of a.md in each style.
var headingLinks = []string{
	"[t](a.md#part-one)", "[t](<a.md#part-one-1>)", "[[a#Part One]]", "[t](/a.md#part-one-1-1 \"title\")", "[t](./a.md#user-content-a-b)",
	"[t][l]\n\n[l]: a.md#%C3%BCn%C3%AF-c%C3%B6d%C3%A9\n", "[[a#some-code-here|alias]]", "[t](a.md#-fun)", "[t](a.md#gone)", "[t](a.md)",
}

func headingMemory(r *rand.Rand) *tree.Tree {
	a := "---\nname: A\ndescription: d\n---\n"
	for range 1 + r.IntN(6) {
		a += "## " + headingTexts[r.IntN(len(headingTexts))] + "\n\n[self](#part-one)\n\n"
	}
	other := "---\nname: B\ndescription: d\n---\n"
	for range 1 + r.IntN(8) {
		other += "- " + headingLinks[r.IntN(len(headingLinks))] + "\n"
	}
	file := func(path, text string) *tree.File { return tree.NewFile(path, tree.Regular, "", tree.Buffer(text)) }
	return tree.New([]*tree.File{file("MEMORY.md", "# M\n\n- [A](a.md)\n- [B](b.md)\n"), file("a.md", a), file("b.md", other)})
}

// anchors are the headings that the links of b.md and a.md lead to, by number.
func anchors(t *testing.T, v *rules.View) (list []int) {
	t.Helper()
	headings, err := v.DocOf(v.Tree.File("a.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"a.md", "b.md"} {
		doc, err := v.DocOf(v.Tree.File(path))
		if err != nil {
			t.Fatal(err)
		}
		for i := range doc.Links {
			n := -1
			if a := v.AnchorOf(rules.Resolve(v.Tree, path, &doc.Links[i])); a.Heading != nil {
				for k := range headings.Headings {
					if headings.Headings[k].Span == a.Heading.Span {
						n = k
					}
				}
			}
			list = append(list, n)
		}
	}
	return list
}

// After a rename every link leads to the heading that it led to, and the rename
// back leaves no trace.
func TestRenameHeadingKeepsLinks(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		before := memoryView(headingMemory(r), config.RootMarker)
		doc, err := before.DocOf(before.Tree.File("a.md"))
		if err != nil {
			t.Fatal(err)
		}
		n := r.IntN(len(doc.Headings))
		src, _ := before.Tree.File("a.md").Bytes()
		old := string(src[doc.Headings[n].TextSpan.Start:doc.Headings[n].TextSpan.End])
		rename := func(v *rules.View, text string) *rules.View {
			doc, err := v.DocOf(v.Tree.File("a.md"))
			if err != nil {
				t.Fatal(err)
			}
			ops, err := v.RenameHeading(t.Context(), rules.NewGraph(parsers.New()), "a.md", &doc.Headings[n], text)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			next, err := rules.Apply(v.Tree, ops)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			return memoryView(next, config.RootMarker)
		}
		// With letters that can be encoded, or it is forgotten which links did.
		renamed := rename(before, "Ëntirely Other Words")
		if diff := cmp.Diff(anchors(t, before), anchors(t, renamed)); diff != "" {
			t.Fatalf("seed %d: links lead elsewhere:\n%s\n%v", seed, diff, textsOf(t, renamed.Tree))
		}
		if diff := cmp.Diff(textsOf(t, before.Tree), textsOf(t, rename(renamed, old).Tree)); diff != "" {
			t.Fatalf("seed %d: the way back leaves traces:\n%s", seed, diff)
		}
	}
}

// A move changes the same with a graph as when it looks at every file.
func TestMoveWithGraph(t *testing.T) {
	moves := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		var files []*tree.File
		for _, path := range graphPaths {
			if r.IntN(3) > 0 {
				files = append(files, graphFile(r, path))
			}
		}
		plain := memoryView(tree.New(files), config.LegacyOnly)
		s := plain.Snapshot
		s.Links = rules.NewGraph(parsers.New())
		from := []string{"a.md", "p", "p/q", "p/a.md", "r", "p.md", "b c.md", "p/q/deep.md"}[r.IntN(8)]
		to := []string{"z.md", "zz/a", "p/z.md", "deep.md", "zz/only.md"}[r.IntN(5)]
		want, wantErr := plain.Move(from, to)
		got, err := rules.NewView(s).Move(from, to)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("seed %d: %s to %s: error %v, want %v", seed, from, to, err, wantErr)
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(rules.Edit{}, "Place")); diff != "" {
			t.Fatalf("seed %d: %s to %s:\n%s", seed, from, to, diff)
		}
		if err == nil {
			moves++
		}
	}
	if moves < 50 {
		t.Errorf("only %d moves were possible", moves)
	}
}
