package lsp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

// The cases of this file are named after the reports from the field that they
// come from.

// LSP-02: a renamed file does not keep diagnostics under its old name.
func TestRenamedFiles(t *testing.T) {
	bad := files{"a.md": "x\n", "p/MEMORY.md": "# P\n", "p/b.md": "x\n", "p/c.md": "x\n"}
	t.Run("the editor renames", func(t *testing.T) {
		m := newMemory(t, v2(bad))
		e := newEditor(t, vscode)
		a := e.openFile(m, "a.md")
		e.expect(a, "frontmatter-missing")
		m.git("mv", "a.md", "b.md")
		e.didClose(a)
		b := e.openFile(m, "b.md")
		e.event(m.path("a.md"), m.path("b.md"))
		e.expect(a)
		if got := e.of(b); !slices.Contains(got, "0:0-0:1 frontmatter-missing: missing frontmatter (must start with ---)") {
			t.Errorf("b.md shows %q, want the error of a.md", got)
		}
	})
	t.Run("another process renames a directory under open files", func(t *testing.T) {
		m := newMemory(t, v2(bad))
		e := newEditor(t, vscode)
		b, c := e.openFile(m, "p/b.md"), e.openFile(m, "p/c.md")
		e.settle()
		if len(e.of(b)) == 0 || len(e.of(c)) == 0 {
			t.Fatal("nothing is wrong with p, want errors")
		}
		if err := os.Rename(m.path("p"), m.path("q")); err != nil {
			t.Fatal(err)
		}
		e.event(m.path("p/b.md"), m.path("p/c.md"), m.path("q/b.md"), m.path("q/c.md"), m.path("p/MEMORY.md"), m.path("q/MEMORY.md"))
		e.expect(b)
		e.expect(c)
	})
	t.Run("git checks out another branch", func(t *testing.T) {
		m := newMemory(t, v2(bad))
		m.git("checkout", "-q", "-b", "other")
		m.git("rm", "-q", "p/MEMORY.md")
		m.write(files{"a.md": front("A"), "p/b.md": front("B")})
		m.git("commit", "-qam", "other")
		m.git("checkout", "-q", "main")
		e := newEditor(t, vscode)
		a, b := e.openFile(m, "a.md"), e.openFile(m, "p/b.md")
		e.settle()
		m.git("checkout", "-q", "other")
		e.change(a, m.read("a.md")) // as editors reload a clean buffer
		e.change(b, m.read("p/b.md"))
		e.event(m.path("a.md"), m.path("p/b.md"), m.path("p/MEMORY.md"))
		e.expect(a)
		fresh := newEditor(t, vscode)
		fresh.openFile(m, "a.md")
		fresh.openFile(m, "p/b.md")
		fresh.settle()
		if got, want := e.of(b), fresh.of(b); !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("after the checkout %q, want what a new server finds: %q", got, want)
		}
	})
}

// LSP-08: one file under two URIs shows every problem once. (Diagnostics are
// pushed, pull is not announced.)
func TestTwoURIsOfOneFile(t *testing.T) {
	m := newMemory(t, v2(files{"a-b.md": "x\n"}))
	e := newEditor(t, vscode)
	first := e.openFile(m, "a-b.md")
	e.settle()
	n := len(e.of(first))
	second := strings.Replace(first, "a-b", "a%2Db", 1)
	e.didOpen(second, "x\n")
	e.settle()
	if got := len(e.of(first)); got != 0 || n == 0 {
		t.Errorf("the older URI shows %d problems, want none", got)
	}
	if got := len(e.of(second)); got != n {
		t.Errorf("the newer URI shows %d problems, want %d", got, n)
	}
	e.didClose(second)
	e.settle()
	if got := len(e.of(first)); got != n {
		t.Errorf("the URI that is left shows %d problems, want %d", got, n)
	}
}

