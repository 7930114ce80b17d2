//go:build unix

package gitrepo

import (
	"context"
	"net"
	"os"
	"slices"
	"syscall"
	"testing"
)

func TestWorktreeSkipsWhatGitRefuses(t *testing.T) {
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
