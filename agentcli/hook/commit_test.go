package hook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommits installs in every kind of repository and lets git commit there.
func TestCommits(t *testing.T) {
	tests := []struct {
		name string
		// setup returns where to install, where to commit, and where the hooks
		// must be (relative to the sandbox).
		setup func(s *sandbox) (install, commit, hooks string)
	}{
		{"plain", func(s *sandbox) (string, string, string) {
			r := s.repo("r")
			return r, r, "r/.git/hooks"
		}},
		{"from a folder below", func(s *sandbox) (string, string, string) {
			r := s.repo("r")
			s.write(filepath.Join(r, "notes", "deep", "x.md"), "x", 0o644)
			return filepath.Join(r, "notes", "deep"), r, "r/.git/hooks"
		}},
		{"from inside .git", func(s *sandbox) (string, string, string) {
			r := s.repo("r")
			return filepath.Join(r, ".git"), r, "r/.git/hooks"
		}},
		{"no hooks folder", func(s *sandbox) (string, string, string) {
			r := s.repo("r")
			if err := os.RemoveAll(filepath.Join(r, ".git", "hooks")); err != nil {
				s.t.Fatal(err)
			}
			return r, r, "r/.git/hooks"
		}},
		{"awkward path", func(s *sandbox) (string, string, string) {
			const name = "it's \"a\" $HOME `x` \\ ü\nrepo"
			r := s.repo(name)
			return r, r, name + "/.git/hooks"
		}},
		{"worktree", func(s *sandbox) (string, string, string) {
			s.git(s.repo("r"), "worktree", "add", "-q", s.path("wt"))
			return s.path("wt"), s.path("wt"), "r/.git/hooks"
		}},
		{"worktree, installed in the main one", func(s *sandbox) (string, string, string) {
			r := s.repo("r")
			s.git(r, "worktree", "add", "-q", s.path("wt"))
			return r, s.path("wt"), "r/.git/hooks"
		}},
		{"bare clone and worktree", func(s *sandbox) (string, string, string) {
			s.git(s.dir, "clone", "-q", "--bare", s.repo("r"), s.path("b.git"))
			s.git(s.path("b.git"), "worktree", "add", "-q", s.path("wt"))
			return s.path("wt"), s.path("wt"), "b.git/hooks"
		}},
		{"bare clone, installed in the bare one", func(s *sandbox) (string, string, string) {
			s.git(s.dir, "clone", "-q", "--bare", s.repo("r"), s.path("b.git"))
			s.git(s.path("b.git"), "worktree", "add", "-q", s.path("wt"))
			return s.path("b.git"), s.path("wt"), "b.git/hooks"
		}},
		{"submodule", func(s *sandbox) (string, string, string) {
			r := s.repo("super")
			s.git(r, "submodule", "--quiet", "add", s.repo("sub"), "mem")
			return s.path("super", "mem"), s.path("super", "mem"), "super/.git/modules/mem/hooks"
		}},
		{"relative core.hooksPath", func(s *sandbox) (string, string, string) {
			r := s.repo("r")
			s.git(r, "config", "core.hooksPath", ".githooks")
			s.write(filepath.Join(r, "notes", "x.md"), "x", 0o644)
			return filepath.Join(r, "notes"), r, "r/.githooks"
		}},
		{"absolute core.hooksPath of the repository", func(s *sandbox) (string, string, string) {
			r := s.repo("r")
			s.git(r, "config", "core.hooksPath", s.path("my hooks"))
			return r, r, "my hooks"
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.memhook = s.path("it's a $bin", "memhook")
			s.write(s.memhook, fakeMemhook, 0o755)
			where, dir, hooks := tt.setup(s)
			res := s.install(InstallOptions{Dir: where})
			if want := s.path(filepath.FromSlash(hooks)); res.HooksDir != want {
				t.Errorf("HooksDir = %q, want %q", res.HooksDir, want)
			}
			policy := s.path("r", ".git", policyName)
			if filepath.Base(hooks) == "hooks" { // beside the hooks, in the common directory
				policy = s.path(filepath.Dir(filepath.FromSlash(hooks)), policyName)
			}
			if data, err := os.ReadFile(policy); string(data) != "legacy-only\n" || res.PolicyFile != policy {
				t.Errorf("policy file %q: %q holds %q (%v)", res.PolicyFile, policy, data, err)
			}
			if out, code := s.commit(dir, 1, "a.md"); code == 0 {
				t.Errorf("commit went through though memhook refused:\n%s", out)
			}
			if out, code := s.commit(dir, 0, "-a"); code != 0 {
				t.Errorf("commit -a failed: %s", out)
			}
			if got, want := s.calls(), "memhook pre-commit, memhook pre-commit"; got != want {
				t.Errorf("calls = %q, want %q", got, want)
			}
			if again := s.install(InstallOptions{Dir: where}); len(again.Changed) != 0 {
				t.Errorf("second install changed %q", again.Changed)
			}
			s.uninstall(where)
			if out, code := s.commit(dir, 1); code != 0 || s.calls() != "" {
				t.Errorf("hook still runs after uninstall: %s", out)
			}
		})
	}
}

