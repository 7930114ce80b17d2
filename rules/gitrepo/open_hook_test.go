package gitrepo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// installHook makes every commit write what git lists to want and what this
// binary, started as the hook, sees to got. The binary runs without a PATH
// unless it is expected to need git.
func installHook(s sandbox, gitDir string, needsGit bool) {
	s.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	path := "PATH="
	if needsGit {
		path = ""
	}
	script := fmt.Sprintf(`#!/bin/sh
{
	git rev-parse --path-format=absolute --show-toplevel --git-dir --git-common-dir | tr '\n' '\0'
	git ls-files -s -z
} >"$OUT/want"
%s MEMLS_TEST_HOOK="$OUT/got" exec %q
`, path, exe)
	if err := os.MkdirAll(filepath.Join(gitDir, "hooks"), 0o777); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(gitDir, "hooks", "pre-commit"), []byte(script), 0o777); err != nil {
		s.t.Fatal(err)
	}
}

// A hook sees the index that the commit will use, whichever way it is made
// and from wherever, without starting git in any common case.
func TestOpenHook(t *testing.T) {
	for _, c := range []struct {
		name     string
		needsGit bool
		commit   func(s sandbox)
	}{
		{"commit", false, func(s sandbox) { s.git("commit", "-q", "-m", "x") }},
		{"commit -a", false, func(s sandbox) { s.git("commit", "-q", "-a", "-m", "x") }},
		{"commit PATH", false, func(s sandbox) { s.git("commit", "-q", "-m", "x", "changed.md") }},
		{"below the top level", false, func(s sandbox) { s.in("notes").git("commit", "-q", "-m", "x") }},
		{"from elsewhere with -C", false, func(s sandbox) { s.in("..").git("-C", s.dir, "commit", "-q", "-a", "-m", "x") }},
		{"--git-dir and --work-tree", false, func(s sandbox) {
			s.in("..").git("--git-dir="+s.path(".git"), "--work-tree="+s.dir, "commit", "-q", "-a", "-m", "x")
		}},
		{"index version 4", false, func(s sandbox) {
			s.git("update-index", "--index-version", "4")
			s.git("commit", "-q", "-a", "-m", "x")
		}},
		{"split index", true, func(s sandbox) {
			s.git("update-index", "--split-index")
			s.git("commit", "-q", "-a", "-m", "x")
		}},
		{"GIT_INDEX_FILE", false, func(s sandbox) {
			t.Setenv("GIT_INDEX_FILE", ".git/mine")
			defer os.Unsetenv("GIT_INDEX_FILE")
			s.git("read-tree", "HEAD")
			s.git("commit", "-q", "--allow-empty", "-m", "x")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newRepo(t)
			s.commit("changed.md", "1", "notes/line\nbreak.md", "2", "staged.md", "3")
			checkHook(t, s, s.path(".git"), c.needsGit, c.commit)
		})
	}
	t.Run("linked worktree", func(t *testing.T) {
		s := newRepo(t)
		s.commit("changed.md", "1", "notes/b.md", "2", "staged.md", "3")
		s.git("worktree", "add", "-q", "wt")
		for _, args := range [][]string{{"-a"}, {}, {"--", "changed.md"}} {
			checkHook(t, s.in("wt"), s.path(".git"), false, func(s sandbox) {
				s.git(append([]string{"commit", "-q", "-m", "x"}, args...)...)
			})
		}
	})
	t.Run("submodule", func(t *testing.T) {
		s := newDirectory(t)
		s.git("init", "-q", "lib")
		s.in("lib").commit("changed.md", "1", "notes/b.md", "2", "staged.md", "3")
		s.git("init", "-q", "r")
		s.in("r").git("submodule", "-q", "add", "../lib", "sub")
		checkHook(t, s.in("r/sub"), s.path("r/.git/modules/sub"), true, func(s sandbox) {
			s.git("commit", "-q", "-a", "-m", "x")
		})
	})
	t.Run("sha256", func(t *testing.T) {
		s := newRepo(t, "--object-format=sha256")
		s.commit("changed.md", "1", "notes/b.md", "2", "staged.md", "3")
		checkHook(t, s, s.path(".git"), false, func(s sandbox) { s.git("commit", "-q", "-a", "-m", "x") })
	})
}

func checkHook(t *testing.T, s sandbox, gitDir string, needsGit bool, commit func(sandbox)) {
	t.Helper()
	out := t.TempDir()
	t.Setenv("OUT", out)
	installHook(s, gitDir, needsGit)
	s.write("changed.md", "changed"+out)
	s.write("staged.md", "staged"+out)
	s.git("add", "staged.md")
	commit(s)
	got, want := sandbox{t, out}.read("got"), sandbox{t, out}.read("want")
	if got != want {
		t.Errorf("the hook saw\n%s\ngit saw\n%s", strings.ReplaceAll(got, "\x00", "\n"), strings.ReplaceAll(want, "\x00", "\n"))
	}
}
