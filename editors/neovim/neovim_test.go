// Package neovim_test proves the configurations of this directory in a real
// Neovim without a screen.
package neovim_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memls/memls/editors/example"
)

const wantIndex = `# Projects

- [Shop](shop.md) — How payments work
- [Website](website.md) — Stack, hosting and open questions of the website
`

// TestQuickFix does what a person does: commit, read the refusal, open the
// file, take the quick fix, write, commit again.
func TestQuickFix(t *testing.T) {
	nvim, minor := findNeovim(t)
	bin := buildBinaries(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // without the build
	defer cancel()
	repo, err := example.Create(ctx, filepath.Join(t.TempDir(), "memory"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := repo.Run(ctx, filepath.Join(bin, "memhook"), "install"); err != nil {
		t.Fatal(err)
	}
	if err := repo.Commit(ctx, "Remember the projects", "projects"); err == nil {
		t.Fatal("the hook accepts the commit before the fix")
	}

	cmd := exec.CommandContext(ctx, nvim, neovimArgs(t, minor, repo.Path(example.Note))...)
	cmd.Dir = repo.Dir
	cmd.Env = append(repo.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "DRIVE_FIX=Create projects/MEMORY.md")
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
		cmd.Env = append(cmd.Env, name+"="+home)
	}
	out, err := cmd.CombinedOutput()
	t.Logf("Neovim 0.%d says:\n%s", minor, out)
	if err != nil {
		t.Fatalf("%s: %v", nvim, err)
	}
	if want := "diagnostic 1:1: memls [index-chain] missing required index projects/MEMORY.md"; !strings.Contains(string(out), want) {
		t.Errorf("Neovim does not show %q", want)
	}

	got, err := os.ReadFile(repo.Path("projects/MEMORY.md"))
	if err != nil || string(got) != wantIndex {
		t.Errorf("the index is %q, %v, want %q", got, err, wantIndex)
	}
	if err := repo.Commit(ctx, "Remember the projects", "projects"); err != nil {
		t.Errorf("the commit is still refused: %v", err)
	}
}

// neovimArgs opens file with the configuration that this directory has for
// the version, as its users install it.
func neovimArgs(t *testing.T, minor int, file string) []string {
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"--headless", "-n", "-i", "NONE"}
	if minor >= 11 {
		args = append(args, "-u", "NORC", "--cmd", "set runtimepath^="+here, "--cmd", "lua vim.lsp.enable('memls')")
	} else {
		args = append(args, "-u", filepath.Join(here, "memls.lua"))
	}
	return append(args, "-S", filepath.Join(here, "testdata", "drive.lua"), file)
}

var versionLine = regexp.MustCompile(`^NVIM v0\.(\d+)\.`)

// findNeovim returns $NVIM, or nvim on the PATH, and the minor version of its
// 0.x. Without one the test is not run, except in CI.
func findNeovim(t *testing.T) (program string, minor int) {
	program = os.Getenv("NVIM")
	if program == "" {
		found, err := exec.LookPath("nvim")
		switch {
		case err == nil:
			program = found
		case os.Getenv("CI") != "":
			t.Fatal("nvim is not installed: the editor test cannot run")
		default:
			t.Skip("nvim is not installed: make test installs it where it can")
		}
	}
	out, err := exec.Command(program, "--version").Output()
	if err != nil {
		t.Fatalf("%s --version: %v", program, err)
	}
	m := versionLine.FindSubmatch(out)
	if m == nil {
		t.Fatalf("%s --version says %q, want NVIM v0.7 or later", program, out)
	}
	minor, err = strconv.Atoi(string(m[1]))
	if err != nil {
		t.Fatal(err)
	}
	return program, minor
}

// buildBinaries builds memls and memhook into a directory.
func buildBinaries(t *testing.T) (dir string) {
	dir = t.TempDir()
	cmd := exec.Command("go", "build", "-o", dir+string(os.PathSeparator), "../../cmd/memls", "../../cmd/memhook")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatal(fmt.Errorf("%s: %w\n%s", cmd, err, out))
	}
	return dir
}
