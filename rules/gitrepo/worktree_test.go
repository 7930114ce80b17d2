package gitrepo

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/memls/memls/rules/tree"
)

// Each case prepares a working tree; the listing must be what git add -A
// stages.
func TestWorktreeIsWhatGitWouldAdd(t *testing.T) {
	needsUnix(t)
	tests := map[string]func(p *playground){
		"empty repository": func(p *playground) {},
		"ignored, and tracked though ignored": func(p *playground) {
			p.write("kept.log", "tracked\n")
			p.git("add", "kept.log")
			p.write(".gitignore", "*.log\nbuild/\n!sub/a.log\n")
			p.write("other.log", "x")
			p.write("build/x.md", "x")
			p.write("sub/a.log", "x")
			p.write("sub/.gitignore", "*.tmp\n")
			p.write("sub/b.tmp", "x")
		},
		"global and private ignore rules": func(p *playground) {
			p.write("a.glob", "x")
			p.write("a.priv", "x")
			p.write("a.md", "x")
			p.must(os.WriteFile(os.Getenv("HOME")+"/ignore", []byte("*.glob\n"), 0o666))
			p.git("config", "--global", "core.excludesFile", os.Getenv("HOME")+"/ignore")
			p.must(os.MkdirAll(p.path(".git/info"), 0o777))
			p.must(os.WriteFile(p.path(".git/info/exclude"), []byte("*.priv\n"), 0o666))
		},
		"deleted": func(p *playground) {
			p.write("a.md", "x")
			p.write("d/b.md", "x")
			p.git("add", "-A")
			p.must(os.RemoveAll(p.path("d")))
			p.must(os.Remove(p.path("a.md")))
		},
		"file and directory swapped": func(p *playground) {
			p.write("file.md", "x")
			p.write("dir/a.md", "x")
			p.write("dir/b/c.md", "x")
			p.git("add", "-A")
			p.must(os.RemoveAll(p.path("dir")))
			p.must(os.Remove(p.path("file.md")))
			p.write("dir", "now a file\n")
			p.write("file.md/inside.md", "now inside\n")
		},
		"links": func(p *playground) {
			p.write("real/a.md", "x")
			p.write("was/a.md", "x")
			p.write("file.md", "x")
			p.git("add", "-A")
			p.must(os.RemoveAll(p.path("was")))
			p.must(os.Remove(p.path("file.md")))
			for link, target := range map[string]string{
				"was": "real", "file.md": "real/a.md", "z": "/", "loop": ".", "real/up": "..", "dangling.md": "no/such",
				"self": "self", "long": strings.Repeat("d/", 1500) + "end", "link\nname": "new\nline",
			} {
				p.must(os.Symlink(target, p.path(link)))
			}
		},
		"link became a file": func(p *playground) {
			p.must(os.Symlink("target", p.path("link.md")))
			p.git("add", "-A")
			p.must(os.Remove(p.path("link.md")))
			p.write("link.md", "file\n")
		},
		"links as files": func(p *playground) {
			p.must(os.Symlink("target", p.path("link.md")))
			p.git("add", "-A")
			p.git("config", "core.symlinks", "false")
			p.must(os.Remove(p.path("link.md")))
			p.write("link.md", "other\r\ntarget")
			p.write("plain.md", "x")
		},
		"executable": func(p *playground) {
			p.write("on.md", "x")
			p.write("off.md", "x")
			p.write("new.md", "x")
			p.write("group.md", "x")
			p.must(os.Chmod(p.path("off.md"), 0o755))
			p.git("add", "on.md", "off.md")
			p.must(os.Chmod(p.path("on.md"), 0o755))
			p.must(os.Chmod(p.path("off.md"), 0o644))
			p.must(os.Chmod(p.path("new.md"), 0o755))
			p.must(os.Chmod(p.path("group.md"), 0o654))
		},
		"executable without core.fileMode": func(p *playground) {
			p.git("config", "core.fileMode", "no")
			p.write("on.md", "x")
			p.write("off.md", "x")
			p.write("new.md", "x")
			p.git("add", "on.md", "off.md")
			p.git("update-index", "--chmod=+x", "off.md")
			p.must(os.Chmod(p.path("on.md"), 0o755))
			p.must(os.Chmod(p.path("new.md"), 0o755))
		},
		"repositories inside": func(p *playground) {
			p.nested("inner")
			p.write("inner/a.md", "theirs")
			p.nested("tracked.md")
			p.write("file", "x")
			p.write("mixed/a.md", "ours")
			p.git("add", "tracked.md", "file", "mixed/a.md")
			p.must(os.Remove(p.path("file")))
			p.nested("file")
			p.nested("mixed")
			p.write("mixed/b.md", "ours too")
			p.nested("gone")
			p.git("add", "gone")
			p.must(os.RemoveAll(p.path("gone")))
			p.nested("flat")
			p.git("add", "flat")
			p.must(os.RemoveAll(p.path("flat")))
			p.write("flat", "a file now")
			p.nested("empty")
			p.git("add", "empty")
			p.must(os.RemoveAll(p.path("empty/.git")))
		},
		"conflict": func(p *playground) {
			p.write("a.md", "base\n")
			p.write("gone.md", "base\n")
			p.git("add", "-A")
			p.git("commit", "-qm", "base")
			p.git("checkout", "-qb", "other")
			p.write("a.md", "other\n")
			p.write("gone.md", "other\n")
			p.git("commit", "-qam", "other")
			p.git("checkout", "-q", "-")
			p.write("a.md", "ours\n")
			p.git("rm", "-q", "gone.md")
			p.git("commit", "-qam", "ours")
			if _, err := p.try("", "merge", "-q", "other"); err == nil {
				p.tb.Fatal("no conflict")
			}
			p.must(os.Remove(p.path("gone.md")))
		},
		"intent to add": func(p *playground) {
			p.write("a.md", "not yet\n")
			p.write("empty.md", "")
			p.git("add", "-N", "a.md", "empty.md")
		},
		"skip-worktree": func(p *playground) {
			p.write("in/a.md", "x")
			p.write("out/b.md", "y")
			p.git("add", "-A")
			p.git("commit", "-qm", "x")
			p.git("sparse-checkout", "set", "in")
		},
		"sparse index": func(p *playground) {
			p.write("in/a.md", "x")
			p.write("out/b.md", "y")
			p.write("gone/c.md", "y")
			p.git("add", "-A")
			p.git("commit", "-qm", "x")
			p.git("sparse-checkout", "set", "--cone", "--sparse-index", "in", "gone")
			p.must(os.Remove(p.path("gone/c.md")))
		},
		"odd names": func(p *playground) {
			for _, name := range []string{
				"new\nline.md", "quote\".md", "back\\slash.md", "*.md", "[a].md", ":(glob)x", "-rf", " ", "tab\t.md",
				"bad\xff\xfeutf8.md", "ä.md", "a\u0308.md", "d ir/\x01\x7f", ".hidden/.git-not/x", strings.Repeat("n", 255),
			} {
				p.write("new/"+name, name)
				p.write("old/"+name, name)
			}
			p.git("add", "old")
		},
		"clean by stat, rules for line ends came later": func(p *playground) {
			p.write("crlf.md", "a\r\nb\r\n")
			p.write("lf.md", "a\nb\n")
			p.git("add", "-A")
			p.write(".gitattributes", "*.md text\n")
		},
		"attributes deleted on disk alone": func(p *playground) {
			p.write(".gitattributes", "*.md text\n")
			p.git("add", "-A")
			p.must(os.Remove(p.path(".gitattributes")))
			p.write("crlf.md", "a\r\n")
		},
		"submodule became a file with CRLF": func(p *playground) {
			p.nested("sub")
			p.git("add", "sub")
			p.must(os.RemoveAll(p.path("sub")))
			p.write("sub", "a\r\n")
			p.write(".gitattributes", "* text=auto\n")
		},
		"changed without a trace in size": func(p *playground) {
			p.write("a.md", "one\n")
			p.git("add", "-A")
			p.must(os.WriteFile(p.path("a.md"), []byte("two\n"), 0o666))
		},
		"written right after the index": func(p *playground) {
			p.must(os.WriteFile(p.path("a.md"), []byte("one\n"), 0o666))
			p.git("add", "-A")
			p.must(os.WriteFile(p.path("a.md"), []byte("two\n"), 0o666))
		},
	}
	for name, prepare := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPlayground(t)
			prepare(p)
			w := p.worktree()
			compare(t, "worktree", listed(t, w), p.added())
			if len(w.Skipped) != 0 {
				t.Errorf("skipped %v, want none", w.Skipped)
			}
		})
	}
}

