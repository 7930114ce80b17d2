package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// run executes a command and reads its result.
func (e *editor) run(result any, command string, args ...any) {
	e.t.Helper()
	raw := e.call("workspace/executeCommand", map[string]any{"command": command, "arguments": args})
	if err := json.Unmarshal(raw, result); err != nil {
		e.t.Fatalf("%s: %v in %s", command, err, raw)
	}
}

func TestCompilePrompt(t *testing.T) {
	m := newMemory(t, v2(nil))
	m.write(files{"a.md": front("Not committed")})
	e := newEditor(t, plain)
	uri := e.openFile(m, "a.md")
	var report promptReport
	e.run(&report, commandCompilePrompt, uri)
	if !strings.Contains(report.Prompt, "Text of A.") || strings.Contains(report.Prompt, "Not committed") {
		t.Errorf("the prompt is %q, want what is committed", report.Prompt)
	}
	if report.Root != m.dir || report.Tokens == 0 || len(report.Parts) == 0 {
		t.Errorf("the report is %+v", report)
	}
}

func TestTreeCommand(t *testing.T) {
	m := newMemory(t, v2(files{"projects/MEMORY.md": "# P\n", "projects/x.md": front("X"), "data.txt": "12345"}))
	e := newEditor(t, plain)
	var report treeReport
	e.run(&report, commandTree, uriOf(m.path("projects"))) // a directory, nothing is open in it
	var lines []string
	for _, f := range report.Files {
		lines = append(lines, fmt.Sprintf("%s (%s): %d", f.Path, f.Tier, *f.Characters))
	}
	want := "MEMORY.md (core memory): 68, a.md (core memory): 49, data.txt (file): 5, projects/MEMORY.md (deferred memory): 4, projects/x.md (deferred memory): 49"
	if got := strings.Join(lines, ", "); got != want {
		t.Errorf("files = %s, want %s", got, want)
	}
	if report.Layout != "v2" || report.Core.Characters != 117 || report.Core.Limit == nil {
		t.Errorf("report = %+v, want v2 with the budget of the core", report)
	}
}

func TestRepositoryOfCommands(t *testing.T) {
	m, other := newMemory(t, v2(nil)), newMemory(t, files{"x.txt": "no memory\n"})
	e := newEditorIn(t, plain, `"rootUri":null`)
	for _, tt := range []struct {
		args []any
		want string
	}{
		{[]any{uriOf(other.path("x.txt"))}, "is not in a memory repository"},
		{[]any{"file:///nowhere.md"}, "is not in a memory repository"},
		{[]any{uriOf(m.dir)}, ""},
		{[]any{map[string]any{"uri": uriOf(m.path("new/file.md"))}}, ""},
		{nil, ""}, // the one of the open document
	} {
		if _, failure := e.try("workspace/executeCommand", map[string]any{"command": commandTree, "arguments": tt.args}); !strings.Contains(failure, tt.want) || tt.want == "" && failure != "" {
			t.Errorf("%s%v = %q, want %q", commandTree, tt.args, failure, tt.want)
		}
	}
	e.openFile(m, "a.md")
	if _, failure := e.try("workspace/executeCommand", map[string]any{"command": commandTree}); !strings.Contains(failure, "several memory repositories") {
		t.Errorf("without an argument, of two repositories: %q", failure)
	}
}

func TestInstallHook(t *testing.T) {
	m := newMemory(t, v2(nil))
	e := newEditorIn(t, plain, `"initializationOptions":{"memls":{"memhook":"/opt/memhook"}}`)
	if _, failure := e.try("workspace/executeCommand", map[string]any{"command": commandInstallHook, "arguments": []any{uriOf(m.dir)}}); !strings.Contains(failure, "memhook install") {
		t.Errorf("without an installer: %q", failure)
	}
	var dir string
	var options HookOptions
	e.server.InstallHookWith(func(_ context.Context, d string, o HookOptions) (string, error) {
		if dir, options = d, o; !o.Chain {
			return "", errors.New("pre-commit is a hook of somebody else")
		}
		return "Hooks: installed", nil
	})
	if _, failure := e.try("workspace/executeCommand", map[string]any{"command": commandInstallHook, "arguments": []any{uriOf(m.dir)}}); !strings.Contains(failure, "somebody else") {
		t.Errorf("the error is %q, want the installer's", failure)
	}
	var result map[string]string
	e.run(&result, commandInstallHook, map[string]any{"uri": uriOf(m.path("a.md")), "chain": true})
	if dir != m.dir || options != (HookOptions{Binary: "/opt/memhook", Chain: true}) || result["report"] != "Hooks: installed" {
		t.Errorf("installed in %s with %+v: %v", dir, options, result)
	}
}
