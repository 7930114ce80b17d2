package compile_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memls/memls/compile"
	"github.com/memls/memls/rules/tree"
)

// pieces make up random bodies. None holds a line end in \r or ends a body in
// white space, which the compiler may change; each body has its own marker.
var pieces = []string{
	"- item", "# Heading", "$$", "$&", "$1", "${MEMORY_DIR}", "{CORE_MEMORY}", "</memory>", "<human>", "---", "&amp;", "\"'",
	"caf\u00e9", "e\u0301", "\U0001F600", "\t", "  ", "\n", "\n\n", "\u00a0", "\ufeff", "\u2028", "\x01", "```", "description: x", "%s", `\n`,
}

var labels = []string{"human", "persona", "my notes", "Human", "caf\u00e9", "1st", "a-b", "a.b", "x<y>", "memory", "\u65e5\u672c"}

// Whatever the memory holds, each core body is in the prompt once, byte for
// byte, and no deferred one is.
func TestBodiesAreInThePromptOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 7))
	for range 300 {
		layout, style := rng.IntN(2), compile.Style(rng.IntN(2))
		bodies, deferred := map[string]string{}, []string{}
		var files []*tree.File
		add := func(path string, front, core bool) {
			marker := fmt.Sprintf("[marker %d]", len(files))
			body := marker + randomText(rng) + "."
			text := body + strings.Repeat(" \n", rng.IntN(3))
			if front {
				text = "---\nname: N\ndescription: \"D " + fmt.Sprint(len(files)) + "\"\n---\n" + text
			}
			files = append(files, file(path, text))
			if core {
				bodies[marker] = body
			} else {
				deferred = append(deferred, marker)
			}
		}
		prefix := []string{"", "system/"}[layout]
		if layout == 0 {
			add("MEMORY.md", false, true)
			add("a/MEMORY.md", false, false)
		}
		for _, label := range labels {
			if rng.IntN(2) == 0 {
				add(prefix+label+".md", rng.IntN(3) > 0, true)
			}
			if layout == 1 && rng.IntN(3) == 0 {
				add(prefix+label+"/deep/"+label+".md", true, true)
			}
		}
		add("a/x.md", true, false)
		add("skills/s/SKILL.md", true, false)

		p := mustCompile(t, tree.New(files), compile.Options{Style: style, System: "Base {CORE_MEMORY} end", Skills: true})
		checkParts(t, p)
		for marker, body := range bodies {
			if n := strings.Count(p.Text, body); n != 1 || strings.Count(p.Text, marker) != 1 {
				t.Fatalf("%s: body %q is %d times in the prompt:\n%s", style, body, n, p.Text)
			}
		}
		for _, marker := range deferred {
			if strings.Contains(p.Text, marker) {
				t.Fatalf("%s: a deferred body is in the prompt:\n%s", style, p.Text)
			}
		}
	}
}

func randomText(rng *rand.Rand) string {
	var b strings.Builder
	for range rng.IntN(12) {
		b.WriteString(pieces[rng.IntN(len(pieces))])
	}
	return b.String()
}

// No tree makes the compiler panic or write what is not text, in any style.
func FuzzCompile(f *testing.F) {
	for _, seed := range [][3]string{
		{"human.md", "---\nname: H\ndescription: d\n---\nhi\n", "Base {CORE_MEMORY}"},
		{"a/MEMORY.md", "[x](y)", ""},
		{"system/a/../b.md", "\ufeff---\r\ndescription: >-\r\n  x\r\n---\r\n", "{CORE_MEMORY}{CORE_MEMORY}"},
		{"skills/s/SKILL.md", "---\nname: [\n---\n", "x"},
		{"\xff\n/\x00.md", "---\n\xff: *a\n---\n\xfe", "\xff"},
		{".md", "---", "{CORE_MEMORY"},
		{"memory/system/persona.md", "--- \n? - &a *a\n---\n", ""},
	} {
		f.Add(seed[0], seed[1], seed[2], true)
	}
	f.Fuzz(func(t *testing.T, path, text, system string, index bool) {
		if slices.Contains(strings.Split(path, "/"), "") {
			t.Skip("git has no path with an empty segment")
		}
		for _, prefix := range []string{"", "system/", "skills/s/", "memory/skills/s/"} {
			files := []*tree.File{file(prefix+path, text), file(prefix+"x/"+path, text)}
			if index {
				files = append(files, file("MEMORY.md", text))
			}
			tr := tree.New(files)
			for _, style := range []compile.Style{compile.Tags, compile.Files} {
				opt := compile.Options{Style: style, System: system, Skills: true, AgentID: text}
				p, err := compile.Compile(context.Background(), tr, opt)
				if err != nil {
					t.Fatal(err)
				}
				checkParts(t, p)
				if again := mustCompile(t, tr, opt); again.Text != p.Text {
					t.Errorf("the second prompt differs:\n%q\n%q", p.Text, again.Text)
				}
			}
		}
	})
}

// A path of very many folders must cost in proportion to its length.
func TestDeepTree(t *testing.T) {
	const depth = 5000
	deep := strings.Repeat("d/", depth)
	p := mustCompile(t, tree.New([]*tree.File{file("system/"+deep+"x.md", "x"), file(deep+"y.md", "y")}), compile.Options{})
	if limit := 1000 * depth; len(p.Text) > limit {
		t.Errorf("prompt has %d bytes, want at most %d", len(p.Text), limit)
	}
}

// The cost of v2 is that of the core, however many deferred files there are.
func BenchmarkCompile(b *testing.B) {
	for _, n := range []int{101, 10_001} {
		var files []*tree.File
		core := "---\nname: N\ndescription: D\n---\n" + strings.Repeat("- a line of memory\n", 50)
		for i := range 20 {
			files = append(files, file(fmt.Sprintf("core%d.md", i), core))
		}
		var index strings.Builder
		for dir := range 20 {
			fmt.Fprintf(&index, "- [d%d](d%d/MEMORY.md)\n", dir, dir)
			files = append(files, file(fmt.Sprintf("d%d/MEMORY.md", dir), "# D\n"))
			for i := range (n - 41) / 20 {
				files = append(files, file(fmt.Sprintf("d%d/%d.md", dir, i), core))
			}
		}
		files = append(files, file("MEMORY.md", index.String()))
		v2 := tree.New(files)
		for _, style := range []compile.Style{compile.Tags, compile.Files} {
			b.Run(fmt.Sprintf("%s/files=%d", style, v2.Len()), func(b *testing.B) {
				for b.Loop() {
					mustCompile(b, v2, compile.Options{Style: style})
				}
			})
		}
	}
	// Of v1 the paths of all files are in the prompt.
	var files []*tree.File
	for i := range 10_000 {
		files = append(files, file(fmt.Sprintf("notes/%d/%d.md", i%50, i), "x"))
	}
	v1 := tree.New(append(files, file("system/human.md", "hi")))
	b.Run("v1/files=10001", func(b *testing.B) {
		for b.Loop() {
			mustCompile(b, v1, compile.Options{})
		}
	})
}
