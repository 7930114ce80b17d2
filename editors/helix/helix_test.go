// Package helix_test proves the configuration of this directory in a real
// Helix in a terminal.
package helix_test

import (
	"testing"

	"github.com/memls/memls/editors/editortest"
	"github.com/memls/memls/editors/example"
)

// TestQuickFix opens the note, sees what is wrong, takes the quick fix by
// Helix's own keys, and saves.
func TestQuickFix(t *testing.T) {
	editortest.Need(t, "helix")
	job := editortest.Start(t)
	job.Configure(t, "languages.toml", "config/helix/languages.toml")
	screen := job.Open(t, "hx", example.Note)
	screen.Shows(editortest.Problem, true)
	screen.Press("Space", "a")
	screen.Shows(editortest.QuickFix, true)
	screen.Picture("helix")
	screen.Press("Enter")
	screen.Shows(editortest.QuickFix, false)
	screen.Shows(editortest.Problem, false)
	screen.Type(":wqa\r")
	screen.Ends()
	job.Mended(t)
}
