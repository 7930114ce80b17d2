package main

import (
	"context"
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
)

// learn is what a model does in a turn, so that the demo needs none.
//
//go:embed learn.yaml
var learn []byte

// turn shows an agent's turn in a new memory: a fact is learned, refused for a
// missing index, mended and committed, and stands in the next prompt.
func turn(ctx context.Context, bin, dir string) error {
	bin, err := filepath.Abs(bin)
	if err != nil {
		return err
	}
	scenario := filepath.Join(filepath.Dir(dir), "learn.yaml")
	if err := os.WriteFile(scenario, learn, 0o644); err != nil {
		return err
	}
	for _, s := range []struct {
		shown string
		args  []string
	}{
		{`agentcli init agent --block "persona=You are Ada's assistant."`, []string{"init", dir, "--block", "persona=You are Ada's assistant."}},
		{"agentcli compile", []string{"-C", dir, "compile"}},
		{`agentcli turn --model script/learn.yaml "I use pnpm, never npm."`, []string{"-C", dir, "turn", "--model", "script/" + scenario, "I use pnpm, never npm."}},
		{"agentcli compile", []string{"-C", dir, "compile"}},
	} {
		step(s.shown)
		out, err := exec.CommandContext(ctx, filepath.Join(bin, "agentcli"), s.args...).CombinedOutput()
		indent(string(out))
		if err != nil {
			return err
		}
	}
	return nil
}