// LSP-09: documents are answered under the client's spelling of the URI.
func TestAnswersUnderTheClientsURI(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, "w s+x", "é")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	m := newMemoryAt(t, dir, v2(files{"b.md": "x\n"}))
	e := newEditor(t, plain)
	for _, uri := range []string{
		"file://" + base + "/w%20s%2Bx/%C3%A9/b.md",
		"file://" + base + "/w%20s+x/é/b.md",
	} {
		e.didOpen(uri, m.read("b.md"))
		e.settle()
		if len(e.of(uri)) == 0 {
			t.Errorf("nothing is published for %s", uri)
		}
		e.didClose(uri)
		e.expect(uri)
	}
}

// LSP-10: buffers count before the disk, for other files, too.
func TestBuffersOverDisk(t *testing.T) {
	m := newMemory(t, v2(files{"projects/x.md": front("X")}))
	e := newEditor(t, vscode)
	x := e.openFile(m, "projects/x.md")
	e.expect(x, "index-chain")
	index := uriOf(m.path("projects/MEMORY.md"))
	e.didOpen(index, "# P\n\n- [X](x.md)\n")
	e.expect(x)
	e.didClose(index)
	e.expect(x, "index-chain")
	m.write(files{"projects/MEMORY.md": "# P\n\n- [X](x.md)\n"})
	e.event(m.path("projects/MEMORY.md"))
	e.expect(x)

	e.change(x, "dirty\n")
	e.expect(x, "frontmatter-missing")
	m.write(files{"projects/x.md": front("Y")})
	e.event(m.path("projects/x.md"))
	e.expect(x, "frontmatter-missing")
	e.didClose(x)
	e.expect(x)

	last := map[string]int32{}
	for _, p := range e.log {
		if p.Version == nil {
			continue
		}
		if *p.Version < last[p.URI] && len(p.Diagnostics) > 0 {
			t.Errorf("version %d of %s is published after version %d", *p.Version, p.URI, last[p.URI])
		}
		last[p.URI] = *p.Version
	}
}

// An opened file and the newest version after a change are answered, with an
// empty list, too.
func TestEveryOpenAndChangeIsAnswered(t *testing.T) {
	m := newMemory(t, v2(nil))
	e := newEditor(t, plain)
	a := e.openFile(m, "a.md")
	for want := int32(1); want <= 3; want++ {
		e.settle()
		if p, ok := e.shown[a]; !ok || p.Version == nil || *p.Version != want || len(p.Diagnostics) != 0 {
			t.Fatalf("shown = %+v, want version %d with an empty list", p, want)
		}
		e.change(a, front("A")+"more\n")
	}
	before := len(e.log)
	m.write(files{"note.txt": "not memory"})
	e.event(m.path("note.txt"))
	e.settle()
	for _, p := range e.log[before:] {
		if p.URI == a && *p.Version != 4 {
			t.Errorf("%+v is published though nothing changed", p)
		}
	}
}

// LSP-12: files outside of every memory repository are silent.
func TestSilence(t *testing.T) {
	outside := t.TempDir()
	code := newMemory(t, files{"README.md": "[x](gone.md)\n"})
	m := newMemory(t, v2(files{".gitignore": "/out/\n", "out/x.md": "x\n", "data.txt": "x\n"}))
	e := newEditor(t, plain)
	for _, uri := range []string{
		uriOf(filepath.Join(outside, "a.md")), "untitled:Untitled-1", uriOf(code.path("README.md")),
		uriOf(m.path("out/x.md")), uriOf(m.path("out/new.md")), uriOf(m.path("data.txt")), uriOf(m.path(".git/x.md")),
	} {
		e.didOpen(uri, "x\n")
		e.settle()
		if p, ok := e.shown[uri]; ok {
			t.Errorf("%s is answered: %+v", uri, p)
		}
		e.didClose(uri)
	}
	t.Run("until they become memory", func(t *testing.T) {
		uri := e.openFile(code, "README.md")
		e.settle()
		code.write(files{"MEMORY.md": "# M\n\n- [R](README.md)\n"})
		e.event(code.path("MEMORY.md"))
		e.settle()
		if len(e.of(uri)) == 0 {
			t.Error("README.md shows nothing after MEMORY.md was created")
		}
		code.remove("MEMORY.md")
		e.event(code.path("MEMORY.md"))
		e.expect(uri)
	})
	t.Run("and when their repository is gone", func(t *testing.T) {
		m.write(files{"b.md": "x\n"})
		uri := e.openFile(m, "b.md")
		e.settle()
		if len(e.of(uri)) == 0 {
			t.Fatal("b.md shows nothing")
		}
		m.remove(".git")
		e.expect(uri)
	})
}

