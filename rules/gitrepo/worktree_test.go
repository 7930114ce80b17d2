package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memls/memls/rules/tree"
)

// A playground is a real repository that is compared with what git does.
type playground struct {
	tb  testing.TB
	dir string
	env []string
}

func newPlayground(tb testing.TB) *playground {
	tb.Helper()
	home := tb.TempDir()
	for k, v := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": home + "/config",
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b.c", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b.c",
	} {
		setenv(tb, k, v)
	}
	p := &playground{tb: tb, dir: tb.TempDir()}
	p.git("init", "-q", "--template=")
	return p
}

func setenv(tb testing.TB, k, v string) {
	tb.(interface{ Setenv(k, v string) }).Setenv(k, v)
}

// git runs git in the playground and returns its standard output.
func (p *playground) git(args ...string) string {
	p.tb.Helper()
	out, err := p.try("", args...)
	if err != nil {
		p.tb.Fatalf("git %v: %v", args, err)
	}
	return out
}

func (p *playground) try(stdin string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin, cmd.Env = p.dir, strings.NewReader(stdin), append(os.Environ(), p.env...)
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	return string(out), err
}

func (p *playground) path(name string) string { return p.dir + "/" + name }

// write makes a file with its directories. Its time of change is an hour ago,
// so that git trusts what its index says of it.
func (p *playground) write(name, content string) {
	p.tb.Helper()
	p.must(os.MkdirAll(filepath.Dir(p.path(name)), 0o777))
	p.must(os.WriteFile(p.path(name), []byte(content), 0o666))
	p.age(name, time.Hour)
}

func (p *playground) age(name string, d time.Duration) {
	p.tb.Helper()
	then := time.Now().Add(-d)
	p.must(os.Chtimes(p.path(name), then, then))
}

func (p *playground) must(err error) {
	if err != nil {
		p.tb.Helper()
		p.tb.Fatal(err)
	}
}

// nested makes a repository with a commit inside the playground.
func (p *playground) nested(name string) {
	p.tb.Helper()
	p.git("init", "-q", "--template=", name)
	p.git("-C", name, "commit", "-q", "--allow-empty", "-m", "x")
}

func (p *playground) worktree() *Worktree {
	p.tb.Helper()
	r, err := Open(context.Background(), p.dir)
	p.must(err)
	p.tb.Cleanup(func() { r.Close() })
	w, err := r.Worktree(context.Background())
	p.must(err)
	return w
}

// An entry is a mode and content; that of a submodule is not compared.
type entry struct {
	mode    string
	content string
}

// added is what `git add -A` puts in the index. It works on copies of index
// and object database; the working tree is the real one, so that git sees the
// same inodes and times.
func (p *playground) added() map[string]entry {
	p.tb.Helper()
	temp := p.tb.TempDir()
	index := temp + "/index"
	q := *p
	q.env = []string{
		"GIT_INDEX_FILE=" + index, "GIT_OBJECT_DIRECTORY=" + temp,
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + p.path(".git/objects"),
	}
	if info, err := os.Stat(p.path(".git/index")); err == nil {
		b, err := os.ReadFile(p.path(".git/index"))
		p.must(err)
		p.must(os.WriteFile(index, b, 0o666))
		// The time decides which entries git takes for racily clean.
		p.must(os.Chtimes(index, info.ModTime(), info.ModTime()))
	}
	q.git("-c", "advice.addEmbeddedRepo=false", "add", "-A")
	want := map[string]entry{}
	var oids, paths []string
	for record := range strings.SplitSeq(strings.TrimSuffix(q.git("ls-files", "-s", "-z"), "\x00"), "\x00") {
		meta, path, _ := strings.Cut(record, "\t")
		if meta == "" {
			continue
		}
		f := strings.Fields(meta)
		want[path] = entry{mode: f[0]}
		if f[0] != "160000" {
			oids, paths = append(oids, f[1]), append(paths, path)
		}
	}
	out, err := q.try(strings.Join(oids, "\n"), "cat-file", "--batch")
	p.must(err)
	for _, path := range paths {
		head, rest, _ := strings.Cut(out, "\n")
		size := 0
		fmt.Sscanf(strings.Fields(head)[2], "%d", &size)
		want[path] = entry{want[path].mode, rest[:size]}
		out = rest[size+1:]
	}
	return want
}

