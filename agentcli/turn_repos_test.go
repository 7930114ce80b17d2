package agentcli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memls/memls/agentcli/model"
	"github.com/memls/memls/agentcli/turn"
)

func deletes(path string) map[string]string {
	return map[string]string{"command": "delete", "path": path}
}

func renames(from, to string) map[string]string {
	return map[string]string{"command": "rename", "old_path": from, "new_path": to}
}

// Turns work in repositories of every kind, with whatever lies in them, and
// leave alone what they cannot mean.
func TestTurnRepositories(t *testing.T) {
	long := strings.Repeat("l", 240) + ".txt"
	for name, c := range map[string]struct {
		prepare func(t *testing.T, dir string) // then all is committed
		init    []string
		work    []map[string]string
		refused string // in the result of the first call, "" if all of them are done
		diff    string // name-status of the commit, "" for no commit
		want    map[string]string
	}{
		"a symbolic link goes": {
			prepare: func(t *testing.T, dir string) { link(t, "a.md", filepath.Join(dir, "link.md")) },
			work:    []map[string]string{deletes("link.md")},
			diff:    "D\tlink.md", want: map[string]string{"a.md": frontA, "link.md": ""},
		},
		"a symbolic link stays": {
			prepare: func(t *testing.T, dir string) { link(t, "a.md", filepath.Join(dir, "link")) },
			work:    []map[string]string{renames("link", "other"), creates("c.md", frontB)},
			refused: "symbolic link", diff: "A\tc.md",
		},
		"names": {
			prepare: func(t *testing.T, dir string) {
				put(t, dir, map[string]string{"-dash.txt": "1", `quo"te'.txt`: "2", "ünï/x y.txt": "3", long: "4", "new\nline.txt": "5", ":(top).txt": "7"})
			},
			work: []map[string]string{
				replaces("-dash.txt", "1", "one"), replaces(`quo"te'.txt`, "2", "two"), renames("ünï", "Älter"), renames(long, "short.txt"), replaces(":(top).txt", "7", "seven"),
			},
			diff: "M\t-dash.txt\nM\t:(top).txt\nD\t" + long + "\nM\tquo\"te'.txt\nA\tshort.txt\nA\tÄlter/x y.txt\nD\tünï/x y.txt",
			want: map[string]string{"-dash.txt": "one", `quo"te'.txt`: "two", "ünï/x y.txt": "", "Älter/x y.txt": "3", long: "", "short.txt": "4", "new\nline.txt": "5", ":(top).txt": "seven"},
		},
		"a name of several lines": {
			prepare: func(t *testing.T, dir string) { put(t, dir, map[string]string{"new\nline.txt": "5"}) },
			work:    []map[string]string{deletes("new\nline.txt"), creates("c.md", frontB)},
			refused: "cannot be printed", diff: "A\tc.md", want: map[string]string{"new\nline.txt": "5"},
		},
		"a repository in it": {
			prepare: func(t *testing.T, dir string) {
				git(t, dir, "init", "-q", "sub")
				git(t, dir+"/sub", "commit", "-q", "--allow-empty", "-m", "its own")
			},
			work:    []map[string]string{deletes("sub"), creates("c.md", frontB)},
			refused: "repository of its own", diff: "A\tc.md",
		},
		"an executable file": {
			prepare: func(t *testing.T, dir string) {
				put(t, dir, map[string]string{"run.sh": "#!/bin/sh\n"})
				if err := os.Chmod(filepath.Join(dir, "run.sh"), 0o755); err != nil {
					t.Fatal(err)
				}
			},
			work: []map[string]string{replaces("run.sh", "sh\n", "sh\ntrue\n"), renames("run.sh", "start.sh")},
			diff: "D\trun.sh\nA\tstart.sh", want: map[string]string{"start.sh": "#!/bin/sh\ntrue\n"},
		},
		"a detached HEAD": {
			prepare: func(t *testing.T, dir string) { git(t, dir, "checkout", "-q", "--detach") },
			work:    []map[string]string{creates("c.md", frontB)},
			diff:    "A\tc.md",
		},
		"SHA-256": {
			init: []string{"--object-format=sha256"},
			work: []map[string]string{creates("c.md", frontB), deletes("staged.txt")},
			diff: "A\tc.md\nD\tstaged.txt",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := cleanRepo(t)
			if c.init != nil {
				if err := os.RemoveAll(filepath.Join(dir, ".git")); err != nil {
					t.Fatal(err)
				}
				git(t, dir, append([]string{"init", "-q", "-b", "main"}, c.init...)...)
			}
			if c.prepare != nil {
				c.prepare(t, dir)
			}
			git(t, dir, "add", "-A")
			git(t, dir, "commit", "-q", "--allow-empty", "-m", "prepared")
			main := git(t, dir, "rev-parse", "refs/heads/main")
			base := git(t, dir, "rev-parse", "HEAD")
			m := &fakeModel{answers: []func(model.Request) []model.Part{func(model.Request) []model.Part { return calls(t, c.work...) }}}
			r, _, stderr := runTurn(t, dir, m, nil)
			if r.Outcome != turn.Done {
				t.Fatalf("%s, %v\n%s", r.Outcome, r.Err, stderr)
			}
			for i, part := range m.asked[1].Messages[len(m.asked[1].Messages)-1].Parts {
				if refused := c.refused != "" && i == 0; part.Result.IsError != refused || refused && !strings.Contains(part.Result.Text, c.refused) {
					t.Errorf("call %d: %s", i, part.Result.Text)
				}
			}
			diff := git(t, dir, "diff-tree", "-r", "--no-renames", "--name-status", "-z", base, "HEAD")
			diff = strings.Join(pairs(strings.Split(strings.TrimSuffix(diff, "\x00"), "\x00")), "\n")
			if diff != c.diff {
				t.Errorf("the commit changes\n%s\nwant\n%s", diff, c.diff)
			}
			if status, refs := git(t, dir, "status", "--porcelain"), git(t, dir, "for-each-ref", rescueRefs); status+refs != "" {
				t.Errorf("left behind: %s%s", status, refs)
			}
			files := read(t, dir)
			for path, want := range c.want {
				if files[path] != want {
					t.Errorf("%q: %q, want %q", path, files[path], want)
				}
			}
			for path := range files {
				info, err := os.Stat(filepath.Join(dir, path))
				if err != nil {
					t.Error(err)
				} else if executable := strings.HasSuffix(path, ".sh"); info.Mode()&0o100 != 0 != executable {
					t.Errorf("%s is executable: %v", path, !executable)
				}
			}
			if moved := git(t, dir, "rev-parse", "refs/heads/main") != main; moved != (name != "a detached HEAD") {
				t.Errorf("main moved: %v", moved)
			}
			git(t, dir, "fsck", "--strict")
		})
	}
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skip(err) // Windows wants a privilege for that
	}
}

