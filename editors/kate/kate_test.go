// Package kate_test proves the configuration of this directory in a real Kate
// on a screen of its own.
package kate_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/memls/memls/editors/editortest"
	"github.com/memls/memls/editors/example"
)

// TestQuickFix opens the note, sees what is wrong, takes the quick fix by
// Kate's own menu, and saves.
func TestQuickFix(t *testing.T) {
	editortest.Need(t, "kate")
	drive, err := filepath.Abs("testdata/drive.sh")
	if err != nil {
		t.Fatal(err)
	}
	job := editortest.Start(t)
	job.Configure(t, "settings.json", "config/kate/lspclient/settings.json")
	job.Configure(t, "testdata/katerc", "config/katerc")
	runtime := filepath.Join(job.Home, "run") // for sockets
	if err := os.Mkdir(runtime, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := job.Command("xvfb-run", "--auto-servernum", "--server-args=-screen 0 1000x640x24",
		"dbus-run-session", "--", drive, example.Note, editortest.Problem)
	cmd.Env = append(cmd.Env, "XDG_RUNTIME_DIR="+runtime, "QT_QPA_PLATFORM=xcb", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1",
		"PICTURES="+os.Getenv("PICTURES"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("Kate: %v\n%s", err, out)
	}
	job.Mended(t)
}
