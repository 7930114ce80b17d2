package hook

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memls/memls/rules/gitrepo"
)

func TestPolicy(t *testing.T) {
	t.Parallel()
	stage := func(s *sandbox, r, name string) {
		s.write(filepath.Join(r, name), "x", 0o644)
		s.git(r, "add", name)
	}
	tests := []struct {
		name  string
		setup func(s *sandbox, r string)
		file  string // the policy file beforehand
		ask   string
		want  string // the policy in force, and in the file unless keeps is set
		keeps bool
	}{
		{name: "nothing there", want: "legacy-only"},
		{name: "root index in the work tree", setup: func(s *sandbox, r string) { s.write(filepath.Join(r, "MEMORY.md"), "x", 0o644) }, want: "root-marker"},
		{name: "root index in the index alone", setup: func(s *sandbox, r string) {
			stage(s, r, "MEMORY.md")
			os.Remove(filepath.Join(r, "MEMORY.md"))
		}, want: "root-marker"},
		{name: "root index in HEAD alone", setup: func(s *sandbox, r string) {
			stage(s, r, "MEMORY.md")
			s.git(r, "commit", "-q", "-m", "m")
			s.git(r, "rm", "-q", "MEMORY.md")
		}, want: "root-marker"},
		{name: "index of a folder is no marker", setup: func(s *sandbox, r string) { stage(s, r, "notes/MEMORY.md") }, want: "legacy-only"},
		{name: "lower case is no marker", setup: func(s *sandbox, r string) { stage(s, r, "memory.md") }, want: "legacy-only"},
		{name: "asked for", ask: "shared-memory", want: "shared-memory"},
		{name: "file is kept", file: " shared-memory ", want: "shared-memory", keeps: true},
		{name: "file is replaced when asked", file: "shared-memory\n", ask: "root-marker", want: "root-marker"},
		{name: "unknown word is kept and counts as legacy", file: "future-policy\n", want: "legacy-only", keeps: true},
		{name: "empty file", file: "\n", want: "legacy-only"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			r := s.repo("r")
			path := filepath.Join(r, ".git", policyName)
			if tt.setup != nil {
				tt.setup(s, r)
			}
			if tt.file != "" {
				s.write(path, tt.file, 0o644)
			}
			res := s.install(InstallOptions{Dir: r, Policy: tt.ask})
			want := tt.want + "\n"
			if tt.keeps {
				want = tt.file
			}
			if data, _ := os.ReadFile(path); string(data) != want || res.Policy != tt.want {
				t.Errorf("policy %q, file %q; want %q, %q", res.Policy, data, tt.want, want)
			}
		})
	}
}

// TestChanged: a second install does what is new, and no more.
func TestChanged(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	r := s.repo("r")
	other := s.path("other", "memhook")
	s.write(other, fakeMemhook, 0o755)
	hooks := []string{filepath.Join(r, ".git", "hooks", "pre-commit"), filepath.Join(r, ".git", "hooks", "pre-merge-commit")}
	policy := filepath.Join(r, ".git", policyName)
	steps := []struct {
		name string
		do   func()
		opts InstallOptions
		want []string
	}{
		{name: "first", want: append(slices.Clone(hooks), policy)},
		{name: "again"},
		{name: "again with flags", opts: InstallOptions{Chain: true, Force: true}},
		{name: "other binary", opts: InstallOptions{Binary: other}, want: hooks},
		{name: "other policy", opts: InstallOptions{Binary: other, Policy: "root-marker"}, want: []string{policy}},
		{name: "not executable", do: func() { os.Chmod(hooks[1], 0o644) }, opts: InstallOptions{Binary: other}, want: hooks[1:]},
		{name: "one deleted", do: func() { os.Remove(hooks[0]) }, opts: InstallOptions{Binary: other}, want: hooks[:1]},
	}
	for _, step := range steps {
		if step.do != nil {
			step.do()
		}
		step.opts.Dir = r
		before := s.snapshot(r)
		res := s.install(step.opts)
		if !slices.Equal(res.Changed, step.want) {
			t.Errorf("%s: changed %q, want %q", step.name, res.Changed, step.want)
		}
		if len(step.want) == 0 && s.snapshot(r) != before {
			t.Errorf("%s: files changed", step.name)
		}
	}
	if st := s.status(r); !st.Installed || st.Hooks[1].Binary != other || st.Policy != "root-marker" || st.PolicySource != "file" {
		t.Errorf("status: %+v", st)
	}
}

