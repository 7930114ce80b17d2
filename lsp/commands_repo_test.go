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
	root, committed := report.Root, report.Prompt
	e.change(uri, front("Not saved"))
	e.run(&report, commandCompilePrompt, map[string]any{"uri": uri, "at": "worktree"})
	if !strings.Contains(report.Prompt, "Text of Not saved.") || report.Root != root {
		t.Errorf("the prompt of the working tree is %q, want what is typed", report.Prompt)
	}
	if e.run(&report, commandCompilePrompt, map[string]any{"uri": uri, "at": "head"}); report.Prompt != committed {
		t.Errorf("the prompt of HEAD is %q, want %q", report.Prompt, committed)
	}
	if _, failure := e.try("workspace/executeCommand", map[string]any{"command": commandCompilePrompt, "arguments": []any{map[string]any{"uri": uri, "at": "HEAD~1"}}}); !strings.Contains(failure, "want head or worktree") {
		t.Errorf("failure = %q", failure)
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

// The list has everything in its group, and what is found where, once.
func TestTreeProblems(t *testing.T) {
	m := newMemory(t, v2(files{
		".memfs.config.json": `{"version":1,"maxFileCharacters":60,"maxCoreMemoryCharacters":80}`,
		"notes/x.md":         front("X"), "people/MEMORY.md": "# P\n\n- [Y](y.md)\n", "people/y.md": front("Y") + "[gone](gone.md)",
		"skills/s/SKILL.md": "---\nname: s\ndescription: Does s.\n---\n",
	}))
	e := newEditor(t, teller(t))
	uri := e.openFile(m, "people/y.md")
	e.change(uri, front("Y")+"[gone](gone.md) [gone](gone.md)")
	var report treeReport
	e.run(&report, commandTree, uri)
	var groups, problems []string
	for _, f := range report.Files {
		groups = append(groups, fmt.Sprintf("%s %s %s", f.Path, f.Group, f.Level))
	}
	for _, p := range report.Problems {
		for _, d := range p.Diagnostics {
			problems = append(problems, fmt.Sprintf("%s %s", p.Path, describe(d)))
		}
	}
	for _, tt := range []struct{ what, got, want string }{
		{"files", strings.Join(groups, "\n"), `.memfs.config.json other ok
MEMORY.md core over
a.md core ok
notes/x.md other ok
people/MEMORY.md deferred ok
people/y.md deferred over
skills/s/SKILL.md skills ok`},
		{"problems", strings.Join(problems, "\n"), `MEMORY.md 0:0-0:8 file-budget: 64 characters exceeds 60 from maxFileCharacters
MEMORY.md 0:0-0:0 core-budget: core memory: 113 characters exceeds 80 from maxCoreMemoryCharacters
notes/x.md 0:0-0:3 index-chain: missing required index notes/MEMORY.md
people/y.md 0:0-0:3 file-budget: 80 characters exceeds 60 from maxFileCharacters
people/y.md 6:7-6:14 link-broken: broken link: people/gone.md does not exist
people/y.md 6:23-6:30 link-broken: broken link: people/gone.md does not exist`},
	} {
		if tt.got != tt.want {
			t.Errorf("%s:\n%s\nwant:\n%s", tt.what, tt.got, tt.want)
		}
	}
	if report.Core.Level != levelOver || report.Files[2].Description != "About A" {
		t.Errorf("core = %+v, a.md = %+v", report.Core, report.Files[2])
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
