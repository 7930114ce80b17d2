package agentcli_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/memls/memls/agentcli"
)

// run runs a command line that needs no repository.
func run(t *testing.T, out io.Writer, args ...string) (code int, errs string) {
	t.Helper()
	var stderr bytes.Buffer
	env := agentcli.Env{Stdin: strings.NewReader(""), Stdout: out, Stderr: &stderr, Getenv: func(string) string { return "" }}
	code = agentcli.Main(t.Context(), args, env, "v0.0.0-test")
	return code, stderr.String()
}

func TestHelpHasExamplesAndFits(t *testing.T) {
	for _, command := range []string{
		"", "init", "check", "fix", "rules", "explain", "tree", "path", "status", "completion", "version",
		"mv", "promote", "demote", "commit", "backup", "restore", "export",
		"hook", "hook install", "hook uninstall", "hook status",
	} {
		t.Run(command, func(t *testing.T) {
			var out bytes.Buffer
			code, errs := run(t, &out, append(strings.Fields(command), "--help")...)
			if code != agentcli.ExitOK || errs != "" {
				t.Fatalf("exit code %d, stderr %q", code, errs)
			}
			if !strings.Contains(out.String(), "Examples:") {
				t.Error("no examples")
			}
			for line := range strings.Lines(out.String()) {
				if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 100 {
					t.Errorf("line of %d characters: %s", n, line)
				}
			}
		})
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestOutputThatCannotBeWrittenIsAnError(t *testing.T) {
	code, errs := run(t, brokenPipe{}, "rules")
	if code != agentcli.ExitFailed || !strings.Contains(errs, "no space left on device") {
		t.Errorf("exit code %d, stderr %q", code, errs)
	}
}

func TestPanicDoesNotReachTheUser(t *testing.T) {
	var out, errs bytes.Buffer
	env := agentcli.Env{Stdout: &out, Stderr: &errs, Getenv: func(name string) string {
		if name == "MEMORY_DIR" {
			panic("a bug")
		}
		return ""
	}}
	code := agentcli.Main(context.Background(), []string{"path"}, env, "")
	if code != agentcli.ExitFailed || !strings.HasPrefix(errs.String(), "agentcli: internal error: a bug\n") || strings.Contains(errs.String(), "goroutine") {
		t.Errorf("exit code %d, stderr %q", code, errs.String())
	}
}

func TestCommittedRulePagesAreUpToDate(t *testing.T) {
	dir := filepath.Join("..", "rules", "docs")
	got := map[string]string{}
	files, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got[filepath.Base(file)] = string(text)
	}
	if d := cmp.Diff(agentcli.RulePages(), got); d != "" {
		t.Errorf("run go generate ./agentcli (-want +got):\n%s", d)
	}
}
