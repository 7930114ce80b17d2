// Package oracle is for tests: it asks the reference, the validator that Letta
// Code installs as a git hook, what it says of a commit.
package oracle

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A Commit is judged as if it were made now.
type Commit struct {
	Policy  string `json:"policy"`  // as the policy file has it, or the name of the default
	Approve bool   `json:"approve"` // whether a person approves of a change of the config
	// Config is .memfs.config.json without what this version does not know, nil
	// when that is nothing.
	Config []byte `json:"config,omitempty"`
	Files  []File `json:"files"`
	Head   []File `json:"head"` // those of the parent
}

// A File is one entry of a tree.
type File struct {
	Path []byte `json:"path"`
	Mode string `json:"mode"` // of git, six octal digits
	Text []byte `json:"text"`
}

// An Answer is what the reference says of one commit.
type Answer struct {
	Errors []string // the lines that its hook prints
	// Refused is its verdict. It is not always what the errors amount to: git
	// cannot show the reference a submodule.
	Refused bool
}

//go:embed oracle.mjs
var program []byte

// An Oracle is the one node process that judges with the reference. It is for
// one goroutine.
type Oracle struct {
	in  io.WriteCloser
	out *bufio.Reader
}

// Start starts the oracle, which ends with the test. Where Node.js is missing the
// test is skipped, see [Need].
func Start(t testing.TB) *Oracle {
	t.Helper()
	Need(t, "node")
	dir := t.TempDir()
	script, module := filepath.Join(dir, "oracle.mjs"), filepath.Join(dir, "memory-constraints.mjs")
	for name, text := range map[string][]byte{script: program, module: validator(t)} {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("node", script, module)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("oracle.mjs: %v", err)
		}
	})
	return &Oracle{in: in, out: bufio.NewReaderSize(out, 1<<20)}
}

// Judge asks the reference about each commit. It writes and reads at the same
// time, so that neither side waits for the other's full pipe.
func (o *Oracle) Judge(commits []Commit) ([]Answer, error) {
	sent := make(chan error, 1)
	go func() {
		w := bufio.NewWriterSize(o.in, 1<<20)
		enc := json.NewEncoder(w)
		for _, c := range commits {
			if err := enc.Encode(c); err != nil {
				sent <- err
				return
			}
		}
		sent <- w.Flush()
	}()
	answers := make([]Answer, len(commits))
	for i := range answers {
		line, err := o.out.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("oracle.mjs ended before commit %d of %d: %w", i, len(commits), err)
		}
		if err := json.Unmarshal(line, &answers[i]); err != nil {
			return nil, fmt.Errorf("oracle.mjs: %w", err)
		}
	}
	return answers, <-sent
}
