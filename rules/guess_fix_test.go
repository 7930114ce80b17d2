package rules_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/parsers"
	"github.com/memls/memls/rules/tree"
)

func viewOf(files map[string]string) *rules.View {
	var list []*tree.File
	for path, text := range files {
		list = append(list, tree.NewFile(path, tree.Regular, "", tree.Buffer(text)))
	}
	return rules.NewView(rules.Snapshot{Parsers: parsers.New(), Tree: tree.New(list), Policy: config.RootMarker})
}

// guesses applies each fix of the file's findings of a rule that is not safe,
// and returns the trees by title.
func guesses(t *testing.T, v *rules.View, path, rule string) map[string]map[string]string {
	t.Helper()
	findings, err := v.JudgeFile(v.Tree.File(path))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]string{}
	for _, f := range findings {
		for _, fix := range f.Fixes {
			if f.Rule.ID != rule || fix.Safe() {
				continue
			}
			ops, err := fix.Ops()
			if err != nil {
				t.Fatal(err)
			}
			after, err := rules.Apply(v.Tree, ops)
			if err != nil {
				t.Fatal(err)
			}
			out[fix.Title] = map[string]string{}
			for f := range after.All() {
				src, err := f.Bytes()
				if err != nil {
					t.Fatal(err)
				}
				out[fix.Title][f.Path] = string(src)
			}
		}
	}
	return out
}

func TestConflictFixes(t *testing.T) {
	const head = "---\nname: A\ndescription: b\n---\n"
	for _, c := range []struct {
		name, text string
		want       map[string]string // by title, the text after it
	}{
		{"two sides", head + "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> laptop\nend\n", map[string]string{
			"Keep ours (HEAD)": head + "ours\nend\n", "Keep theirs (laptop)": head + "theirs\nend\n", "Keep both": head + "ours\ntheirs\nend\n",
		}},
		{"with the ancestor, CRLF, at the end", head + "<<<<<<< HEAD\r\nours\r\n||||||| base\r\nold\r\n=======\r\ntheirs\r\n>>>>>>> laptop", map[string]string{
			"Keep ours (HEAD)": head + "ours\r\n", "Keep theirs (laptop)": head + "theirs\r\n", "Keep both": head + "ours\r\ntheirs\r\n",
		}},
		{"an empty side", head + "<<<<<<<\n=======\ntheirs\n>>>>>>>\n", map[string]string{
			"Keep ours": head, "Keep theirs": head + "theirs\n", "Keep both": head + "theirs\n",
		}},
		{"in frontmatter", "---\nname: A\n<<<<<<< HEAD\ndescription: b\n=======\ndescription: c\n>>>>>>> f\n---\n", map[string]string{
			"Keep ours (HEAD)": head, "Keep theirs (f)": "---\nname: A\ndescription: c\n---\n",
		}},
		{"two separators", head + "<<<<<<< HEAD\nTitle\n=======\n=======\ntheirs\n>>>>>>> f\n", map[string]string{}},
	} {
		got := map[string]string{}
		for title, files := range guesses(t, viewOf(map[string]string{"MEMORY.md": "[a](a.md)\n", "a.md": c.text}), "a.md", "conflict-marker") {
			got[title] = files["a.md"]
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

// What an editor shows once: the conflict has the place and the message of the
// group of the refusals that follow from it.
func TestConflictIsTheCauseOfItsGroup(t *testing.T) {
	v := viewOf(map[string]string{"MEMORY.md": "", "a.md": "---\nname: A\n<<<<<<< HEAD\ndescription: b\n=======\ndescription: c\n>>>>>>> f\n---\n"})
	findings, err := v.JudgeFile(v.Tree.File("a.md"))
	if err != nil {
		t.Fatal(err)
	}
	var cause *rules.Finding
	grouped := 0
	for i := range findings {
		if findings[i].Rule.ID == "conflict-marker" {
			cause = &findings[i]
		}
	}
	for _, f := range findings {
		if f.Group == nil {
			continue
		}
		grouped++
		if cause == nil || f.Group.Message != cause.Message || f.Group.Span != cause.Span {
			t.Errorf("%s: group %q at %v", f.Line, f.Group.Message, f.Group.Span)
		}
	}
	if grouped != 4 {
		t.Errorf("%d findings in the group, want 4", grouped)
	}
}

func TestSkillFolderFix(t *testing.T) {
	skill := func(name string) string { return "---\nname: " + name + "\ndescription: d\n---\n" }
	for _, c := range []struct {
		name          string
		before, after map[string]string
		path, title   string
	}{
		{
			"the name is right", map[string]string{"skills/x/SKILL.md": skill("pdf"), "skills/x/scripts/a.sh": "true", "skills/xy/notes.md": "n"},
			map[string]string{"skills/pdf/SKILL.md": skill("pdf"), "skills/pdf/scripts/a.sh": "true", "skills/xy/notes.md": "n"},
			"skills/x/SKILL.md", "Rename the folder to 'pdf'",
		},
		{
			"neither is right", map[string]string{"skills/PDF Tools/SKILL.md": skill("PDF Tools")},
			map[string]string{"skills/pdf-tools/SKILL.md": skill("pdf-tools")},
			"skills/PDF Tools/SKILL.md", "Rename the folder to 'pdf-tools'",
		},
		{
			"the folder is taken", map[string]string{"skills/x/SKILL.md": skill("pdf"), "skills/pdf/SKILL.md": skill("pdf")},
			nil, "skills/x/SKILL.md", "Rename the folder to 'pdf'",
		},
	} {
		got := guesses(t, viewOf(c.before), c.path, "skill-metadata")[c.title]
		if d := cmp.Diff(c.after, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

// An editor decodes what it opens: there is nothing left to say of the bytes.
func TestEncodingOfBuffer(t *testing.T) {
	f := tree.NewFile("a.md", tree.Regular, "", tree.Buffer("---\nname: A\ndescription: b\n---\n\x00\n"))
	f.Unsaved = true
	v := rules.NewView(rules.Snapshot{Parsers: parsers.New(), Tree: tree.New([]*tree.File{f}), Policy: config.RootMarker})
	findings, err := v.JudgeFile(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if f.Rule.ID == "text-encoding" {
			t.Error(f.Line)
		}
	}
}

// The hook says of a UTF-16 file what the reference says.
func TestEncodingInHook(t *testing.T) {
	v := viewOf(map[string]string{"MEMORY.md": "", "a.md": "\xff\xfe-\x00-\x00-\x00\n\x00"})
	report, err := v.Judge(t.Context(), rules.Options{RefusalsOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Findings) != 1 || report.Findings[0].Line != "a.md: missing frontmatter (must start with ---)" {
		t.Errorf("%v", report.Findings)
	}
}
