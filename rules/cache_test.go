package rules_test

import (
	"testing"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/tree"
)

type mapCache map[tree.OID]uint64

func (c mapCache) Get(oid tree.OID) (uint64, bool) { v, ok := c[oid]; return v, ok }
func (c mapCache) Put(oid tree.OID, v uint64)      { c[oid] = v }

// What a cache knows of a blob holds for the role and the formatting that it
// was judged in, and for no other: with it the hook refuses what it refuses
// without it.
func TestCacheHidesNothing(t *testing.T) {
	const index = "# Memory \n"
	const note = "---\nname: A\ndescription: b\n---\ntext \n"
	const hygiene = `{"version": 1, "formatting": {"trailingWhitespace": true}}`
	cache := mapCache{}
	for _, step := range []struct {
		name   string
		files  map[string]string
		errors int
	}{
		{"all is clean, and remembered", map[string]string{"MEMORY.md": index, "a.md": note}, 0},
		{"a note with the index's text", map[string]string{"MEMORY.md": index, "a.md": index}, 1},
		{"an index with the note's text", map[string]string{"MEMORY.md": index, "p/MEMORY.md": note}, 1},
		{"the config asks for more", map[string]string{"MEMORY.md": index, "a.md": note, config.Path: hygiene}, 2},
		{"and for less again", map[string]string{"MEMORY.md": index, "a.md": note}, 0},
	} {
		var files []*tree.File
		for path, text := range step.files {
			files = append(files, tree.NewFile(path, tree.Regular, tree.HashBlob([]byte(text), 20), tree.Buffer(text)))
		}
		view := rules.NewView(rules.Snapshot{Tree: tree.New(files), Policy: config.RootMarker, ApproveConfig: true})
		report, err := view.Judge(t.Context(), rules.Options{RefusalsOnly: true, Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		if got := rules.CountErrors(report.Findings); got != step.errors {
			t.Errorf("%s: %d errors, want %d: %+v", step.name, got, step.errors, report.Findings)
		}
	}
	if len(cache) == 0 {
		t.Error("nothing was remembered")
	}
}