// listed is what a Worktree says of the same.
func listed(tb testing.TB, w *Worktree) map[string]entry {
	tb.Helper()
	got := map[string]entry{}
	for f := range w.Tree.All() {
		e := entry{mode: fmt.Sprintf("%06o", uint32(f.Mode))}
		if f.Mode != tree.Gitlink {
			b, err := f.Bytes()
			if err != nil {
				tb.Fatal(err)
			}
			e.content = string(b)
			if f.OID != "" && tree.HashBlob(b, len(f.OID)) != f.OID {
				tb.Errorf("%q: OID is %v, content %q has another", f.Path, f.OID, b)
			}
		}
		got[f.Path] = e
	}
	return got
}

func compare(tb testing.TB, what string, got, want map[string]entry) {
	tb.Helper()
	paths := slices.Sorted(maps.Keys(want))
	for path := range got {
		if _, ok := want[path]; !ok {
			paths = append(paths, path)
		}
	}
	for _, path := range paths {
		g, inGot := got[path]
		switch w, inWant := want[path]; {
		case !inGot:
			tb.Errorf("%s: %q is missing, want mode %s", what, path, w.mode)
		case !inWant:
			tb.Errorf("%s: %q is listed with mode %s, want it absent", what, path, g.mode)
		case g != w:
			tb.Errorf("%s: %q is %s %q, want %s %q", what, path, g.mode, g.content, w.mode, w.content)
		}
	}
}

func needsUnix(tb testing.TB) {
	if runtime.GOOS == "windows" {
		tb.Skip("links, pipes and executable bits are those of Unix")
	}
}

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

func TestWorktreeSkipsWhatGitRefuses(t *testing.T) {
	needsUnix(t)
	p := newPlayground(t)
	p.write("pipe.md", "x")
	p.write("socket.md", "x")
	p.write("ok.md", "x")
	p.git("add", "-A")
	p.must(os.Remove(p.path("pipe.md")))
	p.must(os.Remove(p.path("socket.md")))
	p.must(syscall.Mkfifo(p.path("pipe.md"), 0o666))
	p.must(syscall.Mkfifo(p.path("untracked-pipe.md"), 0o666))
	l, err := net.Listen("unix", p.path("socket.md"))
	p.must(err)
	defer l.Close()
	p.git("init", "-q", "unborn")
	w := p.worktree()
	compare(t, "worktree", listed(t, w), map[string]entry{"ok.md": {"100644", "x"}})
	want := []Skipped{{"pipe.md", notAFile}, {"socket.md", notAFile}, {"unborn", noCommit}}
	if !slices.Equal(w.Skipped, want) {
		t.Errorf("skipped %v, want %v", w.Skipped, want)
	}
	p.must(os.Remove(p.path("pipe.md")))
	p.write("pipe.md/a.md", "x")
	w, err = w.Refresh(context.Background(), []string{"pipe.md/a.md"})
	p.must(err)
	if !w.Tree.Has("pipe.md/a.md") || !slices.Equal(w.Skipped, want[1:]) {
		t.Errorf("after the pipe became a directory: skipped %v, want %v", w.Skipped, want[1:])
	}
}

func TestWorktreeReadsAreSafe(t *testing.T) {
	needsUnix(t)
	p := newPlayground(t)
	tests := map[string]struct {
		change func(path string)
		want   string
	}{
		"pipe":       {func(path string) { p.must(syscall.Mkfifo(path, 0o666)) }, "pipe: is no longer a regular file; look again"},
		"link":       {func(path string) { p.must(os.Symlink("/etc/hostname", path)) }, "link: has become a symbolic link; look again"},
		"directory":  {func(path string) { p.must(os.Mkdir(path, 0o777)) }, "directory: is no longer a regular file; look again"},
		"nothing":    {func(path string) {}, "nothing: cannot be read: no such file or directory"},
		"very large": {func(path string) { p.must(os.WriteFile(path, nil, 0o666)); p.must(os.Truncate(path, maxObject+1)) }, "very large: has 268435457 bytes, more than the 256 MiB that memls reads"},
	}
	for name := range tests {
		p.write(name, "x")
	}
	w := p.worktree()
	for name, test := range tests {
		p.must(os.Remove(p.path(name)))
		test.change(p.path(name))
		if b, err := w.Tree.File(name).Bytes(); err == nil || err.Error() != test.want {
			t.Errorf("%s: read %d bytes, error %v; want error %q", name, len(b), err, test.want)
		}
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
