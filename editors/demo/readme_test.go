package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/memls/memls/editors/example"
)

var shellBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// TestREADME runs every command of the README on the example memory, in
// order. Those that begin with make are for this repository: CI runs them.
func TestREADME(t *testing.T) {
	text := readText(t, "../../README.md")
	bin := buildBinaries(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	repo, err := example.Create(ctx, filepath.Join(t.TempDir(), "memory"))
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, block := range shellBlock.FindAllStringSubmatch(text, -1) {
		for command := range strings.Lines(block[1]) {
			argv := strings.Fields(command)
			if argv[0] == "make" {
				continue
			}
			ran++
			if out, err := repo.Run(ctx, filepath.Join(bin, argv[0]), argv[1:]...); err != nil {
				t.Errorf("%s fails: %v\n%s", strings.TrimSpace(command), err, out)
			}
		}
	}
	if ran == 0 {
		t.Error("the README has no commands")
	}
}

// configs are what the README has lines of to copy, by the language of its block.
var configs = map[string][]string{
	"toml":  {"helix/languages.toml"},
	"elisp": {"emacs/eglot.el"},
	"vim":   {"vim/vim-lsp.vim"},
	"json":  {"kate/settings.json", "sublime/LSP.sublime-settings"},
}

var configBlock = regexp.MustCompile("(?ms)^```(toml|elisp|vim|json)\n(.*?)^```$")

// TestREADMEConfigs finds the README's lines for each editor in the file that
// the test of this editor uses.
func TestREADMEConfigs(t *testing.T) {
	readme := readText(t, "../../README.md")
	for language, names := range configs {
		var blocks []string
		for _, block := range configBlock.FindAllStringSubmatch(readme, -1) {
			if block[1] == language {
				blocks = append(blocks, block[2])
			}
		}
		if len(blocks) != len(names) {
			t.Errorf("the README has %d blocks in %s, want those of %v", len(blocks), language, names)
			continue
		}
		for i, name := range names {
			if config := readText(t, "../"+name); !strings.Contains(config, blocks[i]) {
				t.Errorf("%s does not have the README's lines\n%s\nit is\n%s", name, blocks[i], config)
			}
		}
	}
}

// TestDemo is what make demo runs.
func TestDemo(t *testing.T) {
	bin := buildBinaries(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := run(ctx, bin, filepath.Join(t.TempDir(), "memory")); err != nil {
		t.Error(err)
	}
	if err := turn(ctx, bin, filepath.Join(t.TempDir(), "agent")); err != nil {
		t.Error(err)
	}
}

func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func buildBinaries(t *testing.T) (dir string) {
	dir = t.TempDir()
	build := exec.Command("go", "build", "-o", dir+string(os.PathSeparator), "../../cmd/memls", "../../cmd/memhook", "../../cmd/agentcli")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", build, err, out)
	}
	return dir
}
