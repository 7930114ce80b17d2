package rules_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/parsers"
	"github.com/memls/memls/rules/tree"
)

// SK-03: lengths are code points of the text after YAML has folded it.
func TestSkillLimits(t *testing.T) {
	folded := ">-\n" + strings.Repeat("  "+strings.Repeat("a", 31)+"\n", 32) // 32·31 letters and 31 spaces
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"1024 CJK characters", "description: " + strings.Repeat("語", 1024), nil},
		{"1025 characters", "description: " + strings.Repeat("a", 1025), []string{"'description' is too long: 1025 > 1024 characters"}},
		{"folded to 1023", "description: " + strings.TrimSuffix(folded, "\n"), nil},
		{"folded to 1025", "description: " + folded + "  b", []string{"'description' is too long: 1025 > 1024 characters"}},
		{"compatibility of 500", "description: d\ncompatibility: " + strings.Repeat("é", 500), nil},
		{"compatibility of 501", "description: d\ncompatibility: " + strings.Repeat("é", 501), []string{"'compatibility' is too long: 501 > 500 characters"}},
	} {
		s := skillOf(t, "---\nname: s\n"+c.text+"\n---\n")
		var got []string
		for _, p := range s.Problems {
			got = append(got, p.Message)
			if p.Severity == rules.Error {
				t.Errorf("%s: %q is an error", c.name, p.Message)
			}
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

func skillOf(t *testing.T, text string) *rules.Skill {
	t.Helper()
	s, err := rules.SkillOf(parsers.New(), tree.NewFile("skills/s/SKILL.md", tree.Regular, "", tree.Buffer(text)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What a list shows of a skill, whatever is wrong with its file.
func TestSkillOf(t *testing.T) {
	for _, c := range []struct{ name, text, skill, description, first string }{
		{"plain", "---\nname: other\ndescription: d\n---\n", "other", "d", "d"},
		{"FM-01", "---\nname: s\ndescription: Checks a release: build, smoke test\n---\n", "s", "Checks a release: build, smoke test", "Checks a release: build, smoke test"},
		{"FM-03", "---\nname: s\ndescription: |\n  First line.\n  Second: line with a colon.\nlicense: MIT\n---\n", "s", "First line.\nSecond: line with a colon.", "First line."},
		{"a number", "---\nname: 123\ndescription: d\n---\n", "123", "d", "d"},
		{"no frontmatter", "# S\n\nFirst\nparagraph.\n\nSecond.\n", "s", "First paragraph.", "First paragraph."},
		{"no description", "---\nname: s\n---\n\n# S\nText.\n", "s", "Text.", "Text."},
		{"nothing", "", "s", "", ""},
		{"CRLF and BOM", "\ufeff---\r\nname: s\r\ndescription: d\r\n---\r\n", "s", "d", "d"},
		{"not closed", "---\nname: s\ndescription: \"d\"\n", "s", "d", "d"},
	} {
		s := skillOf(t, c.text)
		if s.Name != c.skill || s.Description != c.description || s.FirstLine() != c.first || s.Folder != "s" {
			t.Errorf("%s: %q, %q, first line %q", c.name, s.Name, s.Description, s.FirstLine())
		}
	}
}

func TestIsSkill(t *testing.T) {
	var files []*tree.File
	want := map[string]bool{
		"skills/a/SKILL.md": true, "skills/group/b/SKILL.md": true, "skills/low/skill.md": true, "memory/skills/v1/SKILL.md": true,
		"skills/SKILL.md": false, "skills/a/templates/SKILL.md": false, "skills/low/assets/SKILL.md": false, "skills/a/notes.md": false, "a/SKILL.md": false,
		"skills/a/skill.md": false,
	}
	for path := range want {
		files = append(files, tree.NewFile(path, tree.Regular, "", nil))
	}
	tr := tree.New(files)
	for path, is := range want {
		if got := rules.IsSkill(tr, path); got != is {
			t.Errorf("IsSkill(%s) = %v", path, got)
		}
	}
}
