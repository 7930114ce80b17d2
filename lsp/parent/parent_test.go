package parent_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/memls/memls/lsp/parent"
)

// TestMain lets the test binary play the editor: it lives until its input ends.
func TestMain(m *testing.M) {
	if os.Getenv("PARENT_TEST_CHILD") != "" {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestWaitEndsWithTheProcess(t *testing.T) {
	editor := exec.Command(os.Args[0])
	editor.Env = append(os.Environ(), "PARENT_TEST_CHILD=1")
	stdin, err := editor.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := editor.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- parent.Wait(t.Context(), editor.Process.Pid) }()
	select {
	case err := <-done:
		t.Fatalf("Wait = %v while the process is alive", err)
	default:
	}
	stdin.Close()
	if err := editor.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("Wait = %v, want nil", err)
	}
	if err := parent.Wait(t.Context(), editor.Process.Pid); err != nil {
		t.Errorf("Wait for a process that is gone = %v, want nil", err)
	}
}

func TestWaitEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- parent.Wait(ctx, os.Getpid()) }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Wait = %v, want context.Canceled", err)
	}
}