// pairs joins each two texts with a tab.
func pairs(texts []string) (joined []string) {
	for i := 0; i+1 < len(texts); i += 2 {
		joined = append(joined, texts[i]+"\t"+texts[i+1])
	}
	return joined
}

// A turn in a linked worktree commits on its branch, and changes its files.
func TestTurnInWorktree(t *testing.T) {
	dir := cleanRepo(t)
	before := picture(t, dir)
	linked := filepath.Join(t.TempDir(), "linked")
	git(t, dir, "worktree", "add", "-q", "-b", "task", linked)
	m := &fakeModel{answers: []func(model.Request) []model.Part{func(model.Request) []model.Part { return calls(t, creates("c.md", frontB)) }}}
	if r, _, stderr := runTurn(t, linked, m, nil); r.Outcome != turn.Done {
		t.Fatalf("%s, %v\n%s", r.Outcome, r.Err, stderr)
	}
	if got := git(t, linked, "log", "--format=%s", "task", "^main"); got != defaultSubject {
		t.Errorf("commits: %q", got)
	}
	if status := git(t, linked, "status", "--porcelain"); status != "" || read(t, linked)["c.md"] == "" {
		t.Errorf("its files: %s", status)
	}
	git(t, dir, "update-ref", "-d", "refs/heads/task") // the rest has to be as before
	if after := picture(t, dir); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}
