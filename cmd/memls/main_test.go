package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memls/memls/lsp/lsptest"
)

// TestMain lets the test binary be memls, so that the tests below see real
// pipes and exit codes.
func TestMain(m *testing.M) {
	if os.Getenv("MEMLS_TEST_MAIN") != "" {
		main()
	}
	os.Exit(m.Run())
}

func memls(t *testing.T, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), "MEMLS_TEST_MAIN=1")
	return cmd
}

func exitCode(err error) int {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	if err != nil {
		return -1
	}
	return 0
}

func TestCommandLine(t *testing.T) {
	tests := []struct {
		name           string
		args           []string
		code           int
		stdout, stderr string // parts of the output; "" for none at all
	}{
		{"version", []string{"version"}, 0, "memls ", ""},
		{"version flag", []string{"--version"}, 0, "memls ", ""},
		{"help", []string{"--help"}, 0, "Examples:", ""},
		{"short help", []string{"-h"}, 0, "Examples:", ""},
		{"unknown flag", []string{"--nope"}, 2, "", "--help"},
		{"unknown command", []string{"serve"}, 2, "", `unexpected argument "serve"`},
		{"too much", []string{"version", "x"}, 2, "", "unexpected argument"},
		{"bad level", []string{"--log-level", "loud"}, 2, "", "log-level"},
		{"log that cannot be written", []string{"--log", filepath.Join(t.TempDir(), "no", "log")}, 2, "", "cannot write the log"},
		{"input ends at once", nil, 1, "", ""},
		{"stdio flag", []string{"--stdio"}, 1, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cmd := memls(t, tt.args...)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if code := exitCode(cmd.Run()); code != tt.code {
				t.Errorf("exit code = %d, want %d", code, tt.code)
			}
			for _, o := range []struct{ name, got, want string }{{"stdout", stdout.String(), tt.stdout}, {"stderr", stderr.String(), tt.stderr}} {
				if !strings.Contains(o.got, o.want) || o.want == "" && o.got != "" {
					t.Errorf("%s = %q, want %q in it", o.name, o.got, o.want)
				}
			}
		})
	}
}

// session starts memls with pipes.
func session(t *testing.T, args ...string) (*exec.Cmd, *lsptest.Client) {
	cmd := memls(t, args...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	// Not StdoutPipe: Wait would close it under the client's reader.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	return cmd, lsptest.NewClient(t, stdin, r)
}

func TestSession(t *testing.T) {
	log := filepath.Join(t.TempDir(), "memls.log")
	cmd, client := session(t, "--stdio", "--log", log, "--log-level", "debug")
	client.Play(fmt.Sprintf(`
		> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":%d,"rootUri":null,"capabilities":{}}}
		< {"jsonrpc":"2.0","id":1,"result":{"capabilities":"*","serverInfo":{"name":"memls","version":"*"}}}
		> {"jsonrpc":"2.0","method":"initialized","params":{}}
		> {"jsonrpc":"2.0","id":2,"method":"x/y"}
		< {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"*"}}
		> {"jsonrpc":"2.0","id":3,"method":"shutdown"}
		< {"jsonrpc":"2.0","id":3,"result":null}
		> {"jsonrpc":"2.0","method":"exit"}
	`, os.Getpid()))
	client.ExpectEnd()
	if code := exitCode(cmd.Wait()); code != 0 {
		t.Errorf("exit code = %d, want 0", code)
	}
	if text, err := os.ReadFile(log); err != nil || !strings.Contains(string(text), "x/y") {
		t.Errorf("log = %q, %v, want the failed request in it", text, err)
	}
}

func TestEditorCrashes(t *testing.T) {
	t.Run("its end of stdin closes", func(t *testing.T) {
		cmd, client := session(t)
		client.CloseInput()
		client.ExpectEnd()
		if code := exitCode(cmd.Wait()); code != 1 {
			t.Errorf("exit code = %d, want 1", code)
		}
	})
	t.Run("its process ends while the pipes stay open", func(t *testing.T) {
		editor, editorClient := session(t) // any process that ends with its input
		cmd, client := session(t)
		client.Play(fmt.Sprintf(`
			> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":%d,"capabilities":{}}}
			< {"jsonrpc":"2.0","id":1,"result":"*"}
		`, editor.Process.Pid))
		editorClient.CloseInput()
		editor.Wait()
		client.ExpectEnd()
		if code := exitCode(cmd.Wait()); code != 1 {
			t.Errorf("exit code = %d, want 1", code)
		}
	})
	t.Run("its end of stdout closes", func(t *testing.T) {
		cmd := memls(t)
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stdout = w
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		w.Close()
		r.Close()
		fmt.Fprint(stdin, lsptest.Frame(`{"jsonrpc":"2.0","id":1,"method":"x/y"}`))
		if code := exitCode(cmd.Wait()); code != 1 {
			t.Errorf("exit code = %d, want 1", code)
		}
	})
}
