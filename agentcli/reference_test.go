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
			// Who runs init approves of the config.
			if verdict := s.reference(module, c.repo, true, "HEAD")[0]; verdict != accepts {
				t.Errorf("the reference says: %s", verdict)
			}
		})
	}
}

// accepts is the verdict of the oracle on a commit that it lets pass.
const accepts = `{"errors":[],"refused":false}`

// reference is what the oracle says of each commit, as if it were made now on
// top of its parent.
func (s *sandbox) reference(module, repo string, approve bool, commits ...string) (verdicts []string) {
	s.Helper()
	blobs := map[string][]byte{}
	var questions []byte
	for _, commit := range commits {
		q := question{Policy: "root-marker", Approve: approve, Files: s.questionFiles(repo, commit, blobs), Head: []questionFile{}}
		if _, err := s.run(repo, nil, "git", "rev-parse", "--verify", commit+"^"); err == nil {
			q.Head = s.questionFiles(repo, commit+"^", blobs)
		}
		q.setConfig(s.T)
		line, err := json.Marshal(q)
		if err != nil {
			s.Fatal(err)
		}
		questions = append(append(questions, line...), '\n')
	}
	cmd := exec.CommandContext(s.Context(), "node", filepath.Join("..", "rules", "difftest", "oracle.mjs"), module)
	cmd.Stdin = bytes.NewReader(questions)
	out, err := cmd.CombinedOutput()
	verdicts = strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(verdicts) != len(commits) {
		s.Fatalf("the oracle: %v\n%s", err, out)
	}
	return verdicts
}

// A question is a commit as a line for the oracle.
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

// setConfig gives the config without readOnlyFiles, which that version does
// not know.
func (q *question) setConfig(t *testing.T) {
	t.Helper()
	for _, f := range q.Files {
		if string(f.Path) != ".memfs.config.json" {
			continue
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(f.Text, &fields); err != nil {
			t.Fatal(err)
		}
		delete(fields, "readOnlyFiles")
		q.Config, _ = json.Marshal(fields)
	}
}

// questionFiles are the files of a commit. Texts are kept in blobs.
func (s *sandbox) questionFiles(repo, commit string, blobs map[string][]byte) []questionFile {
	s.Helper()
	files := []questionFile{}
	for record := range strings.SplitSeq(strings.TrimSuffix(s.must(repo, "git", "ls-tree", "-r", "-z", commit), "\x00"), "\x00") {
		about, path, _ := strings.Cut(record, "\t")
		words := strings.Fields(about) // mode, kind, object
		if len(words) != 3 {
			s.Fatalf("git ls-tree: %q", record)
		}
		oid := words[2]
		if blobs[oid] == nil {
			blobs[oid] = []byte(s.must(repo, "git", "cat-file", "blob", oid))
		}
		files = append(files, questionFile{[]byte(path), words[0], blobs[oid]})
	}
	return files
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
