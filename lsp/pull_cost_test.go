package lsp

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules/tree"
)

// Work that a client or a person cancels stops where it is.
func TestCancelledRequestsStop(t *testing.T) {
	m := newMemory(t, v2(files{"b.md": "x\n", "projects/MEMORY.md": "# P\n", "projects/x.md": "x\n"}))
	e := newEditorIn(t, vscode, `"workspaceFolders":[{"uri":"`+uriOf(m.dir)+`","name":"m"}]`)
	uri := e.openFile(m, "b.md")
	e.settle()
	s := e.server
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, request := range map[string]func() error{
		"workspace/diagnostic": func() error {
			_, err := s.workspaceDiagnostic(ctx, s.snapshot(), &wire.WorkspaceDiagnosticParams{})
			return err
		},
		"workspace/symbol": func() error {
			_, err := s.workspaceSymbols(ctx, s.snapshot(), &workspaceSymbolParams{})
			return err
		},
		"memls.tree": func() error {
			_, err := s.executeCommand(ctx, s.snapshot(), &executeCommandParams{Command: commandTree, Arguments: []commandArg{{URI: protocol.DocumentURI(uri)}}})
			return err
		},
	} {
		if err := request(); err != context.Canceled {
			t.Errorf("%s, cancelled, returns %v", name, err)
		}
	}
}

// Progress is shown of what takes long, with a token of the server's where the
// client gave none, and can be cancelled by it.
func TestProgress(t *testing.T) {
	e := newEditor(t, `{"capabilities":{"window":{"workDoneProgress":true}}}`)
	s := e.server
	ctx, p := s.progress(t.Context(), nil, "Testing")
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.report(16, 64) // at once: nothing is sent
		p.next = time.Time{}
		p.report(16, 64)
		p.next = time.Time{}
		p.report(32, 64)
		<-ctx.Done()
		p.end()
	}()
	var create struct{ Token string }
	mustDecode(t, e.await("window/workDoneProgress/create").Params, &create)
	var kinds []string
	for len(kinds) < 3 {
		var params struct {
			Token string
			Value struct {
				Kind       string
				Percentage int
			}
		}
		mustDecode(t, e.await("$/progress").Params, &params)
		if params.Token != create.Token {
			t.Errorf("the token is %q, want %q", params.Token, create.Token)
		}
		kinds = append(kinds, fmt.Sprintf("%s %d", params.Value.Kind, params.Value.Percentage))
		if len(kinds) == 2 {
			e.notify("window/workDoneProgress/cancel", map[string]any{"token": create.Token})
		}
	}
	<-done
	if want := []string{"begin 25", "report 50", "end 0"}; !slices.Equal(kinds, want) {
		t.Errorf("progress = %q, want %q", kinds, want)
	}
}

func BenchmarkWorkspaceDiagnostic10k(b *testing.B) {
	m := large(b, 10000)
	e := newEditorIn(b, vscode, `"workspaceFolders":[{"uri":"`+uriOf(m.dir)+`","name":"m"}]`)
	for b.Loop() {
		e.pullWorkspace(nil, nil)
	}
}

func BenchmarkWorkspaceSymbol10k(b *testing.B) {
	m := large(b, 10000)
	e := newEditorIn(b, vscode, `"workspaceFolders":[{"uri":"`+uriOf(m.dir)+`","name":"m"}]`)
	for b.Loop() {
		e.call("workspace/symbol", map[string]any{"query": "d0042 f1"})
	}
}

// In a large memory what is typed does not cost a judgement of every closed
// file; what is saved, opened or set does.
func TestClosedReportsOfLargeMemories(t *testing.T) {
	over := func(n int, open ...string) *overlay {
		var files []*tree.File
		for i := range n {
			files = append(files, tree.NewFile(fmt.Sprintf("f%d.md", i), tree.Regular, "", tree.Buffer("x")))
		}
		o := &overlay{tree: tree.New(files), buffers: map[string]*buffer{}}
		for _, path := range open {
			o.buffers[path] = &buffer{}
		}
		return o
	}
	state, set := &repoState{}, &settings{}
	for _, tt := range []struct {
		name     string
		files    int
		state    *repoState
		settings *settings
		open     string
		kept     bool
	}{
		{"typed in a large memory", exactFiles + 1, state, set, "f0.md", true},
		{"typed in a small one", exactFiles, state, set, "f0.md", false},
		{"saved", exactFiles + 1, &repoState{unfinished: "merge"}, set, "f0.md", false},
		{"opened another file", exactFiles + 1, state, set, "f1.md", false},
		{"other settings", exactFiles + 1, state, &settings{trace: "off"}, "f0.md", false},
	} {
		before := &judging{state: state, settings: set, overlay: over(tt.files, "f0.md"), closed: &closedReports{}}
		if kept := before.closedFor(tt.state, over(tt.files, tt.open), tt.settings) == before.closed; kept != tt.kept {
			t.Errorf("%s: the reports are kept: %v, want %v", tt.name, kept, tt.kept)
		}
	}
}
