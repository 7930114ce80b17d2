package rules_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/parsers"
	"github.com/memls/memls/rules/tree"
)

const memoryFile = "---\nname: %s\ndescription: about %[1]s\n---\n"

// indexed is a repository with a root index and a memory file per name.
func indexed(index string, names ...string) *rules.View {
	files := []*tree.File{tree.NewFile("MEMORY.md", tree.Regular, "", tree.Buffer(index))}
	for _, name := range names {
		files = append(files, tree.NewFile(name+".md", tree.Regular, "", tree.Buffer(fmt.Sprintf(memoryFile, name))))
	}
	return rules.NewView(rules.Snapshot{Parsers: parsers.New(), Tree: tree.New(files), Policy: config.RootMarker})
}

func indexAfterFixes(t *testing.T, v *rules.View) string {
	t.Helper()
	r, err := v.FixAll(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	src, err := r.Tree.File("MEMORY.md").Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// New items take the style, and the place at the end, of the last list of links.
func TestItemsFollowTheList(t *testing.T) {
	for _, c := range []struct{ name, index, want string }{
		{"empty", "", "- [a](a.md) — about a\n- [b](b.md) — about b\n"},
		{"no list", "[a](a.md)\n\n\n", "[a](a.md)\n\n- [b](b.md) — about b\n\n\n"},
		{"no final newline", "[a](a.md)", "[a](a.md)\n\n- [b](b.md) — about b\n"},
		{"bullet and colon", "* [a](a.md): x\n", "* [a](a.md): x\n* [b](b.md): about b\n"},
		{"indented", "  + [a](a.md) - x\n", "  + [a](a.md) - x\n  + [b](b.md) - about b\n"},
		{"numbers", "8) [x](x)\n9) [a](a.md)\n", "8) [x](x)\n9) [a](a.md)\n10) [b](b.md) — about b\n"},
		{"tasks", "- [x] [a](a.md)\n", "- [x] [a](a.md)\n- [ ] [b](b.md) — about b\n"},
		{"wiki", "- [[a]]\n", "- [[a]]\n- [[b]] — about b\n"},
		{"wiki with .md", "- [[a.md]]: x\n", "- [[a.md]]: x\n- [[b.md]]: about b\n"},
		{"before a section", "- [a](a.md)\n\n# Other\ntext\n", "- [a](a.md)\n- [b](b.md) — about b\n\n# Other\ntext\n"},
		{"section without blank line", "- [a](a.md)\n# Other\n", "- [a](a.md)\n- [b](b.md) — about b\n# Other\n"},
		{"lazy continuation", "- [a](a.md)\ngoes on\n\ntext\n", "- [a](a.md)\ngoes on\n- [b](b.md) — about b\n\ntext\n"},
		{"second paragraph", "- [a](a.md)\n\n  more\n\ntext\n", "- [a](a.md)\n\n  more\n- [b](b.md) — about b\n\ntext\n"},
		{"sub-items", "- [a](a.md)\n    - [x](https://example.org)\n    - note\n", "- [a](a.md)\n    - [x](https://example.org)\n    - note\n- [b](b.md) — about b\n"},
		{"list of other links", "- [a](a.md)\n\n## Web\n\n- [x](https://example.org)\n", "- [a](a.md)\n- [b](b.md) — about b\n\n## Web\n\n- [x](https://example.org)\n"},
		{"list in code", "```\n- [a](a.md)\n```\n[a](a.md)\n", "```\n- [a](a.md)\n```\n[a](a.md)\n\n- [b](b.md) — about b\n"},
		{"carriage returns", "- [a](a.md)\r\n", "- [a](a.md)\r\n- [b](b.md) — about b\r\n"},
		{"open code", "[a](a.md)\n```\n", "[a](a.md)\n```\n"},
		{"open comment", "[a](a.md)\n<!--\n", "[a](a.md)\n<!--\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, indexAfterFixes(t, indexed(c.index, "a", "b"))); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// Hundreds of files take one round, not one each.
func TestManyFilesAreListedTogether(t *testing.T) {
	var names []string
	var want strings.Builder
	want.WriteString("# Memory\n\n")
	for i := range 200 {
		name := fmt.Sprintf("n%03d", i)
		names = append(names, name)
		fmt.Fprintf(&want, "- [%s](%[1]s.md) — about %[1]s\n", name)
	}
	if d := cmp.Diff(want.String(), indexAfterFixes(t, indexed("# Memory\n", names...))); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
