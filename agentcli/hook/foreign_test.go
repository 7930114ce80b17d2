package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	foreignSh   = "#!/bin/sh\necho foreign ${0##*/} \"$@\" >>\"$FAKE_LOG\"\nexit ${FOREIGN_EXIT:-0}\n"
	foreignBash = "#!/usr/bin/env bash\necho foreign \"$@\" >>\"$FAKE_LOG\"\nexit ${FOREIGN_EXIT:-0}\n"
	lettaHook   = "#!/usr/bin/env bash\n# Validate frontmatter in staged memory .md files\n# Installed by Letta Code CLI\necho letta >>\"$FAKE_LOG\"\n"
	errexit     = "#!/bin/sh\nset -e\nsh -c 'exit '${FOREIGN_EXIT:-0}\necho foreign >>\"$FAKE_LOG\"\n"
	stdin       = "#!/bin/sh\nread line\necho \"foreign $line\" >>\"$FAKE_LOG\"\nexit ${FOREIGN_EXIT:-0}\n"
	mentions    = "#!/bin/sh\necho foreign >>\"$FAKE_LOG\"\n# Installed by memls? No.\ngrep '# Installed by Letta Code CLI' x\nexit ${FOREIGN_EXIT:-0}\n"
)

// TestForeignHook: another tool's pre-commit is there. Each row says what runs
// after the install; the uninstall must bring the file back as it was.
func TestForeignHook(t *testing.T) {
	chain, force := InstallOptions{Chain: true}, InstallOptions{Force: true}
	tests := []struct {
		name    string
		content string
		mode    os.FileMode
		link    bool // the hook is a symbolic link to a file with that content
		opts    InstallOptions
		calls   string // by the hook called with the argument "arg" and "in" as its input; "" = install refuses
		exit7   int    // exit code when the foreign hook exits 7
		kept    string // suffix of the name under which the original is kept
	}{
		{name: "refuse", content: foreignSh, mode: 0o755},
		{name: "refuse not executable", content: foreignSh, mode: 0o644},
		{name: "refuse link", content: foreignSh, mode: 0o755, link: true},
		{name: "refuse one that mentions us", content: mentions, mode: 0o755},
		{name: "refuse empty", content: "", mode: 0o755},
		{name: "chain sh", content: foreignSh, mode: 0o755, opts: chain, calls: "foreign pre-commit arg, memhook pre-commit arg", exit7: 7, kept: chainedSuffix},
		{name: "chain bash", content: foreignBash, mode: 0o700, opts: chain, calls: "foreign arg, memhook pre-commit arg", exit7: 7, kept: chainedSuffix},
		{name: "chain set -e", content: errexit, mode: 0o755, opts: chain, calls: "foreign, memhook pre-commit arg", exit7: 7, kept: chainedSuffix},
		{name: "chain reads input", content: stdin, mode: 0o755, opts: chain, calls: "foreign in, memhook pre-commit arg", exit7: 7, kept: chainedSuffix},
		{name: "chain link", content: foreignSh, mode: 0o755, link: true, opts: chain, calls: "foreign pre-commit arg, memhook pre-commit arg", exit7: 7, kept: chainedSuffix},
		{name: "chain not executable", content: foreignSh, mode: 0o644, opts: chain, calls: "memhook pre-commit arg", kept: chainedSuffix},
		{name: "chain syntax error", content: "#!/bin/sh\nif\n", mode: 0o755, opts: chain, calls: "none", exit7: 2, kept: chainedSuffix},
		{name: "force", content: foreignSh, mode: 0o755, opts: force, calls: "memhook pre-commit arg", kept: backupSuffix},
		{name: "force link", content: foreignSh, mode: 0o755, link: true, opts: force, calls: "memhook pre-commit arg", kept: backupSuffix},
		{name: "Letta's", content: lettaHook, mode: 0o755, calls: "memhook pre-commit arg", kept: backupSuffix},
		{name: "Letta's, chain", content: lettaHook, mode: 0o755, opts: chain, calls: "memhook pre-commit arg", kept: backupSuffix},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			r := s.repo("r")
			hook := filepath.Join(r, ".git", "hooks", "pre-commit")
			target := hook
			if tt.link {
				target = filepath.Join(r, "scripts", "check.sh")
				os.Remove(hook)
				if err := os.Symlink("../../scripts/check.sh", hook); err != nil {
					t.Fatal(err)
				}
			}
			s.write(target, tt.content, tt.mode)
			before := s.snapshot(r)
			tt.opts.Dir, tt.opts.Binary = r, s.memhook
			_, err := Install(t.Context(), tt.opts)

			if tt.calls == "" {
				var e *Error
				if !errors.As(err, &e) || e.Kind != ErrForeignHook || !slices.Equal(e.Paths, []string{hook}) {
					t.Fatalf("err = %v, want a refusal that names %s", err, hook)
				}
				for _, want := range []string{hook, "--chain", "--force"} {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("%q does not say %q", err, want)
					}
				}
				if after := s.snapshot(r); after != before {
					t.Errorf("a refusal changed files:\n%s\nwant\n%s", after, before)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for exit, want := range map[string]int{"0": 0, "7": tt.exit7} {
				cmd := exec.Command(hook, "arg")
				cmd.Env = append(os.Environ(), "FAKE_LOG="+s.log, "FOREIGN_EXIT="+exit)
				cmd.Stdin = strings.NewReader("in\n")
				out, _ := cmd.CombinedOutput()
				calls := s.calls()
				if tt.calls == "none" {
					want = tt.exit7
				} else if exit == "0" && calls != tt.calls {
					t.Errorf("calls = %q, want %q\n%s", calls, tt.calls, out)
				}
				if code := cmd.ProcessState.ExitCode(); code != want {
					t.Errorf("original exits %s: hook exits %d, want %d\n%s", exit, code, want, out)
				}
				if want != 0 && strings.Contains(calls, "memhook") {
					t.Errorf("memhook ran after the original had failed: %s", calls)
				}
			}
			if data, err := os.ReadFile(hook + tt.kept); string(data) != tt.content {
				t.Errorf("%s holds %q (%v)", tt.kept, data, err)
			}
			middle := s.snapshot(r)
			if res := s.install(tt.opts); len(res.Changed) != 0 || s.snapshot(r) != middle {
				t.Errorf("second install changed %q", res.Changed)
			}
			s.uninstall(r)
			if err := os.Remove(filepath.Join(r, ".git", policyName)); err != nil { // stays by design
				t.Error(err)
			}
			if after := s.snapshot(r); after != before {
				t.Errorf("after uninstall:\n%s\nwant\n%s", after, before)
			}
		})
	}
}

