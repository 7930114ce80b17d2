package command_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/memls/memls/agentcli/hook/command"
)

// The hook runs the memhook that installed it, whatever its file is called:
// here that of the test.
func TestInstallsItself(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	var stdout, stderr bytes.Buffer
	if code := command.Run(t.Context(), []string{"install", dir}, command.IO{Out: &stdout, Err: &stderr}, "test"); code != 0 {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	hook, err := os.ReadFile(filepath.Join(dir, ".git", "hooks", "pre-commit"))
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(hook, []byte(exe)) {
		t.Errorf("the hook does not run %s:\n%s", exe, hook)
	}
}
