package compile_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/memls/memls/compile"
	"github.com/memls/memls/rules/tree"
)

var update = flag.Bool("update", false, "write what the tests find into their golden sections")

// Each txtar file in testdata is a case:
//
//	style: files, layout: v1, skills: yes, agent: ID, conversation: ID,
//	now: TIME, messages: N, system: "a Go string" are options in the comment
//	-- path --              a file of the tree; the path may hold Go escapes
//	-- path [escaped] --    the text is a Go string literal's inside: \r, \xff
//	-- path [symlink] --    the text is the target; [gitlink] likewise
//	-- want --              the prompt
//	-- warnings --          one a line
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			c := loadCase(t, file)
			got, err := compile.Compile(context.Background(), c.tree, c.options)
			if err != nil {
				t.Fatal(err)
			}
			checkParts(t, got)
			if *update {
				c.write(t, file, got)
				return
			}
			if d := cmp.Diff(c.want, got.Text); d != "" {
				t.Errorf("prompt (-want +got):\n%s", d)
			}
			if d := cmp.Diff(c.warnings, warnings(got)); d != "" {
				t.Errorf("warnings (-want +got):\n%s", d)
			}
		})
	}
}

type goldenCase struct {
	archive        *txtar.Archive
	tree           *tree.Tree
	options        compile.Options
	want, warnings string
}

func loadCase(t *testing.T, file string) *goldenCase {
	t.Helper()
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := &goldenCase{archive: ar}
	for line := range strings.Lines(string(ar.Comment)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			c.option(t, key, value)
		}
	}
	var files []*tree.File
	for _, f := range ar.Files {
		switch f.Name {
		case "want":
			c.want = strings.TrimSuffix(string(f.Data), "\n")
		case "warnings":
			c.warnings = string(f.Data)
		default:
			files = append(files, caseFile(t, f))
		}
	}
	c.tree = tree.New(files)
	return c
}

func (c *goldenCase) option(t *testing.T, key, value string) {
	t.Helper()
	var err error
	switch key {
	case "style":
		c.options.Style, err = compile.ParseStyle(value)
	case "layout":
		c.options.Layout = map[string]compile.Layout{"v1": compile.V1, "v2": compile.V2}[value]
	case "skills":
		c.options.Skills = true
	case "agent":
		c.options.AgentID = value
	case "conversation":
		c.options.ConversationID = value
	case "messages":
		c.options.PreviousMessages, err = strconv.Atoi(value)
	case "now":
		c.options.Now, err = time.Parse(time.RFC3339, value)
	case "system":
		c.options.System, err = strconv.Unquote(value)
	}
	if err != nil {
		t.Fatalf("%s: %v", key, err)
	}
}

func caseFile(t *testing.T, f txtar.File) *tree.File {
	t.Helper()
	path, attr, _ := strings.Cut(f.Name, " [")
	if s, err := strconv.Unquote(`"` + path + `"`); err == nil {
		path = s
	}
	data, mode := f.Data, tree.Regular
	switch strings.TrimSuffix(attr, "]") {
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
	}
	return tree.NewFile(path, mode, "", tree.Buffer(data))
}

func warnings(p *compile.Prompt) string {
	var b strings.Builder
	for _, w := range p.Warnings {
		b.WriteString(w.String() + "\n")
	}
	return b.String()
}

func (c *goldenCase) write(t *testing.T, file string, got *compile.Prompt) {
	t.Helper()
	var files []txtar.File
	for _, f := range c.archive.Files {
		if f.Name != "want" && f.Name != "warnings" {
			files = append(files, f)
		}
	}
	files = append(files, txtar.File{Name: "want", Data: []byte(got.Text + "\n")})
	if w := warnings(got); w != "" {
		files = append(files, txtar.File{Name: "warnings", Data: []byte(w)})
	}
	c.archive.Files = files
	if err := os.WriteFile(file, txtar.Format(c.archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// checkParts checks what holds for the parts of every prompt.
func checkParts(t *testing.T, p *compile.Prompt) {
	t.Helper()
	if !utf8.ValidString(p.Text) {
		t.Errorf("prompt is not UTF-8: %q", p.Text)
	}
	end := 0
	for _, part := range p.Parts {
		if part.Offset < end || part.Bytes < 0 || part.Offset+part.Bytes > len(p.Text) {
			t.Fatalf("part %+v: overlaps the one before, which ends at %d, or the end at %d", part, end, len(p.Text))
		}
		end = part.Offset + part.Bytes
		if n := utf8.RuneCountInString(p.Text[part.Offset:end]); n != part.Characters {
			t.Errorf("part %+v: has %d characters", part, n)
		}
		if (part.Path != "") != (part.Kind == compile.PartFile) {
			t.Errorf("part %+v: a file, and only a file, has a path", part)
		}
	}
}