// A file belongs to the innermost repository.
func TestNestedRepository(t *testing.T) {
	outer := newMemory(t, v2(nil))
	inner := newMemoryAt(t, outer.path("inner"), files{"README.md": "x\n"})
	e := newEditor(t, plain)
	uri := e.openFile(inner, "README.md")
	e.settle()
	if p, ok := e.shown[uri]; ok {
		t.Errorf("a file of a repository without memory is answered: %+v", p)
	}
}

// LSP-13: every file is judged by its own repository, and a folder that is
// removed takes its diagnostics along.
func TestFolders(t *testing.T) {
	outer, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	a := newMemoryAt(t, filepath.Join(outer, "a"), files{"system/x.md": "x\n"})
	a.policy("legacy-only")
	a.write(files{"system/x.md": "changed\n"})
	b := newMemory(t, v2(files{"x.md": "x\n"}))
	b.policy("root-marker")
	folder := func(m *memory) map[string]any { return map[string]any{"uri": uriOf(m.dir), "name": "x"} }
	raw, err := json.Marshal([]any{folder(a), folder(b), map[string]any{"uri": uriOf(outer), "name": "outer"}})
	if err != nil {
		t.Fatal(err)
	}
	e := newEditorIn(t, vscode, `"workspaceFolders":`+string(raw))
	legacy, marker := e.openFile(a, "system/x.md"), e.openFile(b, "x.md")
	e.settle()
	inA, inB := e.of(legacy), e.of(marker)
	if len(inA) == 0 || len(inB) == 0 {
		t.Fatalf("A shows %q and B %q, want errors", inA, inB)
	}
	change := func(added, removed []any) {
		e.notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": added, "removed": removed}})
		e.settle()
	}
	none := []any{}
	change(none, []any{folder(a)})
	if got := e.of(legacy); !slices.Equal(got, inA) {
		t.Errorf("A shows %q, want %q: another folder holds it, too", got, inA)
	}
	change(none, []any{map[string]any{"uri": uriOf(outer), "name": "outer"}})
	change([]any{folder(a)}, none)
	change(none, []any{folder(a)})
	e.expect(legacy)
	if got := e.of(marker); !slices.Equal(got, inB) {
		t.Errorf("B shows %q, want %q", got, inB)
	}
	e.didClose(legacy)
	e.openFile(a, "system/x.md")
	e.settle()
	if got := e.of(legacy); !slices.Equal(got, inA) {
		t.Errorf("A, opened outside of every folder, shows %q, want %q", got, inA)
	}
}

// LSP-14: odd trees and sizes.
func TestOddTrees(t *testing.T) {
	long := strings.Repeat("x", 6000)
	m := newMemory(t, v2(files{"odd.md": front("Odd") + "[x](" + long + ")\n", "notes.md/MEMORY.md": "# N\n", "secret.md": front("S")}))
	makeOdd(t, m)
	e := newEditor(t, plain)
	odd := e.openFile(m, "odd.md")
	e.settle()
	huge := front("Huge") + strings.Repeat("word ", 1<<20)
	e.didOpen(uriOf(m.path("huge.md")), huge)
	for _, name := range []string{"notes.md", "pipe.md", "loop/loop/a.md", "z/etc/passwd.md", "secret.md", "sub/" + long + ".md"} {
		e.didOpen(uriOf(m.path(name)), "x\n")
	}
	e.settle()
	hover := e.call("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": odd}, "position": protocol.Position{Line: 5}})
	if !strings.Contains(string(hover), "odd.md") {
		t.Errorf("hover = %s, want the file", hover)
	}
	if n := len(e.shown[uriOf(m.path("secret.md"))].Diagnostics); n == 0 {
		t.Error("the buffer of an unreadable file is not judged")
	}
}

