package rules_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/parsers"
	"github.com/memls/memls/rules/tree"
)

// refactor runs one refactoring in words: move OLD NEW, demote PATH DIR,
// promote PATH, split PATH SLUG [NEW].
func refactor(v *rules.View, words []string) ([]rules.Op, error) {
	switch arg := words[1:]; words[0] {
	case "move":
		return v.Move(arg[0], arg[1])
	case "demote":
		return v.Demote(arg[0], arg[1])
	case "promote":
		return v.Promote(arg[0])
	case "split":
		return v.Split(arg[0], arg[1], strings.Join(arg[2:], ""))
	}
	return nil, fmt.Errorf("unknown refactoring %s", words[0])
}

func memoryView(t *tree.Tree, policy config.Policy) *rules.View {
	return rules.NewView(rules.Snapshot{Tree: t, Head: t, Policy: policy, Parsers: parsers.New()})
}

func textsOf(t *testing.T, tr *tree.Tree) map[string]string {
	t.Helper()
	out := map[string]string{}
	for f := range tr.All() {
		src, err := f.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		out[f.Path] = string(src)
	}
	return out
}

// A case in testdata/refactor is a tree; its comment has "policy: P" or not,
// then one refactoring to a line. "after:PATH" are the files that differ then,
// "after:PATH [gone]" those that are no more, "error" what stops the last line.
func TestRefactorings(t *testing.T) {
	files, err := filepath.Glob("testdata/refactor/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			runRefactorings(t, file)
		})
	}
}

func runRefactorings(t *testing.T, file string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	policy := config.RootMarker
	var input []*tree.File
	given := &txtar.Archive{Comment: ar.Comment}
	for _, f := range ar.Files {
		if !strings.HasPrefix(f.Name, "after:") && f.Name != "error" {
			given.Files = append(given.Files, f)
			name, attr, _ := strings.Cut(f.Name, " [")
			input = append(input, caseFile(t, name, strings.TrimSuffix(attr, "]"), f.Data))
		}
	}
	now := tree.New(input)
	before := textsOf(t, now)
	failed := ""
	for line := range strings.Lines(string(ar.Comment)) {
		if p, ok := strings.CutPrefix(strings.TrimSpace(line), "policy: "); ok {
			policy, _ = config.ParsePolicy(p)
			continue
		}
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		ops, err := refactor(memoryView(now, policy), words)
		if err != nil {
			failed = err.Error() + "\n"
			break
		}
		if now, err = rules.Apply(now, ops); err != nil {
			t.Fatal(err)
		}
	}
	got := &txtar.Archive{Comment: ar.Comment, Files: given.Files}
	add := func(name, text string) {
		got.Files = append(got.Files, txtar.File{Name: name, Data: []byte(text)})
	}
	after := textsOf(t, now)
	for _, p := range slices.Sorted(maps.Keys(before)) {
		if _, ok := after[p]; !ok {
			add("after:"+p+" [gone]", "")
		}
	}
	for _, p := range slices.Sorted(maps.Keys(after)) {
		if was, ok := before[p]; !ok || was != after[p] {
			add("after:"+p, after[p])
		}
	}
	if failed != "" {
		add("error", failed)
	}
	checkGolden(t, file, ar, got)
}

