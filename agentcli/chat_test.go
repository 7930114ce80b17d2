package agentcli

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/term"
)

const chatScenario = `
steps:
  - call: [{name: memory, input: {command: create, path: c.md, file_text: "c\n"}}]
  - {say: "Thinking hard\n", hang: true}
  - {expect: {told: ["And then?"]}, say: "Now it is there.\n"}
`

// Ctrl-C stops the model, not the conversation, and what the tools did is there
// for the next message.
func TestChatInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted by another one there")
	}
	dir := cleanRepo(t)
	scenario := filepath.Join(t.TempDir(), "chat.yaml")
	if err := os.WriteFile(scenario, []byte(chatScenario), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "chat", "--model", "script/"+scenario)
	cmd.Dir, cmd.Env = dir, append(gitEnv(t), killAt+"=0")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewScanner(stdout)
	expect := func(want string) {
		t.Helper()
		if !answers.Scan() || answers.Text() != want {
			t.Fatalf("%q, want %q; %s", answers.Text(), want, &stderr)
		}
	}
	_, _ = io.WriteString(stdin, "Go.\n")
	expect("Thinking hard")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(stdin, "And then?\n")
	expect("Now it is there.")
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	if !strings.Contains(stderr.String(), "interrupted\n1 file changed and not committed") {
		t.Errorf("does not tell of the interruption: %s", &stderr)
	}
	if files := read(t, dir); files["c.md"] == "" || git(t, dir, "status", "--porcelain") != "" {
		t.Errorf("the work is not committed: %q", files)
	}
}

// At the prompt Ctrl-C clears the line, wherever the cursor is in it.
func TestCtrlCClearsTheLine(t *testing.T) {
	for keys, want := range map[string]string{
		"Hello\r":                        "Hello",
		"Hxllo\x03Hello\r":               "Hello",
		"Hxllo\x1b[D\x1b[D\x03Hello\r":   "Hello",
		"\x03\x03Hello\r":                "Hello",
		"\x1b[200~two\rlines\x1b[201~\r": "two\nlines",
	} {
		r := &lineReader{editor: term.NewTerminal(struct {
			io.Reader
			io.Writer
		}{&clearing{in: strings.NewReader(keys)}, io.Discard}, chatPrompt)}
		r.editor.SetBracketedPasteMode(true)
		if got, err := r.wait(); got != want || err != nil {
			t.Errorf("%q: %q, %v; want %q", keys, got, err, want)
		}
	}
}
