package agentcli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What a turn makes of killRepo: a file and a link that go, one that changes,
// new ones in a directory that is new, too. The model is done then, so that resuming
// needs none.
const killScenario = `
steps:
  - call:
      - {name: memory, input: {command: delete, path: notes/b.md}}
      - {name: memory, input: {command: delete, path: link}}
      - {name: memory, input: {command: str_replace, path: notes/MEMORY.md, old_str: "- [B](b.md) — b\n", new_str: "Empty.\n"}}
      - {name: memory, input: {command: create, path: work/MEMORY.md, file_text: "# Work\n"}}
      - {name: finish, input: {message: Tidy up}}
`

// Killed or interrupted before any step of its commit, a turn leaves the branch
// where it was or at its commit, local edits as they are, and nothing staged
// that would take the commit back. What is not committed is kept, and turn
// resume commits it.
func TestTurnSurvives(t *testing.T) {
	scenario := filepath.Join(t.TempDir(), "kill.yaml")
	if err := os.WriteFile(scenario, []byte(killScenario), 0o644); err != nil {
		t.Fatal(err)
	}
	template := killRepo(t)
	link(t, "a.md", filepath.Join(template, "link"))
	git(t, template, "add", "link")
	git(t, template, "commit", "-q", "-m", "link", "link")
	prepare := func(t *testing.T) string {
		dir := filepath.Join(t.TempDir(), "mem")
		if err := os.CopyFS(dir, os.DirFS(template)); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	args := []string{"turn", "--dirty=keep", "--model", "script/" + scenario, "Tidy up."}
	dir := prepare(t)
	base, local := git(t, dir, "rev-parse", "HEAD^{tree}"), git(t, dir, "status", "--porcelain")
	text, err := runKilled(t, dir, 0, args...)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	want := git(t, dir, "rev-parse", "HEAD^{tree}")
	steps := 0
	if _, err := fmt.Sscanf(text[strings.LastIndex(text, "steps: "):], "steps: %d", &steps); err != nil || steps < 8 || want == base {
		t.Fatalf("%d steps, %v: %s", steps, err, text)
	}
	for at := 1; at <= steps; at++ {
		for _, how := range []string{"", "^", "-"} { // killed, interrupted, failed
			t.Run(fmt.Sprintf("%s%d", how, at), func(t *testing.T) {
				t.Parallel()
				dir := prepare(t)
				text, err := runFaulty(t, dir, fmt.Sprint(how, at), args...)
				if how == "" && !strings.Contains(text, "killed before") {
					t.Fatalf("was not killed: %v: %s", err, text)
				}
				git(t, dir, "fsck", "--strict", "--no-dangling")
				if locks, _ := filepath.Glob(filepath.Join(dir, ".git", "*.lock")); len(locks) > 0 {
					t.Errorf("locks are left: %v", locks)
				}
				switch now := git(t, dir, "rev-parse", "HEAD^{tree}"); {
				case now != base && now != want:
					t.Errorf("HEAD is neither base nor new\n%s", text)
				case now == base && git(t, dir, "status", "--porcelain") != local:
					t.Errorf("before the commit, status is\n%s\nwant\n%s", git(t, dir, "status", "--porcelain"), local)
				case now == base && at > 1 && git(t, dir, "for-each-ref", rescueRefs) == "":
					t.Errorf("the work is lost\n%s", text)
				}
				resumed, err := runKilled(t, dir, 0, "turn", "resume", "--dirty=keep")
				if exit, ok := errors.AsType[*exec.ExitError](err); ok && !strings.Contains(resumed, "no work to resume") {
					t.Errorf("resume: %v: %s\nafter: %s", exit, resumed, text)
				}
				if at > 1 && git(t, dir, "rev-parse", "HEAD^{tree}") != want {
					t.Errorf("not committed after resume: %s\nafter: %s", resumed, text)
				}
				if said := git(t, dir, "log", "-1", "--format=%B"); at > 1 && (!strings.HasPrefix(said, "Tidy up\n") || !strings.Contains(said, "Model: script/")) {
					t.Errorf("the commit says: %s", said)
				}
				if got := git(t, dir, "status", "--porcelain"); got != local {
					t.Errorf("status:\n%s\nwant:\n%s\n%s\n%s", got, local, text, resumed)
				}
				if files := read(t, dir); files["a.md"] != frontA+"More.\n" || files["staged.txt"] != "new\n" || files["new.txt"] != "new\n" {
					t.Errorf("local edits are gone: %q", files)
				}
				if refs := git(t, dir, "for-each-ref", rescueRefs); at > 1 && refs != "" {
					t.Errorf("refs are left: %s", refs)
				}
			})
		}
	}
}
