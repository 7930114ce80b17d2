package rules_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/parsers"
	"github.com/memls/memls/rules/tree"
)

var update = flag.Bool("update", false, "write what the tests find into their golden sections")

// A case is one txtar file in testdata/cases:
//
//	policy: root-marker     (the default), approve: yes, committed: yes,
//	unfinished: merge, staged-differs: PATH… are settings in the comment
//	-- path --              a file of the tree that is judged
//	-- HEAD:path --         a file of the last commit
//	-- STAGED:path --       a file of the index, where the tree is a working tree
//	-- path [escaped] --    the text is a Go string literal's inside: \r, \xff
//	-- path [symlink] --    the text is the target; [gitlink], [exec] likewise
//	-- want --              path:line:column severity rule: message
//	-- fixed:path --        the file after every safe fix; `fixed:path [gone]`
//
// HEAD:* (a file named "HEAD:*" with empty text) takes the tree itself as the
// last commit.
type testCase struct {
	snapshot rules.Snapshot
	want     string
	fixed    map[string]string
	archive  *txtar.Archive
}

func loadCase(t *testing.T, file string) *testCase {
	t.Helper()
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := &testCase{archive: ar, fixed: map[string]string{}}
	c.snapshot.Policy, c.snapshot.Parsers = config.RootMarker, parsers.New()
	for line := range strings.Lines(string(ar.Comment)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "policy":
			c.snapshot.Policy, _ = config.ParsePolicy(value)
		case "approve":
			c.snapshot.ApproveConfig = true
		case "committed":
			c.snapshot.Committed = true
		case "unfinished":
			c.snapshot.Unfinished = value
		}
	}
	var files, head, staged []*tree.File
	same, hasHead, hasStaged := false, false, false
	for _, f := range ar.Files {
		name, attr, _ := strings.Cut(f.Name, " [")
		attr = strings.TrimSuffix(attr, "]")
		switch {
		case name == "want":
			c.want = string(f.Data)
			continue
		case name == "HEAD:*":
			same = true
			continue
		case strings.HasPrefix(name, "fixed:"):
			c.fixed[f.Name] = string(f.Data)
			continue
		}
		list := &files
		if rest, ok := strings.CutPrefix(name, "HEAD:"); ok {
			name, list, hasHead = rest, &head, true
		} else if rest, ok := strings.CutPrefix(name, "STAGED:"); ok {
			name, list, hasStaged = rest, &staged, true
		}
		*list = append(*list, caseFile(t, name, attr, f.Data))
	}
	c.snapshot.Tree = tree.New(files)
	if hasHead {
		c.snapshot.Head = tree.New(head)
	}
	if same {
		c.snapshot.Head = c.snapshot.Tree
	}
	if hasStaged {
		c.snapshot.Staged = tree.New(staged)
	}
	return c
}

func caseFile(t *testing.T, path, attr string, data []byte) *tree.File {
	t.Helper()
	if s, err := strconv.Unquote(`"` + path + `"`); err == nil {
		path = s
	}
	mode := tree.Regular
	unmerged, intent := false, false
	for _, a := range strings.Split(attr, ",") {
		switch a {
		case "escaped":
			s, err := strconv.Unquote(`"` + strings.TrimSuffix(string(bytes.ReplaceAll(data, []byte(`"`), []byte(`\"`))), "\n") + `"`)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			data = []byte(s)
		case "symlink":
			mode, data = tree.Symlink, bytes.TrimSuffix(data, []byte("\n"))
		case "gitlink":
			return tree.NewFile(path, tree.Gitlink, "", nil)
		case "exec":
			mode = tree.Executable
		case "unmerged":
			unmerged = true
		case "intent":
			intent = true
		case "":
		default:
			t.Fatalf("%s: unknown attribute %q", path, a)
		}
	}
	f := tree.NewFile(path, mode, tree.HashBlob(data, 20), tree.Buffer(data))
	f.Unmerged, f.IntentToAdd = unmerged, intent
	return f
}

func render(t *testing.T, v *rules.View, fs []rules.Finding) string {
	t.Helper()
	var b strings.Builder
	for _, f := range fs {
		place := ""
		if file := v.Tree.File(f.Path); file != nil && file.Mode.IsRegular() {
			src, err := file.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			r := f.RangeIn(src)
			place = fmt.Sprintf(":%d:%d-%d:%d", r.Start.Line, r.Start.Column, r.End.Line, r.End.Column)
		}
		fmt.Fprintf(&b, "%s%s %s %s: %s\n", rules.Display(f.Path), place, f.Severity, f.Rule.ID, rules.Printable(f.Message))
	}
	return b.String()
}

func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			c := loadCase(t, file)
			v := rules.NewView(c.snapshot)
			report, err := v.Judge(context.Background(), rules.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := render(t, v, report.Findings)
			result, err := v.FixAll(context.Background(), nil)
			if err != nil {
				t.Fatal(err)
			}
			fixed := renderFixed(t, result)
			if *update {
				writeGolden(t, file, c, got, fixed)
				return
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("findings (-want +got):\n%s", d)
			}
			if d := cmp.Diff(c.fixed, fixed); d != "" {
				t.Errorf("after the safe fixes (-want +got):\n%s", d)
			}
		})
	}
}

func renderFixed(t *testing.T, r *rules.FixResult) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, c := range r.Changes {
		name := "fixed:" + strings.Trim(strconv.Quote(c.Path), `"`)
		if c.After == nil {
			out[name+" [gone]"] = ""
			continue
		}
		src, err := c.After.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		text := string(src)
		if strings.Contains(text, "\r") || !strings.HasSuffix(text, "\n") {
			name, text = name+" [escaped]", strings.ReplaceAll(strings.Trim(strconv.Quote(text), `"`), `\"`, `"`)+"\n"
		}
		out[name] = text
	}
	return out
}

func writeGolden(t *testing.T, file string, c *testCase, want string, fixed map[string]string) {
	t.Helper()
	ar := &txtar.Archive{Comment: c.archive.Comment}
	for _, f := range c.archive.Files {
		if f.Name != "want" && !strings.HasPrefix(f.Name, "fixed:") {
			ar.Files = append(ar.Files, f)
		}
	}
	ar.Files = append(ar.Files, txtar.File{Name: "want", Data: []byte(want)})
	for _, name := range sortedKeys(fixed) {
		ar.Files = append(ar.Files, txtar.File{Name: name, Data: []byte(fixed[name])})
	}
	if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
		t.Fatal(err)
	}
}
