package lsp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// teller is an editor that shows the memory beside the text.
func teller(t *testing.T) string {
	return merged(t, vscode, `{"capabilities":{"experimental":{"memoryChanged":true}}}`)
}

// memories waits for a notification about the memories that a condition holds
// for, and returns the memory in question.
func (e *editor) memories(m *memory, holds func(knownMemory) bool) knownMemory {
	e.t.Helper()
	for {
		for i, raw := range e.other {
			var n struct {
				Method string
				Params memoryChangedParams
			}
			if err := json.Unmarshal([]byte(raw), &n); err != nil {
				e.t.Fatal(err)
			}
			for _, known := range n.Params.Memories {
				if n.Method == methodMemoryChanged && string(known.URI) == uriOf(m.dir) && holds(known) {
					e.other = slices.Delete(e.other, 0, i+1)
					return known
				}
			}
		}
		e.receive()
	}
}

// A client that asks for it hears of the memory in a folder before a file of
// it is open, of what is typed, and of commits.
func TestMemoryChanged(t *testing.T) {
	m := newMemory(t, v2(files{".memfs.config.json": `{"version":1,"maxCoreMemoryCharacters":200}`}))
	core := len(m.read("MEMORY.md")) + len(m.read("a.md"))
	e := newEditorIn(t, teller(t), fmt.Sprintf(`"rootUri":null,"workspaceFolders":[{"uri":%q,"name":"m"}]`, uriOf(m.dir)))
	known := e.memories(m, func(knownMemory) bool { return true })
	if got := known.Core; got.Characters != int64(core) || got.Tokens == 0 || got.Limit == nil || *got.Limit != 200 || got.Level != levelOK {
		t.Errorf("core = %+v, want %d characters of 200", got, core)
	}
	uri := e.openFile(m, "a.md")
	for _, tt := range []struct {
		size int
		want budgetLevel
	}{{180, levelOK}, {181, levelNear}, {200, levelNear}, {201, levelOver}} {
		e.change(uri, m.read("a.md")+strings.Repeat("x", tt.size-core))
		got := e.memories(m, func(k knownMemory) bool { return k.Core.Characters == int64(tt.size) }).Core
		if got.Level != tt.want {
			t.Errorf("at %d of 200 the level is %q, want %q", tt.size, got.Level, tt.want)
		}
	}
	e.settle()
	e.other = nil
	m.git("commit", "-q", "--allow-empty", "-m", "second")
	e.event(m.path(".git/refs/heads/main"))
	e.memories(m, func(knownMemory) bool { return true })
}

// Others do not, whatever they call experimental.
func TestMemoryChangedUnasked(t *testing.T) {
	for _, experimental := range []string{`{}`, `true`, `["memoryChanged"]`, `{"memoryChanged":"yes"}`} {
		m := newMemory(t, v2(nil))
		e := newEditor(t, merged(t, plain, `{"capabilities":{"experimental":`+experimental+`}}`))
		e.openFile(m, "a.md")
		e.settle()
		if all := strings.Join(e.other, "\n"); strings.Contains(all, methodMemoryChanged) {
			t.Errorf("with experimental %s: %s", experimental, all)
		}
	}
}
