package rules_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/markdown"
	"github.com/memls/memls/rules/markdown/commonmark"
	"github.com/memls/memls/rules/tree"
)

func treeOf(paths ...string) *tree.Tree {
	var files []*tree.File
	for _, p := range paths {
		files = append(files, tree.NewFile(p, tree.Regular, "", tree.Buffer("x\n")))
	}
	return tree.New(files)
}

// linkIn parses the one link of a text.
func linkIn(t *testing.T, text string) *markdown.Link {
	t.Helper()
	doc := commonmark.Parse([]byte(text), 0)
	if len(doc.Links) != 1 {
		t.Fatalf("%q has %d links, want 1", text, len(doc.Links))
	}
	return &doc.Links[0]
}

func TestResolve(t *testing.T) {
	tr := treeOf("MEMORY.md", "a.md", "my notes.md", "100%.md", "what?.md", "a/MEMORY.md", "a/b.md", "a/note.md", "c/x/deep.md",
		"c/note.md", "d.md/inside.txt", "pic.png", "skills/s/SKILL.md", "projects.md", "projects/MEMORY.md")
	file := func(path, fragment string) rules.Target {
		return rules.Target{Kind: rules.TargetFile, Path: path, File: path, Fragment: fragment}
	}
	missing := func(path string) rules.Target { return rules.Target{Kind: rules.TargetMissing, Path: path} }
	outside := rules.Target{Kind: rules.TargetOutside}
	external := rules.Target{Kind: rules.TargetExternal}
	for _, c := range []struct {
		from, link string
		want       rules.Target
	}{
		{"MEMORY.md", "[x](a.md)", file("a.md", "")},
		{"a/b.md", "[x](note.md#Part%20one)", file("a/note.md", "Part one")},
		{"a/b.md", "[x](../a.md)", file("a.md", "")},
		{"a/b.md", "[x](/a.md)", file("a.md", "")},
		{"a/b.md", "[x](./././note.md)", file("a/note.md", "")},
		{"MEMORY.md", "[x](my%20notes.md)", file("my notes.md", "")},
		{"MEMORY.md", "[x](<my notes.md>)", file("my notes.md", "")},
		{"MEMORY.md", "[x](100%.md)", file("100%.md", "")},
		{"MEMORY.md", "[x](100%25.md)", file("100%.md", "")},
		{"MEMORY.md", "[x](what?.md)", file("what?.md", "")},
		{"MEMORY.md", "[x](what%3F.md)", file("what?.md", "")},
		{"MEMORY.md", "[x](a.md?raw=1#z)", rules.Target{Kind: rules.TargetFile, Path: "a.md", File: "a.md", Query: "?raw=1", Fragment: "z"}},
		{"MEMORY.md", "![x](pic.png)", file("pic.png", "")},
		{"MEMORY.md", "[x](skills/s/SKILL.md)", file("skills/s/SKILL.md", "")},
		{"MEMORY.md", "[x](a/)", rules.Target{Kind: rules.TargetDir, Path: "a", File: "a/MEMORY.md"}},
		{"MEMORY.md", "[x](a)", rules.Target{Kind: rules.TargetDir, Path: "a", File: "a/MEMORY.md"}},
		{"MEMORY.md", "[x](d.md)", rules.Target{Kind: rules.TargetDir, Path: "d.md"}},
		{"a/b.md", "[x](.)", rules.Target{Kind: rules.TargetDir, Path: "a", File: "a/MEMORY.md"}},
		{"a/b.md", "[x](..)", rules.Target{Kind: rules.TargetDir, File: "MEMORY.md"}},
		{"a/b.md", "[x](#part)", rules.Target{Kind: rules.TargetSelf, Path: "a/b.md", File: "a/b.md", Fragment: "part"}},
		{"MEMORY.md", "[x](gone.md#z)", rules.Target{Kind: rules.TargetMissing, Path: "gone.md", Fragment: "z"}},
		{"MEMORY.md", "[x](/a/gone.md)", missing("a/gone.md")},
		{"MEMORY.md", "[x](A.md)", missing("A.md")},
		{"MEMORY.md", "[x](%zz.md)", rules.Target{Kind: rules.TargetInvalid, Path: "%zz.md"}},
		{"MEMORY.md", "[x](/etc/hosts)", outside},
		{"MEMORY.md", "[x](~/a.md)", outside},
		{"a/b.md", "[x](../../a.md)", outside},
		{"MEMORY.md", "[x](.git/HEAD)", outside},
		{"MEMORY.md", "[x](https://example.org/a.md)", external},
		{"MEMORY.md", "[x](//example.org/a.md)", external},
		{"MEMORY.md", "[x](C:/a.md)", external},
		{"MEMORY.md", "<https://example.org>", external},

		{"a/b.md", "[[a]]", file("a.md", "")},
		{"a/b.md", "[[a.md]]", file("a.md", "")},
		{"a/b.md", "[[note#Part one|alias]]", file("a/note.md", "Part one")},
		{"a/b.md", "[[./note]]", file("a/note.md", "")},
		{"a/b.md", "[[../note]]", missing("note.md")},
		{"a/b.md", "[[c/note]]", file("c/note.md", "")},
		{"a/b.md", "[[/c/note]]", file("c/note.md", "")},
		{"MEMORY.md", "[[deep]]", file("c/x/deep.md", "")},
		{"MEMORY.md", "[[note]]", file("a/note.md", "")},
		{"MEMORY.md", "[[x/deep]]", missing("x/deep.md")},
		{"MEMORY.md", "[[projects]]", file("projects.md", "")},
		{"MEMORY.md", "[[projects/]]", rules.Target{Kind: rules.TargetDir, Path: "projects", File: "projects/MEMORY.md"}},
		{"MEMORY.md", "[[#part]]", rules.Target{Kind: rules.TargetSelf, Path: "MEMORY.md", File: "MEMORY.md", Fragment: "part"}},
		{"MEMORY.md", "[[v1.2 plan]]", missing("v1.2 plan.md")},
		{"MEMORY.md", "[[gone.png]]", missing("gone.png")},
		{"MEMORY.md", "[[https://example.org]]", external},
	} {
		if d := cmp.Diff(c.want, rules.Resolve(tr, c.from, linkIn(t, c.link))); d != "" {
			t.Errorf("%s in %s (-want +got):\n%s", c.link, c.from, d)
		}
	}
}

