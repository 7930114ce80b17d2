package gate_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/memls/memls/agentcli/gate"
	"github.com/memls/memls/agentcli/hook/command"
)

// The scripts run real git with the real hook: this test binary stands in for
// memhook.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"memhook": memhook})
}

func memhook() {
	env := gate.Env{Stdin: os.Stdin, Stderr: os.Stderr, Getenv: os.Getenv}
	switch ctx := context.Background(); os.Args[1] {
	case "pre-commit":
		os.Exit(gate.PreCommit(ctx, env))
	case "pre-receive":
		os.Exit(gate.PreReceive(ctx, env))
	default:
		os.Exit(command.Run(ctx, os.Args[1:], command.IO{Out: os.Stdout, Err: os.Stderr}, "test"))
	}
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			config := filepath.Join(env.WorkDir, ".gitconfig")
			return os.WriteFile(config, []byte("[user]\n\tname = T\n\temail = t@example.invalid\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n[commit]\n\tgpgsign = false\n"), 0o600)
		},
	})
}
