package lsp

import (
	"encoding/json"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

func TestSettings(t *testing.T) {
	const options = `{"memls":{"disabledRules":["link-broken"],"severity":{"frontmatter-required":"hint","no-such-rule":"error"},"policy":"legacy-only"}}`
	bad := files{"b.md": "---\nname: B\n---\n[x](gone.md)\n"}
	t.Run("from the handshake", func(t *testing.T) {
		m := newMemory(t, v2(bad))
		e := newEditorIn(t, plain, `"initializationOptions":{"disabledRules":["link-broken"],"severity":{"frontmatter-required":"hint"}}`)
		uri := e.openFile(m, "b.md")
		e.expect(uri, "frontmatter-required")
		if d := e.shown[uri].Diagnostics[0]; d.Severity != protocol.DiagnosticSeverityHint {
			t.Errorf("severity = %v, want a hint", d.Severity)
		}
	})
	t.Run("pushed", func(t *testing.T) {
		m := newMemory(t, v2(bad))
		e := newEditor(t, plain)
		uri := e.openFile(m, "b.md")
		e.expect(uri, "frontmatter-required", "link-broken")
		e.notify("workspace/didChangeConfiguration", map[string]any{"settings": json.RawMessage(`{"memls":{"disabledRules":["frontmatter-required"]}}`)})
		e.expect(uri, "link-broken")
		for _, a := range e.actions(uri, everything, "quickfix") {
			if strings.Contains(a.Title, "description") {
				t.Errorf("a disabled rule has the action %q", a.Title)
			}
		}
		e.notify("workspace/didChangeConfiguration", map[string]any{"settings": nil}) // says nothing
		e.expect(uri, "link-broken")
	})
	t.Run("asked for", func(t *testing.T) {
		m := newMemory(t, v2(bad))
		e := newEditor(t, vscode)
		uri := e.openFile(m, "b.md")
		e.expect(uri, "frontmatter-required", "link-broken")
		e.settings = `{"severity":{"link-broken":"off"}}`
		e.notify("workspace/didChangeConfiguration", map[string]any{"settings": nil})
		e.await("workspace/configuration")
		e.await("workspace/diagnostic/refresh")
		e.expect(uri, "frontmatter-required")
	})
	t.Run("wrong ones", func(t *testing.T) {
		m := newMemory(t, v2(bad))
		e := newEditorIn(t, plain, `"initializationOptions":`+options)
		uri := e.openFile(m, "b.md")
		e.settle()
		if got := e.of(uri); len(got) != 0 {
			t.Errorf("shown = %q, want nothing: the policy is legacy-only, and b.md no memory of v1", got)
		}
		if all := strings.Join(e.other, "\n"); !strings.Contains(all, `memls.severity is not used: there is no rule \"no-such-rule\"`) {
			t.Errorf("messages = %s, want one about the setting", all)
		}
	})
}

// The log reaches the editor while it traces, and not else.
func TestTrace(t *testing.T) {
	e := newEditor(t, plain)
	e.other = nil
	for value, want := range map[string]bool{"off": false, "verbose": true} {
		e.notify("$/setTrace", map[string]any{"value": value})
		e.other = nil
		if _, failure := e.try("workspace/executeCommand", map[string]any{"command": "memls.nope"}); failure == "" {
			t.Fatal("an unknown command succeeds")
		}
		e.settle()
		all := strings.Join(e.other, "\n")
		if got := strings.Contains(all, "window/logMessage") && strings.Contains(all, "memls.nope"); got != want {
			t.Errorf("with the trace %s, the failed request is logged: %v, in %s", value, got, all)
		}
	}
}
