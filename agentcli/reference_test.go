package agentcli_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/memls/memls/rules/difftest/oracle"
)

// What init makes is accepted by the reference as well, judged as its hook
// judges a commit.
func TestReferenceAcceptsWhatInitMakes(t *testing.T) {
	o := oracle.Start(t)
	for _, c := range faultCases {
		t.Run(c.name, func(t *testing.T) {
			s := newSandbox(t)
			c.prepare(s)
			if out, err := s.exec(&c, ""); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			// Who runs init approves of the config.
			s.mustAccept(o, c.repo, true, "HEAD")
		})
	}
}

// mustAccept fails for each commit that the reference would refuse if it were
// made now on top of its parent.
func (s *sandbox) mustAccept(o *oracle.Oracle, repo string, approve bool, commits ...string) {
	s.Helper()
	blobs := map[string][]byte{}
	asked := make([]oracle.Commit, len(commits))
	for i, commit := range commits {
		asked[i] = oracle.Commit{Policy: "root-marker", Approve: approve, Files: s.oracleFiles(repo, commit, blobs), Head: []oracle.File{}}
		if _, err := s.run(repo, nil, "git", "rev-parse", "--verify", commit+"^"); err == nil {
			asked[i].Head = s.oracleFiles(repo, commit+"^", blobs)
		}
		asked[i].Config = s.oracleConfig(asked[i].Files)
	}
	answers, err := o.Judge(asked)
	if err != nil {
		s.Fatal(err)
	}
	for i, a := range answers {
		if a.Refused || len(a.Errors) > 0 {
			s.Errorf("the reference says: %q\n%s", a.Errors, s.must(repo, "git", "show", commits[i]))
		}
	}
}

// oracleConfig is the config without readOnlyFiles, which that version does not
// know.
func (s *sandbox) oracleConfig(files []oracle.File) []byte {
	s.Helper()
	for _, f := range files {
		if string(f.Path) != ".memfs.config.json" {
			continue
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(f.Text, &fields); err != nil {
			s.Fatal(err)
		}
		delete(fields, "readOnlyFiles")
		text, err := json.Marshal(fields)
		if err != nil {
			s.Fatal(err)
		}
		return text
	}
	return nil
}

// oracleFiles are the files of a commit. Texts are kept in blobs.
func (s *sandbox) oracleFiles(repo, commit string, blobs map[string][]byte) []oracle.File {
	s.Helper()
	files := []oracle.File{}
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
		files = append(files, oracle.File{Path: []byte(path), Mode: words[0], Text: blobs[oid]})
	}
	return files
}
