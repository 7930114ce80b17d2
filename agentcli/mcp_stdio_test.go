package agentcli

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whatever the client writes before it leaves is done and answered, in order;
// what is no message is answered, too.
func TestMCPPiped(t *testing.T) {
	dir := cleanRepo(t)
	const lines = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory","arguments":{"command":"create","path":"c.md","file_text":"One.\n"}}}
{"jsonrpc":"2.0","id":2,"meth

[]
{"jsonrpc":"1.0","id":3,"method":"ping"}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"memory","arguments":{"command":"str_replace","path":"c.md","old_str":"---\nOne","new_str":"---\nTwo"}}}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"memory","arguments":{"command":"str_replace","path":"c.md","old_str":"Two","new_str":"Three"}}}
{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"memory","arguments":{"command":"create","path":"unwanted.md","file_text":"No.\n"}}}
{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}
{"jsonrpc":"2.0","id":6,"method":"ping"}
{"jsonrpc":"2.0","id":7,"method":"nosuch"}
`
	cmd := exec.Command(os.Args[0], "-C", dir, "mcp")
	cmd.Env, cmd.Stdin = append(gitEnv(t), killAt+"=none"), strings.NewReader(lines)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{} // errors by code
	for line := range bytes.Lines(out) {
		var m struct {
			ID     json.RawMessage
			Method string
			Result json.RawMessage
			Error  *struct{ Code json.Number }
		}
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		switch {
		case m.Method != "":
		case m.Error != nil:
			answers[string(m.ID)] += m.Error.Code.String() + " "
		case strings.Contains(string(m.Result), `"isError":true`):
			answers[string(m.ID)] += "failed "
		default:
			answers[string(m.ID)] += "done "
		}
	}
	// It depends on the speed of those before it whether it was begun by then.
	if answers["5"] == "" && read(t, dir)["unwanted.md"] != "" {
		t.Error("a call that was called off, and not answered, was run")
	}
	delete(answers, "5")
	want := map[string]string{`"init"`: "done ", "1": "done ", "4": "done done ", "6": "done ", "7": "-32601 ", "null": "-32700 -32600 -32600 "}
	if diff := cmp.Diff(want, answers); diff != "" {
		t.Error(diff)
	}
	if text := read(t, dir)["c.md"]; !strings.Contains(text, "---\nThree.") {
		t.Errorf("c.md is %q", text)
	}
	if s := git(t, dir, "status", "--porcelain"); s != "" {
		t.Errorf("git status: %s", s)
	}
}

// When nobody reads the output any more, work is not lost with it.
func TestReaderGone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("pipes send no signals there")
	}
	scenario := t.TempDir() + "/turn.yaml"
	if err := os.WriteFile(scenario, []byte(strings.ReplaceAll(chatScenario, "hang", "think")), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"turn": {"turn", "--format", "stream-json", "--model", "script/" + scenario, "Go."},
		"chat": {"chat", "--model", "script/" + scenario},
	} {
		t.Run(name, func(t *testing.T) {
			dir := cleanRepo(t)
			reads, writes, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			reads.Close()
			cmd := exec.Command(os.Args[0], args...)
			cmd.Dir, cmd.Env = dir, append(gitEnv(t), killAt+"=0")
			cmd.Stdin, cmd.Stdout = strings.NewReader("Go.\n"), writes
			var stderr strings.Builder
			cmd.Stderr = &stderr
			err = cmd.Run()
			writes.Close()
			if code := cmd.ProcessState.ExitCode(); code != ExitFailed || !strings.Contains(stderr.String(), "broken pipe") {
				t.Errorf("exit code %d, %v: %s", code, err, &stderr)
			}
			if files := read(t, dir); files["c.md"] == "" || git(t, dir, "status", "--porcelain") != "" {
				t.Errorf("the work is not committed: %q", files)
			}
		})
	}
}

// A message that the last line leaves open is said all the same.
func TestChatEndsInTheMiddle(t *testing.T) {
	a := &app{env: Env{Stdin: strings.NewReader("one\\\ntwo\\"), Stdout: io.Discard, Getenv: os.Getenv}}
	c := &chatRun{talk: &talk{app: a}, lines: newLineReader(a, nil)}
	if got, err := c.read(t.Context()); got != "one\ntwo\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := c.read(t.Context()); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
}
