// Package neovim_test proves the plugin of this directory in a real Neovim
// without a screen.
package neovim_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memls/memls/editors/editortest"
	"github.com/memls/memls/editors/example"
)

// programs are the Neovims to test: that of the system, and the later ones
// that .ci/install-tools unpacks. $NVIM, when set, is tested in their place.
var programs = []struct{ program, editor string }{
	{"nvim", "neovim"},         // 0.7 in Debian 12: without documentChanges, pushed diagnostics
	{"nvim-trixie", "neovim"},  // 0.10: pulls diagnostics
	{"nvim-sid", "neovim-sid"}, // 0.12: vim.lsp.config, UTF-8 positions
}

func TestNeovim(t *testing.T) {
	if nvim := os.Getenv("NVIM"); nvim != "" {
		testNeovim(t, nvim)
		return
	}
	for _, p := range programs {
		t.Run(p.program, func(t *testing.T) {
			editortest.Need(t, p.editor)
			testNeovim(t, p.program)
		})
	}
}

func testNeovim(t *testing.T, nvim string) {
	job := editortest.Start(t)
	t.Run("health", func(t *testing.T) {
		if report := checkHealth(t, job, nvim); !strings.Contains(report, "git is ") || strings.Contains(report, "ERROR") {
			t.Errorf("with memls, :checkhealth says\n%s", report)
		}
		report := checkHealth(t, job, nvim, "PATH="+t.TempDir())
		if want := "memls is not on the PATH"; !strings.Contains(report, want) {
			t.Errorf("without memls, :checkhealth says\n%s\nwant %q", report, want)
		}
	})
	// What a person does: the commit is refused; open the file, take the quick
	// fix, write, commit again.
	t.Run("quick fix", func(t *testing.T) {
		cmd := job.Command(nvim, args(t, "-S", "testdata/drive.lua", job.Repo.Path(example.Note))...)
		cmd.Env = append(cmd.Env, "DRIVE_FIX="+editortest.QuickFix)
		out := output(t, cmd)
		if want := "diagnostic 1:1: memls [index-chain] " + editortest.Problem; !strings.Contains(out, want) {
			t.Errorf("Neovim does not show %q", want)
		}
		job.Mended(t)
	})
}

// checkHealth returns the report of :checkhealth.
func checkHealth(t *testing.T, job *editortest.Job, nvim string, environ ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report")
	cmd := job.Command(nvim, args(t, "-c", "checkhealth memls", "-c", "write! "+file, "-c", "qall!")...)
	cmd.Env = append(cmd.Env, environ...)
	output(t, cmd)
	report, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(report)
}

// args start Neovim with the plugin of this directory and nothing else; rest
// may name files of it.
func args(t *testing.T, rest ...string) []string {
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for i, arg := range rest {
		if strings.HasPrefix(arg, "testdata/") {
			rest[i] = filepath.Join(here, arg)
		}
	}
	return append([]string{"--headless", "-n", "-i", "NONE", "-u", "NORC", "--cmd", "set runtimepath^=" + here}, rest...)
}

func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	t.Logf("%s says:\n%s", cmd.Path, out)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