// TestHusky: husky's generated hooks look for the user's hook by their own name.
func TestHusky(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	r := s.repo("r")
	s.git(r, "config", "core.hooksPath", ".husky/_")
	husky := filepath.Join(r, ".husky")
	s.write(filepath.Join(husky, "_", "h"), "n=$(basename \"$0\")\ns=$(dirname \"$(dirname \"$0\")\")/$n\n[ ! -f \"$s\" ] && exit 0\nsh -e \"$s\" \"$@\"\nexit $?\n", 0o644)
	s.write(filepath.Join(husky, "_", "pre-commit"), "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"", 0o755)
	s.write(filepath.Join(husky, "pre-commit"), "echo user >>\"$FAKE_LOG\"\nexit ${FOREIGN_EXIT:-0}\n", 0o644)
	s.git(r, "add", ".husky")
	s.git(r, "commit", "-q", "-m", "husky")
	s.calls()
	res := s.install(InstallOptions{Dir: r, Chain: true})
	if msgs := strings.Join(res.Messages, "\n"); !strings.Contains(msgs, "husky writes") || !strings.Contains(msgs, "is tracked by git") {
		t.Errorf("messages do not warn of husky's folder: %s", msgs)
	}
	if out, code := s.commit(r, 0); code != 0 || s.calls() != "user, memhook pre-commit" {
		t.Errorf("exit %d: %s", code, out)
	}
	if out, code := s.run(r, append(os.Environ(), "FAKE_LOG="+s.log, "FOREIGN_EXIT=1"), "git", "commit", "--allow-empty", "-m", "m"); code == 0 {
		t.Errorf("the user's failing hook did not count: %s", out)
	}
	if !s.status(r).Tracked {
		t.Error("status: the folder is not said to be tracked")
	}
}

// TestOverwrittenByItsTool: the other tool writes its hook anew over ours.
func TestOverwrittenByItsTool(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	r := s.repo("r")
	hook := filepath.Join(r, ".git", "hooks", "pre-commit")
	s.write(hook, foreignSh, 0o755)
	s.install(InstallOptions{Dir: r, Chain: true})

	s.write(hook, foreignSh, 0o755) // the same again
	s.install(InstallOptions{Dir: r, Chain: true})
	if backups := s.status(r).Hooks[0].Backups; len(backups) != 0 {
		t.Errorf("an equal hook was backed up: %q", backups)
	}
	for n := 2; n <= 8; n++ {
		s.write(fmt.Sprintf("%s%s-%d", hook, backupSuffix, n), "", 0o755)
	}
	for range 2 { // Letta Code does so at every start
		s.write(hook, lettaHook, 0o755)
		s.install(InstallOptions{Dir: r})
	}
	s.write(hook, foreignBash, 0o755) // a new version
	s.install(InstallOptions{Dir: r, Chain: true})
	st := s.status(r).Hooks[0]
	if len(st.Backups) != 9 || st.Backups[7] != hook+backupSuffix+"-9" || st.Backups[8] != hook+backupSuffix+"-10" {
		t.Errorf("backups = %q", st.Backups)
	}
	if data, _ := os.ReadFile(st.Backups[8]); string(data) != foreignSh {
		t.Errorf("the first original is lost, newest backup holds %q", data)
	}
	if out, code := s.commit(r, 0); code != 0 || s.calls() != "foreign, memhook pre-commit" {
		t.Errorf("exit %d: %s", code, out)
	}
	s.uninstall(r)
	if data, _ := os.ReadFile(hook); string(data) != foreignBash {
		t.Errorf("uninstall put back %q", data)
	}
}

// TestEditedByHand: lines that somebody added to our hook are not lost either.
func TestEditedByHand(t *testing.T) {
	t.Parallel()
	for _, act := range []string{"install", "uninstall"} {
		s := newSandbox(t)
		r := s.repo("r")
		s.install(InstallOptions{Dir: r})
		hook := filepath.Join(r, ".git", "hooks", "pre-commit")
		data, _ := os.ReadFile(hook)
		mine := string(data) + "echo mine\n"
		s.write(hook, mine, 0o755)
		if act == "install" {
			s.install(InstallOptions{Dir: r})
		}
		s.uninstall(r)
		if _, err := os.Lstat(hook); !os.IsNotExist(err) {
			t.Errorf("%s: uninstall put our own hook back (%v)", act, err)
		}
		if data, _ := os.ReadFile(hook + backupSuffix); string(data) != mine {
			t.Errorf("%s: backup holds %q", act, data)
		}
	}
}

func TestUninstallLeavesForeign(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	r := s.repo("r")
	s.write(filepath.Join(r, ".git", "hooks", "pre-commit"), foreignSh, 0o755)
	before := s.snapshot(r)
	if res := s.uninstall(r); len(res.Changed) != 0 || s.snapshot(r) != before {
		t.Errorf("uninstall changed %q", res.Changed)
	}
}

// TestInterrupted stops an install after each of its steps, as kill -9 would,
// and lets the next one finish.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	for _, opts := range []InstallOptions{{Chain: true}, {Force: true}} {
		for steps, more := 0, true; more; steps++ {
			s := newSandbox(t)
			r := s.repo("r")
			hook := filepath.Join(r, ".git", "hooks", "pre-commit")
			s.write(hook, foreignBash, 0o755)
			opts.Dir, opts.Binary = r, s.memhook
			loc, err := locate(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			p, err := planInstall(t.Context(), loc, opts)
			if err != nil {
				t.Fatal(err)
			}
			if err := apply(p.ops[:steps], loc.hooksDir, loc.commonDir); err != nil {
				t.Fatal(err)
			}
			s.write(filepath.Join(loc.hooksDir, tmpPrefix+"1"), "half", 0o600)
			more = steps < len(p.ops)
			if data, err := os.ReadFile(hook); err != nil || string(data) != foreignBash && !isOurs(data) {
				t.Errorf("%+v, %d steps: hook holds %q (%v)", opts, steps, data, err)
			}
			s.install(opts)
			want := "memhook pre-commit"
			if opts.Chain {
				want = "foreign, " + want
			}
			if out, code := s.commit(r, 0); code != 0 {
				t.Errorf("commit: %s", out)
			}
			if got := s.calls(); got != want {
				t.Errorf("%+v, %d steps: calls = %q, want %q", opts, steps, got, want)
			}
			s.uninstall(r)
			if data, _ := os.ReadFile(hook); string(data) != foreignBash {
				t.Errorf("%+v, %d steps: uninstall put back %q", opts, steps, data)
			}
			if left, _ := filepath.Glob(filepath.Join(loc.hooksDir, "*memls*")); more && len(left) != 0 {
				t.Errorf("%+v, %d steps: left over: %q", opts, steps, left)
			}
		}
	}
}

