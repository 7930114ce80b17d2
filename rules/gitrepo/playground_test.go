package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
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