func checkGolden(t *testing.T, file string, want, got *txtar.Archive) {
	t.Helper()
	if *update {
		writeFile(t, file, txtar.Format(got))
		return
	}
	if d := cmp.Diff(string(txtar.Format(want)), string(txtar.Format(got))); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// broken lists the links that lead nowhere and the errors, as the rules see them.
func broken(t *testing.T, tr *tree.Tree) []string {
	t.Helper()
	report, err := memoryView(tr, config.RootMarker).Judge(t.Context(), rules.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range report.Findings {
		if f.Severity == rules.Error || f.Rule.ID == "link-broken" || f.Rule.ID == "index-unlisted" && f.Severity == rules.Warning {
			out = append(out, f.Line+" ["+f.Rule.ID+"]")
		}
	}
	return out
}

// randomMemory makes a tree without findings: core files, directories with
// sorted indexes, a skill, and links between them in every style.
func randomMemory(r *rand.Rand) *tree.Tree {
	dirs := []string{"notes", "notes/deep", "work", "my stuff"}[:2+r.IntN(3)]
	var paths []string
	for i := range 2 + r.IntN(3) {
		paths = append(paths, fmt.Sprintf("core%d.md", i))
	}
	for i, dir := range dirs {
		for j := range 1 + r.IntN(3) {
			paths = append(paths, fmt.Sprintf("%s/f%d %d.md", dir, i, j))
		}
	}
	paths = append(paths, "skills/deploy/SKILL.md")
	texts := map[string]string{}
	for _, p := range paths {
		name := strings.TrimSuffix(p[strings.LastIndexByte(p, '/')+1:], ".md")
		if strings.HasPrefix(p, "skills/") {
			name = "deploy"
		}
		texts[p] = fmt.Sprintf("---\nname: %s\ndescription: about %s\n---\n# Top\n\n%s", name, name, randomLinks(r, p, paths))
	}
	// Indexes below the root are what a fix makes them: complete, in order.
	texts["MEMORY.md"] = "# Memory\n"
	result, err := memoryView(memoryOf(texts), config.RootMarker).FixAll(context.Background(), func(f *rules.Finding) bool { return f.Rule.ID == "index-chain" })
	if err != nil {
		panic(err)
	}
	return result.Tree.With([]*tree.File{tree.NewFile("MEMORY.md", tree.Regular, "", tree.Buffer(rootIndex(r, result.Tree)))})
}

// rootIndex lists directories and, as it happens, core files.
func rootIndex(r *rand.Rand, t *tree.Tree) string {
	text := "# Memory\n\n"
	if r.IntN(2) == 0 {
		for f := range t.Root().Files() {
			if !rules.IsIndex(f.Path) {
				text += fmt.Sprintf("- [%s](%s) — in other words\n", strings.TrimSuffix(f.Path, ".md"), f.Path)
			}
		}
	}
	for d := range t.Root().Dirs() {
		if d.Path != "skills" {
			text += fmt.Sprintf("- [%s](%s/MEMORY.md)\n", rules.Title(d.Path), strings.ReplaceAll(d.Path, " ", "%20"))
		}
	}
	return text
}

// randomLinks are links of the file at from, in the styles that people write.
func randomLinks(r *rand.Rand, from string, paths []string) string {
	var b strings.Builder
	for range r.IntN(6) {
		to := paths[r.IntN(len(paths))]
		rel, err := filepath.Rel(filepath.Dir(from), to)
		if err != nil {
			panic(err)
		}
		escaped := strings.ReplaceAll(rel, " ", "%20")
		fmt.Fprintf(&b, []string{
			"See [a](%[1]s).\n", "See [a](%[1]s#top \"Title\") and more.\n", "See <b>it</b> ![i](<%[2]s>)\n",
			"* [b][ref%[3]d]\n\n[ref%[3]d]: %[1]s 'T'\n\n", "See [r](/%[4]s?raw).\n",
		}[r.IntN(5)], escaped, rel, r.IntN(1e9), strings.ReplaceAll(to, " ", "%20"))
	}
	return b.String()
}

func memoryOf(texts map[string]string) *tree.Tree {
	var files []*tree.File
	for p, text := range texts {
		files = append(files, tree.NewFile(p, tree.Regular, "", tree.Buffer(text)))
	}
	return tree.New(files)
}

// After any refactoring no link that led somewhere fails, no error is new, and
// what is left unlisted was so before; the inverse gives the tree back.
func TestRefactoringsKeepTheTreeSound(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		before := randomMemory(r)
		if found := broken(t, before); len(found) > 0 {
			t.Fatalf("seed %d: the generator makes a tree with findings: %q\n%v", seed, found, textsOf(t, before))
		}
		do, undo := randomRefactoring(r, before)
		ops, err := refactor(memoryView(before, config.RootMarker), do)
		if err != nil {
			t.Fatalf("seed %d: %q: %v", seed, do, err)
		}
		after, err := rules.Apply(before, ops)
		if err != nil {
			t.Fatal(err)
		}
		if found := broken(t, after); len(found) > 0 {
			t.Errorf("seed %d: %q brings %q", seed, do, found)
		}
		ops, err = refactor(memoryView(after, config.RootMarker), undo)
		if err != nil {
			t.Errorf("seed %d: %q: %v", seed, undo, err)
			continue
		}
		again, err := rules.Apply(after, ops)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(textsOf(t, before), textsOf(t, again)); d != "" {
			t.Errorf("seed %d: %q, then %q (-before +after):\n%s", seed, do, undo, d)
		}
	}
}

func randomRefactoring(r *rand.Rand, t *tree.Tree) (do, undo []string) {
	var core, deferred, dirs []string
	for f := range t.All() {
		switch {
		case rules.IsIndex(f.Path) || rules.InSkills(f.Path):
		case rules.IsCore(f.Path):
			core = append(core, f.Path)
		default:
			deferred = append(deferred, f.Path)
		}
	}
	for d := range t.Root().Dirs() {
		dirs = append(dirs, d.Path)
	}
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	switch r.IntN(5) {
	case 0:
		path, dir := pick(core), pick([]string{"notes", "new", "new/er", "work"})
		return []string{"demote", path, dir}, []string{"promote", dir + "/" + path}
	case 1:
		path := pick(deferred)
		name := path[strings.LastIndexByte(path, '/')+1:]
		return []string{"promote", path}, []string{"demote", name, strings.TrimSuffix(path, "/"+name)}
	case 2:
		path, to := pick(deferred), pick([]string{"notes/x y.md", "other/(z).md", "work/aa.md"})
		return []string{"move", path, to}, []string{"move", to, path}
	case 3:
		path, to := pick(core), pick([]string{"renamed.md", "a b.md"})
		return []string{"move", path, to}, []string{"move", to, path}
	}
	path, to := pick(dirs), pick([]string{"zoo", "a dir"})
	if path == "skills" {
		path, to = "skills/deploy", "skills/roll-out"
	}
	return []string{"move", path, to}, []string{"move", to, path}
}

func writeFile(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
