package memory_test

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memls/memls/agentcli/memory"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/tree"
)

// A script is a sequence of calls, read from the bytes that a fuzzer makes up.
type script struct{ data []byte }

func (s *script) next(n int) int {
	if len(s.data) == 0 {
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return int(b) % n
}

func (s *script) pick(from ...string) string { return from[s.next(len(from))] }

// someBytes are as random as n, so that tests without a fuzzer play calls, too.
func someBytes(n uint64) []byte {
	r := rand.New(rand.NewPCG(n, 0))
	data := make([]byte, 120)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}

// FuzzDirectory plays calls on a memory and on a directory on disk: both are
// equal after each, and a call that the directory cannot do is refused.
func FuzzDirectory(f *testing.F) {
	for i := range uint64(40) {
		f.Add(someBytes(i))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := directory{t: t, top: t.TempDir()}
		w := memory.New(rules.Snapshot{Parsers: snapshot().Parsers}, memory.Options{})
		s := script{data}
		for range min(len(data)/3, 40) {
			command, in := s.call([]string{"a.txt", "b.txt", "d.d/a.txt", "d.d/e.e/a.txt", "d.d", "d.d/e.e", "f/g/h.txt"})
			text, isError := w.Call(t.Context(), "memory", in)
			ok := dir.play(command)
			if ok == isError {
				t.Fatalf("%s: %s; the directory says %v", in, text, ok)
			}
			if want, got := dir.files(), filesOf(t, w.Tree()); !slices.Equal(want, got) {
				t.Fatalf("%s: %s\ndirectory %q\nmemory %q", in, text, want, got)
			}
		}
	})
}

// A playedCall is a command of the memory tool, for the directory.
type playedCall struct {
	command, path, to, old, new string
	line                        int
}

func (s *script) call(paths []string) (playedCall, string) {
	c := playedCall{
		command: s.pick("create", "str_replace", "insert", "rename", "delete"), path: s.pick(paths...), to: s.pick(paths...),
		old: s.pick("one", "o", "one\ntwo\n", "\n"), new: s.pick("one\ntwo\n", "three", "", "o\r\n", "o\r\ntwo"), line: s.next(4),
	}
	switch c.command {
	case "rename":
		return c, input("command", c.command, "old_path", "/memories/"+c.path, "new_path", c.to)
	case "insert":
		return c, input("command", c.command, "path", c.path, "insert_line", c.line, "insert_text", c.new)
	case "str_replace":
		return c, input("command", c.command, "path", c.path, "old_str", c.old, "new_str", c.new)
	}
	return c, input("command", c.command, "path", c.path, "file_text", c.new)
}

// A directory does with plain files what the tools do with a tree.
type directory struct {
	t   *testing.T
	top string
}

func (d *directory) play(c playedCall) (ok bool) {
	path := filepath.Join(d.top, filepath.FromSlash(c.path))
	switch info, err := os.Lstat(path); {
	case c.command == "create":
		return err != nil && os.MkdirAll(filepath.Dir(path), 0o755) == nil && os.WriteFile(path, []byte(c.new), 0o644) == nil
	case err != nil, info.IsDir() && c.command != "rename" && c.command != "delete":
		return false
	}
	switch c.command {
	case "rename":
		to := filepath.Join(d.top, filepath.FromSlash(c.to))
		if _, err := os.Lstat(to); err == nil || strings.HasPrefix(to, path+string(filepath.Separator)) || os.MkdirAll(filepath.Dir(to), 0o755) != nil {
			return false
		}
		return os.Rename(path, to) == nil
	case "delete":
		return os.RemoveAll(path) == nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		d.t.Fatal(err)
	}
	out, ok := edit(c, string(text))
	return ok && os.WriteFile(path, []byte(out), 0o644) == nil
}

