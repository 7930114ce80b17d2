// Package difftest_test compares the engine with the reference, the validator
// that Letta Code installs as a git hook: random repositories must be accepted
// or refused alike, with the same lines. See exceptions_test.go for what is
// meant to differ.
package difftest_test

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const referenceName = "@letta-ai/letta-code"

//go:embed package.json
var packageJSON []byte

// referenceModule returns the reference's validator as a file that node can
// import. The tarball is fetched once and kept in .reference; each run checks
// it against the integrity that package.json pins.
func referenceModule(t *testing.T) string {
	t.Helper()
	var pin struct {
		DevDependencies map[string]string
		Integrity       string
	}
	if err := json.Unmarshal(packageJSON, &pin); err != nil {
		t.Fatal(err)
	}
	version := pin.DevDependencies[referenceName]
	tarball := filepath.Join(".reference", "letta-ai-letta-code-"+version+".tgz")
	if _, err := os.Stat(tarball); err != nil {
		needTool(t, "npm")
		if err := os.MkdirAll(".reference", 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("npm", "pack", "--silent", "--pack-destination", ".reference", referenceName+"@"+version)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("fetching the reference: %s: %v\n%s", cmd, err, out)
		}
	}
	data, err := os.ReadFile(tarball)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha512.Sum512(data)
	if got := "sha512-" + base64.StdEncoding.EncodeToString(sum[:]); got != pin.Integrity {
		t.Fatalf("%s is not what package.json pins: delete it and try again\n got %s\nwant %s", tarball, got, pin.Integrity)
	}
	module := filepath.Join(t.TempDir(), "memory-constraints.mjs")
	if err := os.WriteFile(module, unpack(t, data, "package/dist/memory-constraints.js"), 0o644); err != nil {
		t.Fatal(err)
	}
	return module
}

// unpack returns one file of a .tgz.
func unpack(t *testing.T, tgz []byte, name string) []byte {
	t.Helper()
	zr, err := gzip.NewReader(bytes.NewReader(tgz))
	if err != nil {
		t.Fatal(err)
	}
	for tr := tar.NewReader(zr); ; {
		h, err := tr.Next()
		if err != nil {
			t.Fatalf("the reference has no %s: %v", name, err)
		}
		if h.Name != name {
			continue
		}
		data, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
}

// needTool skips the test where a tool is not installed, except in CI, where a
// comparison that does not run must not look like one that passes.
func needTool(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err == nil {
		return
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is not installed: the comparison with the reference cannot run", name)
	}
	t.Skipf("%s is not installed: install Node.js to compare with the reference", name)
}

// An oracle is the one node process that judges with the reference.
type oracle struct {
	in  io.WriteCloser
	out *bufio.Reader
}

func startOracle(t *testing.T) *oracle {
	t.Helper()
	needTool(t, "node")
	cmd := exec.Command("node", "oracle.mjs", referenceModule(t))
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
	return &oracle{in: in, out: bufio.NewReaderSize(out, 1<<20)}
}

// An answer is what the reference says of one repository.
type answer struct {
	Errors []string // the lines that its hook prints
	// Refused is its verdict. It is not always what the errors amount to: see
	// the exception about submodules.
	Refused bool
}

// judge asks the reference about each repository. It writes and reads
// at the same time, so that neither side waits for the other's full pipe.
func (o *oracle) judge(repos []*repo) ([]answer, error) {
	sent := make(chan error, 1)
	go func() {
		w := bufio.NewWriterSize(o.in, 1<<20)
		enc := json.NewEncoder(w)
		for _, r := range repos {
			if err := enc.Encode(r.question()); err != nil {
				sent <- err
				return
			}
		}
		sent <- w.Flush()
	}()
	answers := make([]answer, len(repos))
	for i := range answers {
		line, err := o.out.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("oracle.mjs ended before repository %d of %d: %w", i, len(repos), err)
		}
		if err := json.Unmarshal(line, &answers[i]); err != nil {
			return nil, fmt.Errorf("oracle.mjs: %w", err)
		}
	}
	return answers, <-sent
}

type question struct {
	Policy  string         `json:"policy"`
	Approve bool           `json:"approve"`
	Config  []byte         `json:"config,omitempty"`
	Files   []questionFile `json:"files"`
	Head    []questionFile `json:"head"`
}

type questionFile struct {
	Path []byte `json:"path"`
	Mode string `json:"mode"`
	Text []byte `json:"text"`
}

func (r *repo) question() question {
	return question{
		Policy: string(r.policy), Approve: r.approve,
		Config: r.plainConfig, Files: questionFiles(r.files), Head: questionFiles(r.head),
	}
}

func questionFiles(files []file) []questionFile {
	out := make([]questionFile, len(files))
	for i, f := range files {
		out[i] = questionFile{Path: []byte(f.path), Mode: fmt.Sprintf("%06o", f.mode), Text: append([]byte{}, f.text...)}
	}
	return out
}