func TestWriteTarget(t *testing.T) {
	for _, c := range []struct{ from, like, to, want string }{
		{"MEMORY.md", "[x](a.md)", "b.md", "b.md"},
		{"p/a.md", "[x](a.md)", "b.md", "../b.md"},
		{"p/q/a.md", "[x](a.md)", "p/r/b.md", "../r/b.md"},
		{"p/a.md", "[x](/a.md)", "q/b.md", "/q/b.md"},
		{"p/a.md", "[x](./a.md)", "p/b.md", "./b.md"},
		{"p/a.md", "[x](./a.md)", "b.md", "../b.md"},
		{"MEMORY.md", "[x](a.md)", "my (old) notes.md", "my%20%28old%29%20notes.md"},
		{"MEMORY.md", "[x](<a.md>)", "my (old) notes.md", "my (old) notes.md"},
		{"MEMORY.md", "[x](<a.md>)", "a<b>%20.md", "a%3Cb%3E%2520.md"},
		{"MEMORY.md", "[x](a.md)", "メモ.md", "メモ.md"},
		{"MEMORY.md", "[x](a.md)", "a:b.md", "./a:b.md"},
		{"MEMORY.md", "[x](p/)", "q", "q/"},
		{"MEMORY.md", "[[a]]", "p/b c.md", "p/b c"},
		{"p/a.md", "[[a.md]]", "p/b.md", "p/b.md"},
		{"p/a.md", "[[./a]]", "p/b.md", "./b"},
		{"p/a.md", "[[../a]]", "b.md", "../b"},
	} {
		got := rules.WriteTarget(c.from, c.to, linkIn(t, c.like))
		if got != c.want {
			t.Errorf("%s to %s, like %s: %s, want %s", c.from, c.to, c.like, got, c.want)
		}
		// What is written leads there.
		text := "[x](" + got + ")"
		switch l := linkIn(t, c.like); {
		case l.Kind == markdown.Wiki:
			text = "[[" + got + "]]"
		case l.Angle:
			text = "[x](<" + got + ">)"
		}
		paths := []string{"MEMORY.md", c.from, c.to}
		if c.to == "q" {
			paths[2] = "q/b.md"
		}
		if r := rules.Resolve(treeOf(paths...), c.from, linkIn(t, text)); r.Path != c.to || r.Kind == rules.TargetMissing {
			t.Errorf("%s in %s leads to %+v, want %s", text, c.from, r, c.to)
		}
	}
}

