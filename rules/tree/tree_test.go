package tree

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func buf(path, text string) *File { return NewFile(path, Regular, "", Buffer(text)) }

func paths(t *Tree) []string {
	var out []string
	for f := range t.All() {
		out = append(out, f.Path)
	}
	return out
}

// Random edits through With must give the same tree as building it anew, in
// byte order of the paths.
func TestWithEqualsNew(t *testing.T) {
	names := []string{"a", "a.b", "a-b", "a.md", "ab", "A", "z", "é", "e\u0301", "\xff", "a b"}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		tr, model := New(nil), map[string]*File{}
		for range 40 {
			p := names[rng.IntN(len(names))] + ".md"
			for range rng.IntN(3) {
				p = names[rng.IntN(len(names))] + "/" + p
			}
			if rng.IntN(3) == 0 {
				tr = tr.With(nil, p)
				delete(model, p)
			} else {
				f := buf(p, fmt.Sprint(rng.Int()))
				tr = tr.With([]*File{f})
				model[p] = f
			}
			want := slices.Sorted(maps.Keys(model))
			if d := cmp.Diff(want, paths(tr)); d != "" {
				t.Fatalf("after With (-want +got):\n%s", d)
			}
			fresh := New(slices.Collect(maps.Values(model)))
			if d := cmp.Diff(want, paths(fresh)); d != "" {
				t.Fatalf("New (-want +got):\n%s", d)
			}
			for p, f := range model {
				if tr.File(p) != f {
					t.Fatalf("File(%q) lost", p)
				}
			}
		}
	}
}

// A directory of many files, kept in runs that are split and emptied, is what
// its files are, and a difference is found wherever it is.
func TestLargeDirectory(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	name := func() string { return fmt.Sprintf("d/%04d.md", rng.IntN(2000)) }
	model := map[string]*File{}
	for range 1000 {
		f := buf(name(), "")
		model[f.Path] = f
	}
	tr := New(slices.Collect(maps.Values(model)))
	for range 300 {
		before, old := tr, maps.Clone(model)
		for range 1 + rng.IntN(20) {
			if p := name(); rng.IntN(2) == 0 {
				tr = tr.With(nil, p)
				delete(model, p)
			} else {
				f := buf(p, "")
				tr, model[p] = tr.With([]*File{f}), f
			}
		}
		if d := cmp.Diff(slices.Sorted(maps.Keys(model)), paths(tr)); d != "" {
			t.Fatalf("after With (-want +got):\n%s", d)
		}
		if n, all := tr.Dir("d").FileCount(), tr.Len(); n != len(model) || all != n {
			t.Fatalf("%d files in the directory, and %d in the tree, want %d", n, all, len(model))
		}
		Diff(before, tr, func(was, is *File) {
			switch {
			case was == is:
				t.Fatalf("Diff finds %v twice", was)
			case was != nil && is != nil && was.Path != is.Path:
				t.Fatalf("Diff takes %s for %s", was.Path, is.Path)
			}
			if was != nil {
				delete(old, was.Path)
			}
			if is != nil {
				old[is.Path] = is
			}
		})
		if !maps.Equal(old, model) {
			t.Fatal("what Diff finds does not lead from one tree to the other")
		}
		for p, f := range model {
			if tr.File(p) != f {
				t.Fatalf("File(%q) lost", p)
			}
		}
	}
}

// BenchmarkEdit replaces a file of a directory and finds it by comparing.
func BenchmarkEdit(b *testing.B) {
	for _, n := range []int{100, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var files []*File
			for i := range n {
				files = append(files, buf(fmt.Sprintf("notes/%05d.md", i), ""))
			}
			tr := New(files)
			for b.Loop() {
				next := tr.With([]*File{buf("notes/00042.md", "")})
				changes := 0
				if Diff(tr, next, func(_, _ *File) { changes++ }); changes != 1 {
					b.Fatalf("%d changes", changes)
				}
				tr = next
			}
		})
	}
}

func TestEmptyDirectoryDisappears(t *testing.T) {
	tr := New([]*File{buf("a/b/c.md", ""), buf("x.md", "")}).With(nil, "a/b/c.md")
	if tr.Dir("a") != nil {
		t.Error("directory a is still there after its last file went")
	}
}

func TestTwins(t *testing.T) {
	tr := New([]*File{buf("Persona.md", ""), buf("persona.md", ""), buf("caf\u00e9.md", ""), buf("cafe\u0301.md", ""), buf("other.md", "")})
	for name, want := range map[string][]string{
		"persona.md":   {"Persona.md"},
		"caf\u00e9.md": {"cafe\u0301.md"},
		"other.md":     nil,
		"PERSONA.MD":   {"Persona.md", "persona.md"},
	} {
		if d := cmp.Diff(want, tr.Root().Twins(name)); d != "" {
			t.Errorf("Twins(%q) (-want +got):\n%s", name, d)
		}
	}
	if got := tr.With([]*File{buf("OTHER.md", "")}).Root().Twins("other.md"); len(got) != 1 {
		t.Errorf("Twins after With = %q, want OTHER.md", got)
	}
}

func TestNamed(t *testing.T) {
	tr := New([]*File{buf("a/x.md", "1"), buf("b/X.md", "2"), buf("x/y.md", "3")})
	want := []string{"a/x.md", "b/X.md"}
	if d := cmp.Diff(want, tr.Named("x.md")); d != "" {
		t.Errorf("Named (-want +got):\n%s", d)
	}
	edited := tr.With([]*File{buf("a/x.md", "changed")})
	if edited.names != tr.names {
		t.Error("a change of content made the names anew")
	}
	moved := edited.With([]*File{buf("c/x.md", "4")}, "a/x.md")
	if d := cmp.Diff([]string{"b/X.md", "c/x.md"}, moved.Named("x.md")); d != "" {
		t.Errorf("Named after a move (-want +got):\n%s", d)
	}
}

func TestEmptySegments(t *testing.T) {
	for _, path := range []string{"/x.md", "a//b.md", "a/", "", "/"} {
		if got := paths(New([]*File{buf(path, ""), buf("ok.md", "")})); len(got) != 1 || got[0] != "ok.md" {
			t.Errorf("New with %q holds %q, want ok.md alone", path, got)
		}
	}
}
