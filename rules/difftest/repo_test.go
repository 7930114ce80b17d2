package difftest_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/tools/txtar"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/tree"
)

// A file is one path of a generated repository. The text of a symbolic link is
// its target, that of a submodule stands for the commit it is at.
type file struct {
	path string
	mode tree.Mode
	text []byte
}

// A repo is one generated commit: what is staged, over what was committed.
type repo struct {
	policy  config.Policy
	approve bool
	hasHead bool
	files   []file
	head    []file
	// plainConfig is the staged config without the fields that the
	// reference does not know; nil when it has none of them.
	plainConfig []byte
}

func (r *repo) snapshot() rules.Snapshot {
	s := rules.Snapshot{Tree: snapshotTree(r.files), Policy: r.policy, ApproveConfig: r.approve}
	if r.hasHead {
		s.Head = snapshotTree(r.head)
	}
	return s
}

// oid is the object id of the text, or that of the commit it stands for, which
// is not in the repository.
func (f *file) oid() tree.OID {
	if f.mode == tree.Gitlink {
		return tree.HashBlob(append([]byte("commit "), f.text...), 20)
	}
	return tree.HashBlob(f.text, 20)
}

func snapshotTree(files []file) *tree.Tree {
	out := make([]*tree.File, len(files))
	for i, f := range files {
		var content tree.Content = tree.Buffer(f.text)
		if f.mode == tree.Gitlink {
			content = nil
		}
		out[i] = tree.NewFile(f.path, f.mode, f.oid(), content)
	}
	return tree.New(out)
}

// judge returns the lines that refuse the commit.
func (r *repo) judge() ([]string, error) {
	report, err := rules.NewView(r.snapshot()).Judge(context.Background(), rules.Options{RefusalsOnly: true})
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, f := range report.Findings {
		if f.Severity == rules.Error {
			lines = append(lines, f.Line)
		}
	}
	return lines, nil
}

func (r *repo) find(path string) *file {
	if i := slices.IndexFunc(r.files, func(f file) bool { return f.path == path }); i >= 0 {
		return &r.files[i]
	}
	return nil
}

// anyFile reports whether some file, staged or committed, is like that.
func (r *repo) anyFile(like func(file) bool) bool {
	return slices.ContainsFunc(r.files, like) || slices.ContainsFunc(r.head, like)
}

// String is the repository in the form of the golden cases of package rules,
// to be pasted into a file of rules/testdata/cases.
func (r *repo) String() string {
	var head strings.Builder
	fmt.Fprintf(&head, "policy: %s\n", r.policy)
	if r.approve {
		head.WriteString("approve: yes\n")
	}
	ar := &txtar.Archive{Comment: []byte(head.String())}
	for _, f := range r.files {
		ar.Files = append(ar.Files, f.section(""))
	}
	for _, f := range r.head {
		ar.Files = append(ar.Files, f.section("HEAD:"))
	}
	return string(txtar.Format(ar))
}

func (f *file) section(prefix string) txtar.File {
	var attrs []string
	text := f.text
	switch f.mode {
	case tree.Symlink:
		attrs = append(attrs, "symlink")
	case tree.Gitlink:
		attrs = append(attrs, "gitlink")
	case tree.Executable:
		attrs = append(attrs, "exec")
	}
	plain := len(text) == 0 || utf8.Valid(text) && bytes.HasSuffix(text, []byte("\n")) && !bytes.Contains(text, []byte("-- ")) &&
		!bytes.ContainsFunc(text, func(r rune) bool { return r != '\n' && !strconv.IsPrint(r) })
	if !plain && f.mode.IsRegular() {
		attrs = append(attrs, "escaped")
		quoted := strconv.Quote(string(text))
		text = []byte(strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`) + "\n")
	}
	quoted := strconv.Quote(f.path)
	if f.mode == tree.Gitlink {
		text = nil
	}
	name := prefix + quoted[1:len(quoted)-1]
	if len(attrs) > 0 {
		name += " [" + strings.Join(attrs, ",") + "]"
	}
	return txtar.File{Name: name, Data: text}
}
