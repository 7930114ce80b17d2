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

// A chatTest is a chat of the program in a pipe, by chatScenario.
type chatTest struct {
	*testing.T
	cmd     *exec.Cmd
	dir     string
	stdin   io.WriteCloser
	answers *bufio.Scanner
	stderr  strings.Builder // to be read at the end
}

func startChat(t *testing.T) *chatTest {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted by another one there")
	}
	c := &chatTest{T: t, dir: cleanRepo(t)}
	scenario := filepath.Join(t.TempDir(), "chat.yaml")
	if err := os.WriteFile(scenario, []byte(chatScenario), 0o644); err != nil {
		t.Fatal(err)
	}
	c.cmd = exec.Command(os.Args[0], "chat", "--model", "script/"+scenario)
	c.cmd.Dir, c.cmd.Env, c.cmd.Stderr = c.dir, append(gitEnv(t), killAt+"=0"), &c.stderr
	stdout, err := c.cmd.StdoutPipe()
	if err == nil {
		c.stdin, err = c.cmd.StdinPipe()
	}
	if err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	c.answers = bufio.NewScanner(stdout)
	return c
}

// say sends a message, and wants a line of the answer.
func (c *chatTest) say(message, want string) {
	c.Helper()
	_, _ = io.WriteString(c.stdin, message+"\n")
	if !c.answers.Scan() || c.answers.Text() != want {
		c.Fatalf("%q, want %q; %s", c.answers.Text(), want, &c.stderr)
	}
}

func (c *chatTest) signal(s os.Signal) {
	c.Helper()
	if err := c.cmd.Process.Signal(s); err != nil {
		c.Fatal(err)
	}
}

// Ctrl-C stops the model, not the conversation, and what the tools did is there
// for the next message.
func TestChatInterrupted(t *testing.T) {
	c := startChat(t)
	c.say("Go.", "Thinking hard")
	c.signal(os.Interrupt)
	c.say("And then?", "Now it is there.")
	c.stdin.Close()
	if err := c.cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, &c.stderr)
	}
	if !strings.Contains(c.stderr.String(), "interrupted\n1 file changed and not committed") {
		t.Errorf("does not tell of the interruption: %s", &c.stderr)
	}
	if files := read(t, c.dir); files["c.md"] == "" || git(t, c.dir, "status", "--porcelain") != "" {
		t.Errorf("the work is not committed: %q", files)
	}
}

// A chat whose terminal is closed, or that is told to end, keeps its work.
func TestChatEnded(t *testing.T) {
	for _, s := range Endings() {
		t.Run(s.String(), func(t *testing.T) {
			c := startChat(t)
			c.say("Go.", "Thinking hard")
			c.signal(s)
			if err := c.cmd.Wait(); err == nil {
				t.Error("the exit code is 0")
			}
			ref := git(t, c.dir, "for-each-ref", "--format=%(refname)", rescueRefs)
			if ref == "" || !strings.Contains(c.stderr.String(), ref) {
				t.Fatalf("kept on %q: %s", ref, &c.stderr)
			}
			if got := git(t, c.dir, "show", ref+":c.md"); !strings.HasSuffix(got, "c") {
				t.Errorf("c.md: %q", got)
			}
		})
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