// TestMerge: a clean merge runs pre-merge-commit alone, and is judged.
func TestMerge(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	r := s.repo("r")
	s.git(r, "checkout", "-q", "-b", "side")
	s.write(filepath.Join(r, "b.md"), "b", 0o644)
	s.git(r, "add", "b.md")
	s.git(r, "commit", "-q", "-m", "b")
	s.git(r, "checkout", "-q", "main")
	s.commit(r, 0)
	s.install(InstallOptions{Dir: r})
	if out, code := s.tryGit(r, []string{"FAKE_EXIT=1"}, "merge", "--no-edit", "side"); code == 0 {
		t.Errorf("merge went through though memhook refused:\n%s", out)
	}
	s.git(r, "merge", "--abort")
	s.git(r, "merge", "-q", "--no-edit", "side")
	if got, want := s.calls(), "memhook pre-commit, memhook pre-commit"; got != want {
		t.Errorf("calls = %q, want %q", got, want)
	}
}

// awkward are paths that a shell would take apart if they were not quoted.
var awkward = []string{
	"with space", "it's", `dou"ble`, "$HOME", "`id`", `back\slash`, "new\nline", "tab\there", "-dash", "*", "ünï", "a;b&c|d", "''", "#x", "%s%n",
}

func TestAwkwardBinaryPath(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	hook := s.path("pre-commit")
	for _, name := range append(awkward, strings.Join(awkward, "")) {
		binary := s.path(name, "memhook")
		s.write(binary, fakeMemhook, 0o755)
		script := render("pre-commit", binary, chainNone)
		s.write(hook, string(script), 0o755)
		env := append(os.Environ(), "FAKE_LOG="+s.log)
		if out, code := s.run(s.dir, env, hook); code != 0 || s.calls() != "memhook pre-commit" {
			t.Errorf("%q: exit %d: %s", name, code, out)
		}
		if got := scriptBinary(script); got != binary {
			t.Errorf("%q: status would say %q", name, got)
		}
		os.Remove(binary)
		out, code := s.run(s.dir, env, hook)
		if code != 1 || strings.Count(out, "\n") != 1 {
			t.Errorf("%q: want a refusal of one line, got exit %d, %q", name, code, out)
		}
		for _, want := range []string{printable(binary), "memhook install", "git commit --no-verify"} {
			if !strings.Contains(out, want) {
				t.Errorf("%q: %q does not say %q", name, out, want)
			}
		}
	}
}

func TestBinaryNotExecutable(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	r := s.repo("r")
	s.install(InstallOptions{Dir: r})
	s.write(s.memhook, fakeMemhook, 0o644)
	if out, code := s.commit(r, 0); code == 0 || !strings.Contains(out, s.memhook) {
		t.Errorf("exit %d: %s", code, out)
	}
	s.git(r, "add", "a.md")
	if out, code := s.commit(r, 0, "--no-verify"); code != 0 {
		t.Errorf("the bypass that the message names does not work: %s", out)
	}
	if st := s.status(r); st.Installed || len(st.Problems) != 2 || !strings.Contains(st.Problems[0], s.memhook) {
		t.Errorf("status: %+v", st)
	}
}

// TestShortPath: a git started from a dock has next to nothing in its environment.
func TestShortPath(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	r := s.repo("r")
	s.write(filepath.Join(r, ".git", "hooks", "pre-commit"), "#!/bin/sh\nexit 0\n", 0o755)
	s.install(InstallOptions{Dir: r, Chain: true})
	s.write(filepath.Join(r, "a.md"), "new", 0o644)
	s.git(r, "add", "a.md")
	out, code := s.run(r, nil, "env", "-i", "PATH=/usr/bin:/bin", "FAKE_LOG="+s.log, "FAKE_EXIT=3",
		"git", "-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-m", "m")
	if code == 0 || s.calls() != "memhook pre-commit" {
		t.Errorf("exit %d: %s", code, out)
	}
}

func FuzzShellQuote(f *testing.F) {
	for _, s := range awkward {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, ok := shellUnquote(shellQuote(s) + "\nnext 'line'"); !ok || got != s {
			t.Errorf("%q came back as %q, %v", s, got, ok)
		}
		script := render("pre-commit", "/"+s, chainSource)
		if got := scriptBinary(script); got != "/"+s {
			t.Errorf("script holds %q, want %q", got, "/"+s)
		}
		if !isOurs(script) || edited("pre-commit", script) {
			t.Errorf("own script not recognised:\n%s", script)
		}
	})
}
