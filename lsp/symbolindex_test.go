package lsp

import (
	"slices"
	"testing"

	"github.com/memls/memls/rules/tree"
)

// What was seen counts for the tree that is searched, whatever tree it was of.
func TestSymbolsOfSeenFiles(t *testing.T) {
	file := func(path, name string) *tree.File {
		return tree.NewFile(path, tree.Regular, "", tree.Buffer("---\nname: "+name+"\n---\n"))
	}
	kept, gone, added := file("a.md", "Alpha"), file("b.md", "Beta"), file("c.md", "Gamma")
	var x symbolIndex
	for _, f := range []*tree.File{kept, gone} {
		src, err := f.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		x.see(f, src)
	}
	search := func(files ...*tree.File) (names []string) {
		err := x.search(t.Context(), tree.New(files), "", nil, func(_ *tree.File, name string, _ int) { names = append(names, name) })
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(names)
		return names
	}
	if got, want := search(kept, added), []string{"Alpha", "Gamma"}; !slices.Equal(got, want) {
		t.Errorf("the symbols are %q, want %q", got, want)
	}
	x.see(gone, []byte("too late"))
	if got, want := search(added), []string{"Gamma"}; !slices.Equal(got, want) {
		t.Errorf("the symbols are %q, want %q", got, want)
	}
}
