// Package emacs_test proves the configurations of this directory in a real
// Emacs in a terminal.
package emacs_test

import (
	"testing"

	"github.com/memls/memls/editors/editortest"
	"github.com/memls/memls/editors/example"
)

// TestQuickFix opens the note, sees what is wrong, takes the quick fix by
// the client's own command, and saves.
func TestQuickFix(t *testing.T) {
	editortest.Need(t, "emacs")
	for _, client := range []struct {
		config     string
		start, fix func(*editortest.Screen)
		questions  [][]string // at the end
	}{
		{
			config: "eglot.el",
			start:  func(s *editortest.Screen) { s.Shows("[eglot:", true) },
			fix: func(s *editortest.Screen) {
				run(s, "eglot-code-actions")
				s.Shows("Pick an action (default "+editortest.QuickFix, true)
				s.Picture("emacs")
				s.Press("Enter")
				s.Shows("Proceed?", true)
				s.Press("y")
			},
		},
		{
			config: "lsp-mode.el",
			start: func(s *editortest.Screen) {
				s.Shows("Import project", true)
				s.Press("i")
				s.Shows("LSP[memls", true)
			},
			fix: func(s *editortest.Screen) {
				run(s, "lsp-execute-code-action")
				s.Shows("Select code action", true)
				s.Type(editortest.QuickFix + "\r")
			},
			questions: [][]string{{"Save anyway?", "y", "e", "s", "Enter"}},
		},
	} {
		t.Run(client.config, func(t *testing.T) {
			job := editortest.Start(t)
			job.Configure(t, client.config, ".emacs.d/init.el")
			job.Configure(t, "testdata/early-init.el", ".emacs.d/early-init.el")
			screen := job.Open(t, "emacs", "-nw", example.Note)
			client.start(screen)
			run(screen, "flymake-show-buffer-diagnostics")
			screen.Shows(editortest.Problem, true)
			client.fix(screen)
			screen.Shows("Flymake[0 0]", true)
			screen.Press("C-x", "C-c")
			screen.Ends(append(client.questions, []string{"Save file", "y"})...)
			job.Mended(t)
		})
	}
}

// run runs a command of Emacs.
func run(s *editortest.Screen, command string) {
	s.Press("M-x")
	s.Type(command + "\r")
}