func TestWorktreeKnowsIDsOfCleanFiles(t *testing.T) {
	p := newPlayground(t)
	p.write("clean.md", "x\n")
	p.write("dirty.md", "x\n")
	p.git("add", "-A")
	p.write("dirty.md", "other\n")
	p.write("new.md", "x\n")
	w := p.worktree()
	if got, want := w.Tree.File("clean.md").OID, tree.HashBlob([]byte("x\n"), 20); got != want {
		t.Errorf("clean file has id %v, want %v", got, want)
	}
	for _, path := range []string{"dirty.md", "new.md"} {
		if oid := w.Tree.File(path).OID; oid != "" {
			t.Errorf("%s has id %v without having been read", path, oid)
		}
	}
	// A snapshot does not change: what was clean keeps its content.
	p.write("clean.md", "changed after the listing\n")
	if b, err := w.Tree.File("clean.md").Bytes(); string(b) != "x\n" || err != nil {
		t.Errorf("content of a file with known id = %q, %v; want what has that id", b, err)
	}
}

func TestWorktreeOfBareRepository(t *testing.T) {
	p := newPlayground(t)
	p.git("init", "-q", "--bare", "bare.git")
	r, err := Open(context.Background(), p.path("bare.git"))
	p.must(err)
	if _, err := r.Worktree(context.Background()); !errors.Is(err, ErrNoWorktree) {
		t.Errorf("err = %v, want ErrNoWorktree", err)
	}
}

func TestWorktreeCancelled(t *testing.T) {
	p := newPlayground(t)
	p.write("a.md", "x")
	r, err := Open(context.Background(), p.dir)
	p.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := r.Worktree(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want context.Canceled", err)
	}
}

// An index is made by anyone; its paths must not lead out of the repository.
func TestWorktreeIgnoresPathsThatLeadOutside(t *testing.T) {
	p := newPlayground(t)
	p.write("a.md", "x")
	w := p.worktree()
	l := newLook(w.disk, w.index, nil)
	var entries []IndexEntry
	for _, path := range []string{"../../etc/hostname", "a/../../x", "/etc/hostname", "./a.md"} {
		entries = append(entries, IndexEntry{Path: path, Mode: tree.Regular, OID: tree.HashBlob(nil, 20)})
	}
	p.must(l.tracked(context.Background(), entries))
	for _, f := range l.files {
		t.Errorf("%q is listed", f.Path)
	}
}