// TestErrors: each cause has its own kind and says what to do.
func TestErrors(t *testing.T) {
	tests := []struct {
		name  string
		setup func(t *testing.T, s *sandbox, r string) InstallOptions
		kind  error
		says  []string
	}{
		{"no such directory", func(t *testing.T, s *sandbox, r string) InstallOptions {
			return InstallOptions{Dir: s.path("nowhere")}
		}, gitrepo.ErrNoDirectory, []string{"nowhere", "no such directory"}},
		{"a file", func(t *testing.T, s *sandbox, r string) InstallOptions {
			return InstallOptions{Dir: filepath.Join(r, "a.md")}
		}, gitrepo.ErrNoDirectory, []string{"a.md"}},
		{"no repository", func(t *testing.T, s *sandbox, r string) InstallOptions {
			return InstallOptions{Dir: s.dir}
		}, gitrepo.ErrNoRepository, []string{"not a git repository", "git init"}},
		{"no git", func(t *testing.T, s *sandbox, r string) InstallOptions {
			t.Setenv("PATH", s.dir)
			return InstallOptions{Dir: r}
		}, gitrepo.ErrNoGit, []string{"git is not on PATH"}},
		{"deleted working directory", func(t *testing.T, s *sandbox, r string) InstallOptions {
			gone := s.path("gone")
			os.Mkdir(gone, 0o755)
			t.Chdir(gone)
			os.Remove(gone)
			return InstallOptions{}
		}, gitrepo.ErrNoDirectory, []string{"directory was removed"}},
		{"another owner", func(t *testing.T, s *sandbox, r string) InstallOptions {
			t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
			return InstallOptions{Dir: r}
		}, gitrepo.ErrOwner, []string{"dubious ownership", "git config --global --add safe.directory"}},
		{"unknown policy", func(t *testing.T, s *sandbox, r string) InstallOptions {
			return InstallOptions{Dir: r, Policy: "lax"}
		}, ErrPolicy, []string{`"lax"`, "root-marker, legacy-only, shared-memory"}},
		{"no binary", func(t *testing.T, s *sandbox, r string) InstallOptions {
			return InstallOptions{Dir: r, Binary: s.path("nothing")}
		}, ErrBinary, []string{"nothing"}},
		{"no memhook beside us", func(t *testing.T, s *sandbox, r string) InstallOptions {
			return InstallOptions{Dir: r}
		}, ErrBinary, []string{"memhook"}},
		{"hooks switched off", func(t *testing.T, s *sandbox, r string) InstallOptions {
			s.git(r, "config", "core.hooksPath", "/dev/null")
			return InstallOptions{Dir: r, Binary: s.memhook}
		}, ErrHooksDir, []string{"/dev/null", "core.hooksPath"}},
		{"empty core.hooksPath", func(t *testing.T, s *sandbox, r string) InstallOptions {
			s.git(r, "config", "core.hooksPath", "")
			return InstallOptions{Dir: r, Binary: s.memhook}
		}, ErrHooksDir, []string{"core.hooksPath"}},
		{"relative core.hooksPath and no work tree", func(t *testing.T, s *sandbox, r string) InstallOptions {
			s.git(r, "config", "core.hooksPath", "hooks")
			return InstallOptions{Dir: filepath.Join(r, ".git"), Binary: s.memhook}
		}, ErrHooksDir, []string{"core.hooksPath", "run in a work tree"}},
		{"a folder called pre-commit", func(t *testing.T, s *sandbox, r string) InstallOptions {
			os.MkdirAll(filepath.Join(r, ".git", "hooks", "pre-commit"), 0o755)
			return InstallOptions{Dir: r, Binary: s.memhook, Force: true}
		}, ErrHooksDir, []string{"not a regular file"}},
		{"hooks folder linked elsewhere", func(t *testing.T, s *sandbox, r string) InstallOptions {
			os.RemoveAll(filepath.Join(r, ".git", "hooks"))
			os.Mkdir(s.path("shared"), 0o755)
			os.Symlink(s.path("shared"), filepath.Join(r, ".git", "hooks"))
			return InstallOptions{Dir: r, Binary: s.memhook}
		}, ErrSharedHooks, []string{"shared", "symbolic link", "--force"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSandbox(t)
			r := s.repo("r")
			opts := tt.setup(t, s, r)
			before := s.snapshot(r)
			_, err := Install(t.Context(), opts)
			if !errors.Is(err, tt.kind) {
				t.Fatalf("err = %v, want kind %v", err, tt.kind)
			}
			for _, want := range tt.says {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
			if s.snapshot(r) != before {
				t.Error("files changed")
			}
		})
	}
}

// TestGlobalHooksPath: one hooks folder for all repositories of a user.
func TestGlobalHooksPath(t *testing.T) {
	s := newSandbox(t)
	r := s.repo("r")
	global := s.path("global hooks")
	config := s.path("config")
	s.write(config, gitConfig, 0o644)
	t.Setenv("GIT_CONFIG_GLOBAL", config)
	s.git(r, "config", "--global", "core.hooksPath", global)

	_, err := Install(t.Context(), InstallOptions{Dir: r, Binary: s.memhook, Chain: true})
	if !errors.Is(err, ErrSharedHooks) {
		t.Fatalf("err = %v", err)
	}
	for _, want := range []string{global, "global configuration", "--force", "core.hooksPath '" + filepath.Join(r, ".git", "hooks") + "'"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	if _, err := os.Lstat(global); !os.IsNotExist(err) {
		t.Error("the refusal made the folder")
	}

	s.write(filepath.Join(global, "pre-commit"), foreignBash, 0o755)
	s.install(InstallOptions{Dir: r, Force: true, Chain: true})
	if out, code := s.commit(r, 0); code != 0 || s.calls() != "foreign, memhook pre-commit" {
		t.Errorf("exit %d: %s", code, out)
	}
	// In place already: nothing is written, so a second repository may join.
	if res := s.install(InstallOptions{Dir: s.repo("second")}); len(res.Changed) != 1 {
		t.Errorf("changed %q", res.Changed)
	}
	s.uninstall(r)

	// A relative path in the global configuration is a folder of each repository.
	s.git(r, "config", "--global", "core.hooksPath", ".hooks")
	s.install(InstallOptions{Dir: r})
	// A repository's own folder overrides the global one, as the refusal says.
	s.git(r, "config", "--local", "core.hooksPath", filepath.Join(r, ".git", "hooks"))
	s.install(InstallOptions{Dir: r})
}

// TestInheritedEnvironment: a named folder wins over the repository of the git
// that started us.
func TestInheritedEnvironment(t *testing.T) {
	s := newSandbox(t)
	r, other := s.repo("r"), s.repo("other")
	before := s.snapshot(other)
	t.Setenv("GIT_DIR", filepath.Join(other, ".git"))
	t.Setenv("GIT_INDEX_FILE", filepath.Join(other, ".git", "index"))
	if res := s.install(InstallOptions{Dir: r}); res.HooksDir != filepath.Join(r, ".git", "hooks") || s.snapshot(other) != before {
		t.Errorf("installed in %s", res.HooksDir)
	}
	t.Chdir(s.dir)
	if res := s.install(InstallOptions{}); res.HooksDir != filepath.Join(other, ".git", "hooks") {
		t.Errorf("GIT_DIR not followed: installed in %s", res.HooksDir)
	}
}

// TestLockWaits: an installer that meets the lock waits, and gives up when told.
func TestLockWaits(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memls", "lock")
	release, err := lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := lock(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want the lock to be held", err)
	}
	release()
	if release, err = lock(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	release()
}

func TestStatus(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	r := s.repo("r")
	hook := filepath.Join(r, ".git", "hooks", "pre-commit")
	steps := []struct {
		name      string
		do        func()
		state     State
		installed bool
		problem   string
	}{
		{"nothing", func() {}, Absent, false, "memhook install"},
		{"foreign", func() { s.write(hook, foreignSh, 0o755) }, Foreign, false, "--chain"},
		{"letta", func() { s.write(hook, lettaHook, 0o755) }, Letta, false, "Letta"},
		{"ours", func() { s.install(InstallOptions{Dir: r}) }, Ours, true, ""},
		{"ignored by git", func() { os.Chmod(hook, 0o644) }, Ours, false, "not executable"},
		{"unknown policy", func() {
			os.Chmod(hook, 0o755)
			s.write(filepath.Join(r, ".git", policyName), "odd", 0o644)
		}, Ours, true, `"odd"`},
		{"policy file lost", func() {
			os.Remove(filepath.Join(r, ".git", policyName))
			s.write(filepath.Join(r, "MEMORY.md"), "x", 0o644)
		}, Ours, true, "is missing, so hooks judge"},
	}
	for _, step := range steps {
		step.do()
		st := s.status(r)
		if st.Hooks[0].State != step.state || st.Installed != step.installed {
			t.Errorf("%s: %+v", step.name, st)
		}
		if got := strings.Join(st.Problems, "\n"); !strings.Contains(got, step.problem) || (step.problem == "") != (got == "") {
			t.Errorf("%s: problems %q, want %q", step.name, got, step.problem)
		}
		text, err := json.Marshal(st)
		if err != nil || strings.Contains(string(text), "null") {
			t.Errorf("%s: %s (%v)", step.name, text, err)
		}
	}
}