// The quick fixes of broken links, those that need a person's eye included.
func TestLinkFixes(t *testing.T) {
	v := rules.NewView(loadCase(t, "testdata/cases/link-broken.txtar").snapshot)
	report, err := v.Judge(context.Background(), rules.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, f := range report.Findings {
		if f.Rule.ID != "link-broken" {
			continue
		}
		src, err := v.Tree.File(f.Path).Bytes()
		if err != nil {
			t.Fatal(err)
		}
		at := f.Path + ": " + string(src[f.Span.Start:f.Span.End])
		for _, fix := range f.Fixes {
			title := fix.Title
			if fix.Safe() {
				title += " (safe)"
			}
			if _, err := fix.Ops(); err != nil {
				t.Errorf("%s: %s: %v", at, fix.Title, err)
			}
			got[at] = append(got[at], title)
		}
	}
	want := map[string][]string{
		"MEMORY.md: Human.md":                  {"Change to human.md (safe)", "Remove the item"},
		"MEMORY.md: human":                     {"Change to human.md (safe)", "Remove the item"},
		"MEMORY.md: my%2520notes.md":           {"Change to my%20notes.md (safe)"},
		"MEMORY.md: My%20Notes.md?x=1":         {"Change to my%20notes.md?x=1 (safe)"},
		"MEMORY.md: Projects/":                 {"Change to projects/ (safe)", "Remove the item"},
		"MEMORY.md: huamn.md":                  {"Change to human.md", "Create huamn.md", "Remove the item"},
		"MEMORY.md: likes-x":                   {"Change to #likes"},
		"MEMORY.md: pics/gone.png":             {"Remove the item"},
		"MEMORY.md: My notes.md":               {"Change to my notes.md (safe)", "Remove the item"},
		"MEMORY.md: a/b/c/d.md":                {"Remove the item"},
		"MEMORY.md: new.md":                    {"Create new.md", "Remove the item"},
		"MEMORY.md: two.md":                    {"Create two.md", "Remove the item"},
		"my notes.md: ./Memory.md":             {"Change to ./MEMORY.md (safe)"},
		"my notes.md: /Human.md":               {"Change to /human.md (safe)"},
		"projects/MEMORY.md: projects/plan.md": {"Change to plan.md", "Remove the item"},
		"projects/plan.md: human.md":           {"Change to ../human.md", "Create projects/human.md"},
		"projects/plan.md: two.md":             {"Create projects/two.md"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("fixes (-want +got):\n%s", d)
	}
}

func FuzzResolve(f *testing.F) {
	for _, seed := range []string{"[x](%zz.md)", "[[../../a|b]]", "[x](//?#%)", "[x](./%00/..%2f..)", "[x](?)", "[[#^]]", "![[ / ]]"} {
		f.Add(seed)
	}
	tr := treeOf("MEMORY.md", "a/b.md")
	f.Fuzz(func(t *testing.T, text string) {
		doc := commonmark.Parse([]byte(text), 0)
		for i := range doc.Links {
			r := rules.Resolve(tr, "a/b.md", &doc.Links[i])
			if r.File != "" && !tr.Has(r.File) {
				t.Errorf("%q: file %q is not in the tree", text, r.File)
			}
			if !tr.Has(r.Path) && r.Kind == rules.TargetFile {
				t.Errorf("%q: path %q is not in the tree", text, r.Path)
			}
		}
	})
}