// edit is str_replace and insert, as simply as can be.
func edit(c playedCall, text string) (string, bool) {
	end := "\n" // of the file's lines
	if n := strings.Count(text, "\n"); n > 0 && strings.Count(text, "\r\n") == n {
		end = "\r\n"
		c.new = strings.Join(strings.Split(strings.ReplaceAll(c.new, "\r\n", "\n"), "\n"), end)
	}
	if c.command == "str_replace" {
		return strings.Replace(text, c.old, c.new, 1), strings.Count(text, c.old) == 1 && c.old != c.new
	}
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if c.line > len(lines) {
		return "", false
	}
	more := strings.TrimSuffix(c.new, end) + end
	if c.line == len(lines) && text != "" && !strings.HasSuffix(text, "\n") {
		more = end + strings.TrimSuffix(strings.TrimSuffix(more, "\n"), "\r")
	}
	return strings.Join(slices.Insert(lines, c.line, more), ""), true
}

// files are paths and contents, sorted. Directories without any are gone, as
// in git.
func (d *directory) files() []string {
	var all []string
	var dirs []string
	err := filepath.WalkDir(d.top, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == d.top {
			return err
		}
		if e.IsDir() {
			dirs = append(dirs, path)
			return nil
		}
		text, err := os.ReadFile(path)
		rel, relErr := filepath.Rel(d.top, path)
		all = append(all, filepath.ToSlash(rel)+"\x00"+string(text))
		if err == nil {
			err = relErr
		}
		return err
	})
	if err != nil {
		d.t.Fatal(err)
	}
	for _, dir := range slices.Backward(dirs) {
		_ = os.Remove(dir) // fails where there is something in it
	}
	slices.Sort(all)
	return all
}

func filesOf(t *testing.T, tr *tree.Tree) []string {
	var all []string
	for f := range tr.All() {
		all = append(all, f.Path+"\x00"+text(t, f))
	}
	slices.Sort(all)
	return all
}

// FuzzJudged plays calls on a v2 memory: what Findings says is what a judgement
// of the same bytes says that knows nothing of how they came about, and what
// the last call was warned of is not kept silent.
func FuzzJudged(f *testing.F) {
	for i := range uint64(10) {
		f.Add(someBytes(i), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, data []byte, createIndexes bool) {
		base := snapshot(file(rules.Index, "# Memory\n\n- [D](d/MEMORY.md)\n"), file("d/MEMORY.md", "# D\n"), file("d/a.md", "---\nname: A\ndescription: An a\n---\none\n"))
		w := memory.New(base, memory.Options{CreateIndexes: createIndexes})
		s := script{data}
		for range min(len(data)/3, 20) {
			_, in := s.call([]string{"MEMORY.md", "b.md", "d/a.md", "d/MEMORY.md", "d/e/a.md", "d", "d/e", "skills/x/SKILL.md", "f.txt"})
			before := len(findings(t, w))
			text, isError := w.Call(t.Context(), "memory", in)
			if after := len(findings(t, w)); after > before && (isError || !strings.Contains(text, "cannot be committed")) {
				t.Fatalf("%s brought an error and says: %s", in, text)
			}
			if got, want := findings(t, w), fresh(t, w); !slices.Equal(got, want) {
				t.Fatalf("%s\nfindings %q\nfresh    %q", in, got, want)
			}
		}
	})
}

func findings(t *testing.T, w *memory.Workspace) []string {
	found, err := w.Findings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return lines(found)
}

func lines(found []rules.Finding) (all []string) {
	for _, f := range found {
		all = append(all, f.Line)
	}
	return all
}

// fresh judges copies of all files.
func fresh(t *testing.T, w *memory.Workspace) []string {
	copied := func(tr *tree.Tree) *tree.Tree {
		var files []*tree.File
		for f := range tr.All() {
			files = append(files, tree.NewFile(f.Path, f.Mode, "", tree.Buffer(text(t, f))))
		}
		return tree.New(files)
	}
	s := w.View().Snapshot
	s.Tree, s.Head, s.Links = copied(w.Tree()), copied(w.Base()), nil
	report, err := rules.NewView(s).Judge(t.Context(), rules.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return lines(slices.DeleteFunc(report.Findings, func(f rules.Finding) bool { return f.Severity != rules.Error }))
}
