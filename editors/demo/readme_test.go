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
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	bin := buildBinaries(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	repo, err := example.Create(ctx, filepath.Join(t.TempDir(), "memory"))
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, block := range shellBlock.FindAllSubmatch(text, -1) {
		for command := range strings.Lines(string(block[1])) {
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

func buildBinaries(t *testing.T) (dir string) {
	dir = t.TempDir()
	build := exec.Command("go", "build", "-o", dir+string(os.PathSeparator), "../../cmd/memls", "../../cmd/memhook", "../../cmd/agentcli")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", build, err, out)
	}
	return dir
}