// TestParallel starts eight installers at once, each a process.
func TestParallel(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	r := s.repo("r")
	hook := filepath.Join(r, ".git", "hooks", "pre-commit")
	s.write(hook, foreignBash, 0o755)
	text, err := json.Marshal(InstallOptions{Dir: r, Binary: s.memhook, Chain: true})
	if err != nil {
		t.Fatal(err)
	}
	var cmds []*exec.Cmd
	for range 8 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), installEnv+"="+string(text))
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if data, _ := os.ReadFile(hook + chainedSuffix); string(data) != foreignBash {
		t.Errorf("the chained hook holds %q", data)
	}
	if out, code := s.commit(r, 0); code != 0 || s.calls() != "foreign, memhook pre-commit" {
		t.Errorf("exit %d: %s", code, out)
	}
	if st := s.status(r); !st.Installed || len(st.Hooks[0].Backups) != 0 {
		t.Errorf("status: %+v", st)
	}
}

// TestForceAfterInterruptedChain: what an interrupted --chain set aside must
// not run once the user decides for --force.
func TestForceAfterInterruptedChain(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	r := s.repo("r")
	hook := filepath.Join(r, ".git", "hooks", "pre-commit")
	s.write(hook, foreignBash, 0o755)
	if err := keep(hook, hook+chainedSuffix); err != nil {
		t.Fatal(err)
	}
	s.install(InstallOptions{Dir: r, Force: true})
	if out, code := s.commit(r, 0); code != 0 || s.calls() != "memhook pre-commit" {
		t.Errorf("exit %d: %s", code, out)
	}
	if data, _ := os.ReadFile(hook + backupSuffix); string(data) != foreignBash {
		t.Errorf("backup holds %q", data)
	}
}
