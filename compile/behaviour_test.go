package compile_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memls/memls/compile"
	"github.com/memls/memls/rules/gitrepo"
	"github.com/memls/memls/rules/tree"
)

// counting is Content that notes what is read.
type counting struct {
	text string
	read *[]string
}

func (c counting) Read(f *tree.File) ([]byte, error) {
	*c.read = append(*c.read, f.Path)
	return []byte(c.text), nil
}

func file(path, text string) *tree.File {
	return tree.NewFile(path, tree.Regular, "", tree.Buffer(text))
}

func mustCompile(t testing.TB, tr *tree.Tree, opt compile.Options) *compile.Prompt {
	t.Helper()
	p, err := compile.Compile(context.Background(), tr, opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Only what stands in the prompt is read, once: the core files, and the files
// of skills when their list is asked for.
func TestReadsOnlyWhatItNeeds(t *testing.T) {
	v2 := []string{"MEMORY.md", "human.md", "a/MEMORY.md", "a/x.md", "a/b/MEMORY.md", "notes/y.md", "skills/s/SKILL.md", "skills/s/ref.md", "data.csv"}
	v1 := []string{"system/human.md", "system/a/b.md", "reference/x.md", "notes.md", "skills/s/SKILL.md", "memory/skills/t/SKILL.md"}
	for _, c := range []struct {
		name  string
		paths []string
		opt   compile.Options
		want  []string
	}{
		{"v2 tags", v2, compile.Options{}, []string{"MEMORY.md", "human.md"}},
		{"v2 files", v2, compile.Options{Style: compile.Files}, []string{"MEMORY.md", "human.md"}},
		{"v2 skills", v2, compile.Options{Skills: true}, []string{"MEMORY.md", "human.md", "skills/s/SKILL.md"}},
		{"v1", v1, compile.Options{}, []string{"system/a/b.md", "system/human.md"}},
		{"v1 skills", v1, compile.Options{Skills: true}, []string{"memory/skills/t/SKILL.md", "skills/s/SKILL.md", "system/a/b.md", "system/human.md"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var read []string
			var files []*tree.File
			for _, path := range c.paths {
				files = append(files, tree.NewFile(path, tree.Regular, "", counting{"---\nname: s\ndescription: d\n---\ntext\n", &read}))
			}
			mustCompile(t, tree.New(files), c.opt)
			slices.Sort(read)
			if d := cmp.Diff(c.want, read); d != "" {
				t.Errorf("files read (-want +got):\n%s", d)
			}
		})
	}
}

// Of a lazy tree, no directory below the first level is looked into.
func TestLooksIntoNoDeeperDirectory(t *testing.T) {
	var looked []string
	tr := tree.Lazy(func(dir string) ([]*tree.File, []string, error) {
		looked = append(looked, dir)
		switch dir {
		case "":
			return []*tree.File{file("MEMORY.md", "# Memory\n")}, []string{"a", "skills"}, nil
		case "a":
			return []*tree.File{file("a/MEMORY.md", "")}, []string{"deep"}, nil
		}
		return nil, nil, errors.New("not to be looked into")
	})
	_, err := compile.Compile(context.Background(), tr, compile.Options{})
	if want := []string{"", "a", "skills"}; !slices.Equal(looked, want) {
		t.Errorf("directories looked into: %q, want %q (err %v)", looked, want, err)
	}
}

// CMP-05: what is not in the prompt does not change it.
func TestDeferredChangesKeepTheMemory(t *testing.T) {
	base := tree.New([]*tree.File{
		file("MEMORY.md", "# Memory\n- [a](a/MEMORY.md)\n"), file("human.md", "---\nname: H\ndescription: h\n---\nhi\n"),
		file("a/MEMORY.md", "# A\n"), file("a/x.md", "---\nname: X\ndescription: x\n---\nold\n"),
		file("skills/s/SKILL.md", "---\nname: s\ndescription: S\n---\nold body\n"),
	})
	legacy := tree.New([]*tree.File{file("system/human.md", "hi\n"), file("reference/x.md", "old\n")})
	skill := "---\nname: s\ndescription: S\n---\nnew body\n"
	monday, tuesday := time.Date(2026, 2, 2, 9, 0, 0, 0, time.UTC), time.Date(2026, 2, 3, 9, 0, 0, 0, time.UTC)
	for _, style := range []compile.Style{compile.Tags, compile.Files} {
		opt := compile.Options{Style: style, Skills: true, System: "Base", AgentID: "agent-1", Now: monday}
		for name, c := range map[string]struct {
			before, after *tree.Tree
			sameText      bool
		}{
			"deferred file edited": {base, base.With([]*tree.File{file("a/x.md", "new\n"), file("a/MEMORY.md", "# New\n")}), true},
			"deferred file added":  {base, base.With([]*tree.File{file("a/y.md", "y\n"), file("a/b/MEMORY.md", "# B\n")}), true},
			"skill's body edited":  {base, base.With([]*tree.File{file("skills/s/SKILL.md", skill)}), true},
			"skill added":          {base, base.With([]*tree.File{file("skills/t/SKILL.md", "---\nname: t\ndescription: T\n---\n")}), false},
			"reference edited, v1": {legacy, legacy.With([]*tree.File{file("reference/x.md", "new\n")}), true},
		} {
			before, after := mustCompile(t, c.before, opt), mustCompile(t, c.after, opt)
			if d := cmp.Diff(before.Memory, after.Memory); d != "" {
				t.Errorf("%s, %s: memory changed:\n%s", style, name, d)
			}
			if same := before.Text == after.Text; same != c.sameText {
				t.Errorf("%s, %s: same prompt: %v, want %v", style, name, same, c.sameText)
			}
			later := opt
			later.Now = tuesday
			mon, tue := strings.Split(before.Text, "\n"), strings.Split(mustCompile(t, c.before, later).Text, "\n")
			differ := 0
			for i := range mon {
				if mon[i] != tue[i] {
					differ++
				}
			}
			if len(mon) != len(tue) || differ != 1 {
				t.Errorf("%s, %s: %d lines differ a day later, want the line with the time", style, name, differ)
			}
		}
	}
}

// The locale of the process has no say in the order (CMP-02).
func TestLocaleDoesNotMatter(t *testing.T) {
	tr := tree.New([]*tree.File{file("system/Zeta.md", "z"), file("system/alpha.md", "a"), file("system/_x.md", "x"), file("system/\u00e4.md", "ae")})
	var texts []string
	for _, locale := range []string{"C", "sv_SE.UTF-8", "tr_TR.UTF-8"} {
		t.Setenv("LC_ALL", locale)
		texts = append(texts, mustCompile(t, tr, compile.Options{}).Text)
	}
	if texts[0] != texts[1] || texts[1] != texts[2] {
		t.Errorf("prompts differ by locale:\n%s", strings.Join(texts, "\n\n"))
	}
	if at := strings.Index(texts[0], "<\u00e4>"); at > strings.Index(texts[0], "<Zeta>") {
		t.Errorf("\u00e4 is not sorted like a:\n%s", texts[0])
	}
}

// CMP-03: what is not committed is not in the prompt.
func TestCommittedOnly(t *testing.T) {
	home := t.TempDir()
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": filepath.Join(home, "config"),
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.com",
	} {
		t.Setenv(name, value)
	}
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(path, text string) {
		t.Helper()
		full := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q", "--template=")
	write("system/a.md", "committed\n")
	write("system/caf\u00e9.md", "named\n")
	git("add", "-A")
	git("commit", "-q", "-m", "memory")
	write("system/a.md", "DIRTY\n")
	write("system/staged.md", "STAGED\n")
	git("add", "system/staged.md")
	write("system/new.md", "NEW\n")

	ctx := context.Background()
	repo, err := gitrepo.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	head, err := repo.Head(ctx)
	if err != nil {
		t.Fatal(err)
	}
	text := mustCompile(t, head, compile.Options{}).Text
	for _, want := range []string{"committed", "<caf\u00e9>"} {
		if !strings.Contains(text, want) {
			t.Errorf("prompt lacks %q:\n%s", want, text)
		}
	}
	for _, other := range []string{"DIRTY", "STAGED", "NEW", "staged", "new"} {
		if strings.Contains(text, other) {
			t.Errorf("prompt holds %q, which is not committed:\n%s", other, text)
		}
	}
}

// Parts tell what came from where, once for each place of the memory.
func TestParts(t *testing.T) {
	tr := tree.New([]*tree.File{
		file("MEMORY.md", "# M\u00e9mory\n"), file("human.md", "---\nname: H\ndescription: d\n---\nhi\n"), file("empty.md", ""),
		file("a/MEMORY.md", ""), file("skills/s/SKILL.md", "---\nname: s\ndescription: S\n---\n"),
	})
	p := mustCompile(t, tr, compile.Options{System: "{CORE_MEMORY}|{CORE_MEMORY}", Skills: true, AgentID: "x"})
	checkParts(t, p)
	var got []string
	for _, part := range p.Parts {
		got = append(got, fmt.Sprintf("%s %s: %q %d/%d/%d", part.Kind, part.Path, p.Text[part.Offset:part.Offset+part.Bytes], part.Bytes, part.Characters, part.Tokens()))
	}
	core := []string{
		`file empty.md: "" 0/0/0`,
		`file human.md: "<description>d</description>\nhi" 31/31/8`,
		`file MEMORY.md: "# Mémory" 9/8/3`,
		`deferred : "<deferred-memory>\n<directory path=\"a/\" index=\"a/MEMORY.md\" />\n</deferred-memory>" 80/80/20`,
		`metadata : "<memory_metadata>\n- AGENT_ID: x\n- Earlier messages in this conversation: 0\n</memory_metadata>" 93/93/24`,
	}
	want := slices.Concat(core, []string{`system : "|" 1/1/1`}, core, []string{"skills : \"<available_skills>\\n- `s`: S\\n</available_skills>\" 47/47/12"})
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("parts (-want +got):\n%s", d)
	}
	if want := (len(p.Text) + 3) / 4; p.Tokens() != want {
		t.Errorf("tokens of the prompt: %d, want %d", p.Tokens(), want)
	}
}

// A repository without a commit has no memory, which is no error.
func TestNoCommit(t *testing.T) {
	if p := mustCompile(t, nil, compile.Options{System: "Base", Skills: true}); p.Text != "Base" || p.Memory != "" {
		t.Errorf("prompt %q, memory %q", p.Text, p.Memory)
	}
}

type broken struct{}

func (broken) Read(*tree.File) ([]byte, error) { return nil, errors.New("object is missing") }

// A prompt that would lack memory is no prompt: the error names the file.
func TestUnreadable(t *testing.T) {
	index := file("MEMORY.md", "# Memory\n")
	missing := func(path string) *tree.File { return tree.NewFile(path, tree.Regular, "", broken{}) }
	for name, c := range map[string]struct {
		tree *tree.Tree
		opt  compile.Options
	}{
		"human.md":          {tree.New([]*tree.File{index, missing("human.md")}), compile.Options{}},
		"MEMORY.md":         {tree.New([]*tree.File{missing("MEMORY.md")}), compile.Options{}},
		"note.md":           {tree.New([]*tree.File{index, missing("note.md")}), compile.Options{Style: compile.Files}},
		"system/human.md":   {tree.New([]*tree.File{missing("system/human.md")}), compile.Options{}},
		"skills/s/SKILL.md": {tree.New([]*tree.File{index, missing("skills/s/SKILL.md")}), compile.Options{Skills: true}},
		"tree object 123": {tree.Lazy(func(dir string) ([]*tree.File, []string, error) {
			if dir == "" {
				return []*tree.File{index}, []string{"a"}, nil
			}
			return nil, nil, errors.New("tree object 123 is missing")
		}), compile.Options{}},
	} {
		p, err := compile.Compile(context.Background(), c.tree, c.opt)
		if err == nil || !strings.Contains(err.Error(), name) || p != nil {
			t.Errorf("%s: prompt %v, error %v; want an error that names it", name, p, err)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, tr := range map[string]*tree.Tree{
		"v2": tree.New([]*tree.File{file("MEMORY.md", "")}),
		"v1": tree.New([]*tree.File{file("system/a.md", "")}),
	} {
		if _, err := compile.Compile(ctx, tr, compile.Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want %v", name, err, context.Canceled)
		}
	}
}

func TestStyleNames(t *testing.T) {
	for _, s := range []compile.Style{compile.Tags, compile.Files} {
		if got, err := compile.ParseStyle(s.String()); got != s || err != nil {
			t.Errorf("ParseStyle(%q) = %v, %v", s, got, err)
		}
	}
	if _, err := compile.ParseStyle("xml"); err == nil || !strings.Contains(err.Error(), "tags or files") {
		t.Errorf("ParseStyle(xml): error %v, want one that says what there is", err)
	}
}