func TestDiagnosticsAreCapped(t *testing.T) {
	m := newMemory(t, v2(nil))
	e := newEditor(t, plain)
	uri := uriOf(m.path("many.md"))
	e.didOpen(uri, "---\n"+strings.Repeat("- k\n", maxDiagnostics+7)+"---\n")
	e.settle()
	got := e.shown[uri].Diagnostics
	if len(got) != maxDiagnostics+1 || !strings.Contains(got[maxDiagnostics].Message, "more problems") {
		t.Errorf("%d diagnostics, the last %q, want %d and how many more there are", len(got), describe(got[len(got)-1]), maxDiagnostics)
	}
}

// LSP-15: the client watches, and nothing that git writes by the thousand.
func TestWatchers(t *testing.T) {
	e := newEditor(t, vscode)
	all := strings.Join(e.other, "\n")
	for !strings.Contains(all, "workspace/didChangeWatchedFiles") {
		all += string(e.await("client/registerCapability").Params)
	}
	for _, glob := range []string{`"**/*.md"`, `"**/.memfs.config.json"`} {
		if !strings.Contains(all, glob) {
			t.Errorf("no watcher for %s in %s", glob, all)
		}
	}
	if strings.Contains(all, "objects") || strings.Contains(all, `"**"`) || strings.Contains(all, `"**/*"`) {
		t.Errorf("watchers = %s, want none of all files or git's objects", all)
	}
	if e := newEditor(t, neovim010); strings.Contains(strings.Join(e.other, "\n"), "client/registerCapability") {
		t.Errorf("a client without dynamic registration gets %s", e.other)
	}
}

// Events are what tells of changes far from the open files.
func TestEvents(t *testing.T) {
	m := newMemory(t, v2(files{
		"a.md":          front("A") + "[y](far/q/y.md#heading)\n",
		"far/MEMORY.md": "# F\n\n- [Q](q/MEMORY.md)\n", "far/q/MEMORY.md": "# Q\n\n- [Y](y.md)\n", "far/q/y.md": front("Y") + "# Heading\n",
	}))
	e := newEditor(t, vscode)
	a := e.openFile(m, "a.md")
	e.expect(a)
	m.write(files{"far/q/y.md": front("Y") + "# Other\n"})
	e.event(m.path("far/q/y.md"))
	e.expect(a, "link-broken")
	m.write(files{"far/q/y.md": front("Y") + "# Heading\n"})
	e.event(m.path("far/q/y.md"))
	e.expect(a)
	m.remove("far/q")
	e.event(m.path("far/q")) // some clients tell of the directory alone
	e.expect(a, "link-broken")
}

// Without any event, changes by other processes arrive with the next message.
func TestChangesWithoutEvents(t *testing.T) {
	for name, profile := range map[string]string{"watching": vscode, "not watching": plain} {
		t.Run(name, func(t *testing.T) {
			m := newMemory(t, v2(files{"p/MEMORY.md": "# P\n\n- [X](x.md)\n", "p/x.md": front("X")}))
			e := newEditor(t, profile)
			x := e.openFile(m, "p/x.md")
			e.expect(x)
			m.remove("p/MEMORY.md")
			e.change(x, front("X"))
			e.expect(x, "index-chain")
			m.git("checkout", "-q", "p/MEMORY.md")
			e.change(x, front("X"))
			e.expect(x)
			m.policy("legacy-only")
			e.change(x, "x\n")
			e.expect(x)
			m.policy("root-marker")
			e.change(x, "x\n")
			e.expect(x, "frontmatter-missing")
			e.change(x, front("X"))
			m.write(files{".memfs.config.json": `{"version":1,"maxDepth":0}`})
			e.change(x, front("X"))
			e.expect(x, "max-depth")
		})
	}
}
