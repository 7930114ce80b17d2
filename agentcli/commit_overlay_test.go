package agentcli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/tree"
)

// commitOn commits an overlay on HEAD of killRepo: texts by path, "" for
// deleted files.
func commitOn(t *testing.T, dir string, change func(*overlay), texts map[string]string) (*commitRun, error) {
	t.Helper()
	a := &app{env: Env{Stdout: io.Discard, Stderr: t.Output(), Getenv: os.Getenv}, dir: dir, patience: lockPatience}
	w, err := a.openToWrite(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	head, oid, err := w.Revision(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	o := overlay{base: oid.String(), message: "of an agent", rescue: newRescue(time.Unix(0, 0), "x")}
	for path, text := range texts {
		c := rules.FileChange{Path: path, Before: head.File(path)}
		if text != "" {
			c.After = tree.NewFile(path, tree.Regular, "", tree.Buffer(text))
		}
		o.changes = append(o.changes, c)
	}
	if change != nil {
		change(&o)
	}
	return w.commitOverlay(t.Context(), o)
}

// What commits of overlays do, and what they refuse.
func TestCommitOverlay(t *testing.T) {
	indexed := "# Notes\n\n- [B](b.md) — b\n- [C](c.md) — c\n"
	for name, c := range map[string]struct {
		prepare func(t *testing.T, dir string)
		change  func(*overlay)
		texts   map[string]string
		want    map[string]string // what is on disk then, "" for no file
		status  string            // what git status says, "" for what it said before
		fails   string            // a part of the error
		kept    bool
	}{
		"other edits stay": {
			texts: map[string]string{"notes/MEMORY.md": indexed, "notes/c.md": frontB},
			want:  map[string]string{"notes/MEMORY.md": indexed, "notes/c.md": frontB, "a.md": frontA + "More.\n", "staged.txt": "new\n"},
		},
		"a directory goes": {
			texts: map[string]string{"MEMORY.md": "# Memory\n\n- [A](a.md) — a\n", "notes/MEMORY.md": "", "notes/b.md": ""},
			want:  map[string]string{"notes/b.md": "", "notes": ""},
		},
		"already on disk": {
			texts:  map[string]string{"a.md": frontA + "More.\n", "new.txt": "new\n"},
			want:   map[string]string{"a.md": frontA + "More.\n", "new.txt": "new\n"},
			status: "M  staged.txt",
		},
		"nothing changed": {texts: map[string]string{"notes/b.md": frontB}},
		"a local edit": {
			texts: map[string]string{"a.md": frontA + "Other.\n"}, fails: "a.md; nothing was changed", kept: true,
			want: map[string]string{"a.md": frontA + "More.\n"},
		},
		"a staged edit": {
			texts: map[string]string{"staged.txt": "mine\n"}, fails: "staged.txt; nothing was changed", kept: true,
			want: map[string]string{"staged.txt": "new\n"},
		},
		"an ignored file": {
			prepare: func(t *testing.T, dir string) {
				put(t, dir, map[string]string{".git/info/exclude": "private.txt\n", "private.txt": "mine\n"})
			},
			texts: map[string]string{"private.txt": "yours\n"}, fails: "git ignores it", kept: true,
			want: map[string]string{"private.txt": "mine\n"},
		},
		"a directory in the way": {
			prepare: func(t *testing.T, dir string) { put(t, dir, map[string]string{"c.md/x.txt": "mine\n"}) },
			texts:   map[string]string{"c.md": frontB}, fails: "c.md: is a directory on disk", kept: true,
			want: map[string]string{"c.md/x.txt": "mine\n"},
		},
		"an empty directory in the way": {
			prepare: func(t *testing.T, dir string) {
				if err := os.Mkdir(filepath.Join(dir, "c.md"), 0o755); err != nil {
					t.Fatal(err)
				}
			},
			texts: map[string]string{"c.md": frontB}, fails: "c.md: is a directory on disk", kept: true,
		},
		"rules refuse": {
			texts: map[string]string{"work/c.md": frontB}, fails: errFindings.Error(), kept: true,
			want: map[string]string{"work/c.md": ""},
		},
		"HEAD is elsewhere": {
			change: func(o *overlay) { o.base = strings.Repeat("1", 40) },
			texts:  map[string]string{"notes/b.md": frontB + "More.\n"}, fails: errMoved.Error(),
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := killRepo(t)
			if c.prepare != nil {
				c.prepare(t, dir)
			}
			head, status := git(t, dir, "rev-parse", "HEAD"), git(t, dir, "status", "--porcelain")
			run, err := commitOn(t, dir, c.change, c.texts)
			if err == nil != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Errorf("error %v, want %q", err, c.fails)
			}
			if changed := git(t, dir, "rev-parse", "HEAD") != head; changed != (run.commit != "") || changed && err != nil {
				t.Errorf("HEAD moved: %v; commit %q, %v", changed, run.commit, err)
			}
			if c.status == "" {
				c.status = status
			}
			if got := git(t, dir, "status", "--porcelain"); got != c.status {
				t.Errorf("status:\n%s\nwant:\n%s", got, c.status)
			}
			files := read(t, dir)
			for path, want := range c.want {
				if files[path] != want {
					t.Errorf("%s: %q, want %q", path, files[path], want)
				}
			}
			if kept := git(t, dir, "for-each-ref", rescueRefs) != ""; kept != c.kept {
				t.Errorf("the work is kept: %v", kept)
			}
			git(t, dir, "fsck", "--strict")
		})
	}
}

// What hooks make of an overlay is committed and comes to disk.
func TestCommitOverlayWithHook(t *testing.T) {
	dir := killRepo(t)
	put(t, dir, map[string]string{".git/hooks/pre-commit": "#!/bin/sh\n" +
		"git update-index --add --cacheinfo 100644,$(echo made | git hash-object -w --stdin),made.txt\n"})
	if err := os.Chmod(dir+"/.git/hooks/pre-commit", 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := commitOn(t, dir, nil, map[string]string{"notes/b.md": frontB + "More.\n"}); err != nil {
		t.Fatal(err)
	}
	if got := read(t, dir)["made.txt"]; got != "made\n" {
		t.Errorf("made.txt: %q", got)
	}
	put(t, dir, map[string]string{".git/hooks/pre-commit": "#!/bin/sh\necho no\nexit 1\n"})
	run, err := commitOn(t, dir, nil, map[string]string{"notes/b.md": frontB})
	if !errors.Is(err, errFindings) || run.refused == nil || run.refused.output != "no" {
		t.Errorf("refused: %+v, %v", run.refused, err)
	}
}
