package memory_test

import (
	"strings"
	"testing"

	"github.com/memls/memls/agentcli/memory"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/tree"
)

// TestPaths views a file by the ways that models spell its path, and tries to
// get at what is not memory.
func TestPaths(t *testing.T) {
	const found = "content"
	files := []*tree.File{
		file(rules.Index, found), file("notes/MEMORY.md", found), file("notes/caf\u00e9.md", found), file("Human.md", found),
		file("100%25.md", found), file("dir.d/x.txt", found), file("skills/run/SKILL.md", found),
		tree.NewFile("out", tree.Symlink, "", tree.Buffer("/etc")),
		tree.NewFile("passwd.md", tree.Symlink, "", tree.Buffer("../../etc/passwd")),
		tree.NewFile("sub", tree.Gitlink, "", nil),
	}
	for _, c := range []struct {
		path string
		want string // "" where the file is found, else what the error says
	}{
		{"/memories/notes/MEMORY.md", ""},
		{"/memories/notes/MEMORY", ""},
		{"notes/MEMORY.md", ""},
		{"./notes//MEMORY.md", ""},
		{"memory/notes/MEMORY.md", ""},
		{"memories/notes/MEMORY.md", ""},
		{"$MEMORY_DIR/notes/MEMORY.md", ""},
		{"${MEMORY_DIR}/notes/MEMORY.md", ""},
		{"/home/ann/mem/notes/MEMORY.md", ""},
		{`notes\MEMORY.md`, ""},
		{"/memories/100%25.md", ""},
		{"/memories/notes/caf\u00e9.md", ""},

		{"", "is empty"},
		{"/memoriesX/MEMORY.md", "outside the memory"},
		{"/memories../MEMORY.md", "outside the memory"},
		{"/etc/passwd", "outside the memory"},
		{"/home/ann/memX/MEMORY.md", "outside the memory"},
		{"/home/ann/mem/../secret", `holds ".."`},
		{"//memories/MEMORY.md", "outside the memory"},
		{"~/MEMORY.md", "outside the memory"},
		{"$HOME/MEMORY.md", "outside the memory"},
		{"$MEMORY_DIRX/MEMORY.md", "outside the memory"},
		{"C:/MEMORY.md", "outside the memory"},
		{`c:\MEMORY.md`, "outside the memory"},
		{"../MEMORY.md", `holds ".."`},
		{"/memories/../MEMORY.md", `holds ".."`},
		{"/memories/notes/../MEMORY.md", `holds ".."`},
		{`/memories/notes\..\MEMORY.md`, `holds ".."`},
		{"/memories/%2e%2e/MEMORY.md", "percent-encoded"},
		{"/memories/%2E%2E%2Fx", "percent-encoded"},
		{"/memories/notes%2fMEMORY.md", "percent-encoded"},
		{"/memories/%252e%252e/x", "percent-encoded"},
		{"/memories/MEMORY.md%00", "percent-encoded"},
		{"/memories/a\x00b", "cannot be printed"},
		{"/memories/a\nb", "cannot be printed"},
		{"/memories/a\x1b[31mb", "cannot be printed"},
		{"/memories/a\u202eb", "cannot be printed"},
		{"/memories/.g\u200cit/config", "cannot be printed"},
		{"/memories/.git/config", "git keeps"},
		{".git", "git keeps"},
		{"/memories/.GIT/hooks/pre-commit", "git keeps"},
		{"/memories/notes/.Git/config", "git keeps"},
		{"/memories/git~1/config", "git keeps"},
		{"/memories/.git./config", "git keeps"},
		{"/memories/.git /config", "git keeps"},
		{"/memories/.git::$INDEX_ALLOCATION/config", "git keeps"},
		{"/memories/out/passwd", "symbolic link"},
		{"/memories/out", "symbolic link"},
		{"/memories/passwd.md", "symbolic link"},
		{"/memories/sub/x.md", "is a file, not a directory"},
		{"/memories/Human.md/x.md", "is a file, not a directory"},
		{"/memories/human.md", "/memories/Human.md does, which is the same name"},
		{"/memories/human", "/memories/Human.md does, which is the same name"},
		{"/memories/NOTES/MEMORY.md", "/memories/notes does, which is the same name"},
		{"/memories/notes/Memory.md", "/memories/notes/MEMORY.md does, which is the same name"},
		{"/memories/notes/cafe\u0301.md", "/memories/notes/caf\u00e9.md does, which is the same name"},
		{strings.Repeat("x/", 3000), "longer than"},
		{"/memories/none/x.md", "does not exist"},
	} {
		w := memory.New(snapshot(files...), memory.Options{Root: "/home/ann/mem"})
		text, isError := w.Call(t.Context(), "memory", input("command", "view", "path", c.path))
		switch {
		case c.want == "" && (isError || !strings.Contains(text, found)):
			t.Errorf("%q: %s, want the file", c.path, text)
		case c.want != "" && (!isError || !strings.Contains(text, c.want)):
			t.Errorf("%q: %s, want an error with %q", c.path, text, c.want)
		}
		if c.want == "" || c.want == "does not exist" {
			continue
		}
		// What cannot be seen can be neither written nor deleted, by any way.
		for name, in := range map[string]string{
			"create":     input("command", "create", "path", c.path, "file_text", "x"),
			"delete":     input("command", "delete", "path", c.path+"/x"),
			"rename to":  input("command", "rename", "old_path", "Human.md", "new_path", c.path),
			"rename off": input("command", "rename", "old_path", c.path+"/x", "new_path", "new.md"),
			"patch":      input("input", "*** Begin Patch\n*** Add File: "+c.path+"\n+x\n*** End Patch"),
		} {
			tool := "memory"
			if name == "patch" {
				tool = memory.PatchTool
			}
			if name == "rename to" && strings.EqualFold(strings.TrimSuffix(c.path, ".md"), "/memories/human") {
				continue // a file may be renamed to a name that differs in case
			}
			if text, isError := w.Call(t.Context(), tool, in); !isError {
				t.Errorf("%s %q: %s", name, c.path, text)
			}
			if changes := w.Changes(); len(changes) > 0 {
				t.Fatalf("%s %q changed %s", name, c.path, changes[0].Path)
			}
		}
	}
}

// TestNewNames: what some system cannot hold is not created.
func TestNewNames(t *testing.T) {
	w := memory.New(snapshot(file(rules.Index, "# Memory\n")), memory.Options{})
	for _, path := range []string{"CON.md", "nul", "a:b.md", "what?.md", "end./x.md", "space /x.md", strings.Repeat("x", 256), "COM1/x.md",
		".memfs.config.json", ".MemFS.config.json", ".memf\u017f.config.json", ".memfs.config.json/x.md"} {
		if text, isError := w.Call(t.Context(), "memory", input("command", "create", "path", path, "file_text", "x")); !isError {
			t.Errorf("%q: %s", path, text)
		}
	}
}
