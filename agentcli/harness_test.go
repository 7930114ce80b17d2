package agentcli

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A hookFile is what agents read their hooks from.
type hookFile struct {
	Hooks map[string][]struct {
		Hooks []struct{ Command string }
	}
}

// hookFiles are those of harness.md.
func hookFiles(t *testing.T) (files []hookFile) {
	page, err := os.ReadFile("harness.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(page), "```json\n")[1:] {
		text, _, _ := strings.Cut(block, "```")
		var f hookFile
		if err := json.Unmarshal([]byte(text), &f); err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if len(f.Hooks) > 0 {
			files = append(files, f)
		}
	}
	if len(files) != 3 {
		t.Fatalf("harness.md has the hooks of %d agents, want 3", len(files))
	}
	return files
}

// TestHarnessHooks runs the hooks of harness.md as agents do, through a session
// that breaks the memory, cannot mend it, and mends it in the end.
func TestHarnessHooks(t *testing.T) {
	for _, f := range hookFiles(t) {
		home := t.TempDir()
		dir := filepath.Join(home, "memory")
		if err := os.Rename(cleanRepo(t), dir); err != nil {
			t.Fatal(err)
		}
		hook := func(code int, part string, events ...string) {
			t.Helper()
			ran := false
			for _, event := range events {
				for _, group := range f.Hooks[event] {
					runHarnessHook(t, home, group.Hooks[0].Command, code, part)
					ran = true
				}
			}
			if !ran {
				t.Errorf("there is no hook for %v", events)
			}
		}
		hook(0, "<a>", "SessionStart")
		hook(0, "", "UserPromptSubmit", "BeforeAgent")
		hook(0, "", "PostToolUse", "AfterTool")
		hook(0, "nothing to commit", "Stop", "AfterAgent")

		put(t, dir, map[string]string{"bad.md": "no frontmatter\n"})
		hook(2, "bad.md:1:1: error", "PostToolUse", "AfterTool")
		hook(2, "refused by the rules:\n- bad.md: missing frontmatter", "Stop", "AfterAgent")
		hook(0, "", "Stop", "AfterAgent")
		hook(0, "", "UserPromptSubmit", "BeforeAgent")
		hook(0, "bad.md: missing frontmatter", "SessionStart")

		put(t, dir, map[string]string{"bad.md": frontA})
		hook(0, "bad.md (new)", "UserPromptSubmit", "BeforeAgent")
		hook(0, "", "PostToolUse", "AfterTool")
		hook(0, "created bad.md", "Stop", "AfterAgent")
		if s := git(t, dir, "status", "--porcelain"); s != "" {
			t.Errorf("git status: %s", s)
		}
	}
}

// runHarnessHook wants an exit code, and a part of what is printed: for the
// agent to see, on standard error where it is not 0.
func runHarnessHook(t *testing.T, home, command string, code int, part string) {
	t.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Env = append(gitEnv(t), "HOME="+home)
	cmd.Stdin = strings.NewReader(`{"hook_event_name": "x"}`)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	exit, _ := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil && code != 0, err != nil && (exit == nil || exit.ExitCode() != code):
		t.Errorf("%s: %v, want exit code %d\n%s%s", command, err, code, out.String(), errs.String())
	case code == 0 && part == "" && out.Len() > 0:
		t.Errorf("%s prints %s", command, out.String())
	case code != 0 && !strings.Contains(errs.String(), part), !strings.Contains(out.String()+errs.String(), part):
		t.Errorf("%s: %s%s has no %q", command, out.String(), errs.String(), part)
	}
	if strings.Contains(command, "gemini") && out.Len() > 0 && !json.Valid(out.Bytes()) {
		t.Errorf("%s prints no JSON: %s", command, out.String())
	}
}
