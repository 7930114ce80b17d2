package gitrepo

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/memls/memls/rules/tree"
)

// eolAttributes are lines for .gitattributes; "" is a file without any.
var eolAttributes = []string{
	"", "text", "-text", "!text", "text=auto", "text=input", "text=odd", "binary", "crlf", "-crlf", "crlf=input", "crlf=auto",
	"eol=lf", "eol=crlf", "eol=odd", "text=auto eol=crlf", "text=auto eol=lf", "-text eol=crlf", "text eol=lf", "text=odd crlf", "-text crlf",
}

// eolStaged are contents of the index, "-" for an untracked file.
var eolStaged = []string{"-", "a\nb\n", "a\r\nb\r\n", "a\r\nb\n", "a\r\nb\x00\r\n", "a\r\nlone\r", ""}

// eolOnDisk are contents of the working tree.
var eolOnDisk = []string{
	"new\r\nline\r\n", "new\r\nline\n", "new\nline\n", "lone\r and\r\n", "nul\x00\r\n", "ends in cr\r\n\r", "dos\r\n\x1a",
	strings.Repeat("x", 127) + "\x01\r\n", strings.Repeat("\t\b\x1b\f", 32) + "\x7f\r\n", "\x1a\r\n\x1a", "\r\n", "a\r\nb\r\n",
}

// Every combination of core.autocrlf, attributes, staged and new content is
// staged as git does.
func TestLineEndsAreStagedAsGitDoes(t *testing.T) {
	for _, autocrlf := range []string{"false", "true", "input"} {
		t.Run("core.autocrlf="+autocrlf, func(t *testing.T) {
			p := newPlayground(t)
			p.git("config", "core.autocrlf", autocrlf)
			rules, index := "", ""
			for a, attribute := range eolAttributes {
				if attribute != "" {
					rules += fmt.Sprintf("a%d-* %s\n", a, attribute)
				}
				for s, staged := range eolStaged {
					oid := tree.HashBlob([]byte(staged), 20)
					if a == 0 && staged != "-" {
						_, err := p.try(staged, "hash-object", "-w", "--stdin")
						p.must(err)
					}
					for d, onDisk := range eolOnDisk {
						name := fmt.Sprintf("a%d-s%d-d%d", a, s, d)
						p.must(os.WriteFile(p.path(name), []byte(onDisk), 0o666))
						if staged != "-" {
							index += fmt.Sprintf("100644 %v\t%s\n", oid, name)
						}
					}
				}
			}
			p.write(".gitattributes", rules)
			_, err := p.try(index, "update-index", "--index-info")
			p.must(err)
			w, want := p.worktree(), p.added()
			compare(t, "worktree", listed(t, w), want)

			r := w.disk.repo
			for d := range eolOnDisk {
				name := fmt.Sprintf("a%d-s%d-d%d", 4+d%3, d%len(eolStaged), d)
				buffer := w.StageBytes(context.Background(), name, []byte(eolOnDisk[d]))
				if string(buffer) != want[name].content {
					t.Errorf("Worktree.StageBytes(%s, %q) = %q, want %q", name, eolOnDisk[d], buffer, want[name].content)
				}
				if d%4 == 0 {
					buffer = r.StageBytes(context.Background(), name, []byte(eolOnDisk[d]))
					if string(buffer) != want[name].content {
						t.Errorf("Repo.StageBytes(%s, %q) = %q, want %q", name, eolOnDisk[d], buffer, want[name].content)
					}
				}
			}
		})
	}
}

// The working copy has CRLF, the index LF: what will be committed is LF.
func TestStageBytesOfUnsavedBuffer(t *testing.T) {
	p := newPlayground(t)
	p.git("config", "core.autocrlf", "true")
	ctx := context.Background()
	w := p.worktree()
	for path, want := range map[string]string{"new.md": "a\nb\n", "a\"\n.md": "a\nb\n"} {
		if b := w.disk.repo.StageBytes(ctx, path, []byte("a\r\nb\r\n")); string(b) != want {
			t.Errorf("StageBytes(%q) = %q, want %q", path, b, want)
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if b := w.disk.repo.StageBytes(cancelled, "new.md", []byte("a\r\n")); string(b) != "a\r\n" {
		t.Errorf("StageBytes that cannot ask git = %q, want the buffer as it is", b)
	}
}

// Attributes of a tree are asked for once, not file by file.
func TestLineEndsOfManyFilesAreOneQuestion(t *testing.T) {
	p := newPlayground(t)
	p.write(".gitattributes", "*.md text\n")
	for i := range 50 {
		p.write(fmt.Sprintf("%d.md", i), "a\r\n")
	}
	w := p.worktree()
	if _, err := w.Tree.File("0.md").Bytes(); err != nil {
		t.Fatal(err)
	}
	// Were git asked again, it would now say something else.
	p.must(os.Remove(p.path(".gitattributes")))
	for i := range 50 {
		if b, err := w.Tree.File(fmt.Sprintf("%d.md", i)).Bytes(); string(b) != "a\n" || err != nil {
			t.Fatalf("%d.md = %q, %v; want the answer of the first question", i, b, err)
		}
	}
}

func TestConfiguredBooleans(t *testing.T) {
	p := newPlayground(t)
	for value, want := range map[string]bool{
		"true": true, "Yes": true, "ON": true, "1": true, "-1": true, "false": false, "no": false, "off": false, "0": false, "": false,
	} {
		p.git("config", "core.fileMode", value)
		s, err := p.worktree().disk.repo.settings(context.Background())
		if err != nil || s.fileMode != want {
			t.Errorf("core.fileMode %q: %v, %v; want %v", value, s.fileMode, err, want)
		}
	}
	config, err := os.ReadFile(p.path(".git/config"))
	p.must(err)
	p.must(os.WriteFile(p.path(".git/config"), append(config, "[core]\n\tsymlinks\n\tfileMode = off\n\tautocrlf = Input\n"...), 0o666))
	s, err := p.worktree().disk.repo.settings(context.Background())
	if want := (settings{autoCRLF: true, symlinks: true}); err != nil || s != want {
		t.Errorf("settings = %+v, %v; want %+v", s, err, want)
	}
}

// What git adds for CRLF text is a fixed point, and conversion only ever
// takes away carriage returns.
func FuzzConvertEOL(f *testing.F) {
	for _, s := range eolOnDisk {
		f.Add([]byte(s), []byte("a\r\nb\n"))
	}
	f.Fuzz(func(t *testing.T, raw, old []byte) {
		for _, action := range []eolAction{eolKeep, eolText, eolAuto} {
			b, err := convertEOL(raw, action, func() ([]byte, error) { return old, nil })
			if err != nil {
				t.Fatal(err)
			}
			if strings.ReplaceAll(string(b), "\r", "") != strings.ReplaceAll(string(raw), "\r", "") {
				t.Errorf("action %d changed more than CR: %q to %q", action, raw, b)
			}
			if strings.Count(string(b), "\n") != strings.Count(string(raw), "\n") {
				t.Errorf("action %d changed the number of lines: %q to %q", action, raw, b)
			}
			if action == eolAuto && hasCRLF(b) && !looksBinary(raw) && (!hasCRLF(old) || looksBinary(old)) {
				t.Errorf("auto kept CRLF in %q over %q", raw, old)
			}
		}
	})
}
