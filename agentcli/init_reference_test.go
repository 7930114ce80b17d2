package agentcli_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What init makes is accepted by the reference as well, judged as its hook
// judges a commit. Package difftest has the oracle and its version.
func TestReferenceAcceptsWhatInitMakes(t *testing.T) {
	module := referenceModule(t)
	for _, c := range faultCases {
		t.Run(c.name, func(t *testing.T) {
			s := newSandbox(t)
			c.prepare(s)
			if out, err := s.exec(&c, ""); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			cmd := exec.CommandContext(t.Context(), "node", filepath.Join("..", "rules", "difftest", "oracle.mjs"), module)
			cmd.Stdin = bytes.NewReader(s.question(c.repo))
			out, err := cmd.CombinedOutput()
			if got := strings.TrimSpace(string(out)); err != nil || got != `{"errors":[],"refused":false}` {
				t.Errorf("the reference: %v\n%s", err, got)
			}
		})
	}
}

// question is the last commit of a repository as a line for the oracle. The
// config is without readOnlyFiles, which that version does not know.
func (s *sandbox) question(repo string) []byte {
	type file struct {
		Path []byte `json:"path"`
		Mode string `json:"mode"`
		Text []byte `json:"text"`
	}
	q := struct {
		Policy  string `json:"policy"`
		Approve bool   `json:"approve"`
		Config  []byte `json:"config,omitempty"`
		Files   []file `json:"files"`
		Head    []file `json:"head"`
	}{Policy: "root-marker", Approve: true, Files: []file{}, Head: []file{}}
	for path := range strings.SplitSeq(strings.Trim(s.must(repo, "git", "ls-files", "-z"), "\x00"), "\x00") {
		text := []byte(s.must(repo, "git", "cat-file", "blob", "HEAD:"+path))
		q.Files = append(q.Files, file{[]byte(path), "100644", text})
		if path != ".memfs.config.json" {
			continue
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(text, &fields); err != nil {
			s.Fatal(err)
		}
		delete(fields, "readOnlyFiles")
		q.Config, _ = json.Marshal(fields)
	}
	line, err := json.Marshal(q)
	if err != nil {
		s.Fatal(err)
	}
	return append(line, '\n')
}

// referenceModule is the reference's validator as a file that node can import.
// It is skipped where it cannot be had, except in CI.
func referenceModule(t *testing.T) string {
	t.Helper()
	skip := t.Skipf
	if os.Getenv("CI") != "" {
		skip = t.Fatalf
	}
	if _, err := exec.LookPath("node"); err != nil {
		skip("node is not installed: install Node.js to compare with the reference")
	}
	difftest := filepath.Join("..", "rules", "difftest")
	var pin struct {
		DevDependencies map[string]string
		Integrity       string
	}
	text, err := os.ReadFile(filepath.Join(difftest, "package.json"))
	if err == nil {
		err = json.Unmarshal(text, &pin)
	}
	if err != nil {
		t.Fatal(err)
	}
	const name = "@letta-ai/letta-code"
	tarball := fmt.Sprintf("letta-ai-letta-code-%s.tgz", pin.DevDependencies[name])
	tgz, err := os.ReadFile(filepath.Join(difftest, ".reference", tarball))
	if err != nil {
		dir := t.TempDir()
		cmd := exec.CommandContext(t.Context(), "npm", "pack", "--silent", "--pack-destination", dir, name+"@"+pin.DevDependencies[name])
		if out, err := cmd.CombinedOutput(); err != nil {
			skip("cannot fetch the reference: %v\n%s", err, out)
		}
		if tgz, err = os.ReadFile(filepath.Join(dir, tarball)); err != nil {
			t.Fatal(err)
		}
	}
	if sum := sha512.Sum512(tgz); "sha512-"+base64.StdEncoding.EncodeToString(sum[:]) != pin.Integrity {
		t.Fatalf("%s is not what package.json of difftest pins", tarball)
	}
	zr, err := gzip.NewReader(bytes.NewReader(tgz))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(zr); ; {
		h, err := r.Next()
		if err != nil {
			t.Fatalf("the reference has no validator: %v", err)
		}
		if h.Name != "package/dist/memory-constraints.js" {
			continue
		}
		code, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		module := filepath.Join(t.TempDir(), "memory-constraints.mjs")
		if err := os.WriteFile(module, code, 0o644); err != nil {
			t.Fatal(err)
		}
		return module
	}
}
