// Package vim_test proves the configurations of this directory in a real Vim
// in a terminal.
package vim_test

import (
	"path/filepath"
	"testing"

	"github.com/memls/memls/editors/editortest"
	"github.com/memls/memls/editors/example"
)

// TestQuickFix opens the note, sees what is wrong, takes the quick fix by the
// plugin's own command, and saves.
func TestQuickFix(t *testing.T) {
	editortest.Need(t, "vim")
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, plugin := range []struct {
		name    string // of its vimrc in testdata
		command string
		talk    [][2]string // a question, and the answer to type
	}{
		{"ale", "ALECodeAction", [][2]string{{"1) " + editortest.QuickFix, "1\r"}}},
		{"ycm", "YcmCompleter FixIt", [][2]string{{"1: " + editortest.QuickFix, "1\r"}, {"[O]k", "o"}}},
	} {
		t.Run(plugin.name, func(t *testing.T) {
			job := editortest.Start(t)
			screen := job.Open(t, "vim.nox", "-N", "-n", "-i", "NONE", "--cmd", "set runtimepath+="+here,
				"-u", filepath.Join(here, "testdata", plugin.name+".vim"), example.Note)
			screen.Shows(editortest.Problem, true)
			if plugin.name == "ale" {
				screen.Picture("vim")
			}
			screen.Type(":" + plugin.command + "\r")
			for _, turn := range plugin.talk {
				screen.Shows(turn[0], true)
				screen.Type(turn[1])
			}
			screen.Shows(plugin.talk[len(plugin.talk)-1][0], false)
			screen.Shows(editortest.Problem, false)
			screen.Type(":wqall\r")
			screen.Ends()
			job.Mended(t)
		})
	}
}
