package memory_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/memls/memls/agentcli/memory"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/parsers"
	"github.com/memls/memls/rules/tree"
)

var update = flag.Bool("update", false, "write what the tools answer into the cases")

// TestContract plays the cases of testdata: a memory, then calls of tools, each
// with the text that the model gets. What has changed in the end comes last.
//
// Files of the memory are named "file PATH", symbolic links "link PATH", calls
// "call TOOL", answers "result" and "error". "options" is JSON.
func TestContract(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatal("there are no cases", err)
	}
	for _, name := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, a)
			if *update {
				if err := os.WriteFile(name, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(txtar.Format(a)), string(txtar.Format(got))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// play is the case with the answers that the tools really give.
func play(t *testing.T, a *txtar.Archive) *txtar.Archive {
	out := &txtar.Archive{Comment: a.Comment}
	var files []*tree.File
	var opt memory.Options
	var w *memory.Workspace
	for _, f := range a.Files {
		kind, name, _ := strings.Cut(f.Name, " ")
		switch kind {
		case "file":
			files = append(files, file(name, string(f.Data)))
		case "link":
			files = append(files, tree.NewFile(name, tree.Symlink, "", tree.Buffer(strings.TrimSpace(string(f.Data)))))
		case "options":
			if err := json.Unmarshal(f.Data, &opt); err != nil {
				t.Fatal(err)
			}
		case "call":
			if w == nil {
				w = memory.New(snapshot(files...), opt)
			}
			out.Files = append(out.Files, f)
			text, isError := w.Call(t.Context(), name, string(f.Data))
			f = txtar.File{Name: "result", Data: []byte(text + "\n")}
			if isError {
				f.Name = "error"
			}
		case "result", "error", "changed", "deleted":
			continue
		default:
			t.Fatalf("what is %q?", f.Name)
		}
		out.Files = append(out.Files, f)
	}
	for _, c := range w.Changes() {
		if c.After == nil {
			out.Files = append(out.Files, txtar.File{Name: "deleted " + c.Path})
			continue
		}
		out.Files = append(out.Files, txtar.File{Name: "changed " + c.Path, Data: []byte(text(t, c.After))})
	}
	return out
}

func text(t *testing.T, f *tree.File) string {
	t.Helper()
	b, err := f.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func file(path, text string) *tree.File {
	return tree.NewFile(path, tree.Regular, "", tree.Buffer(text))
}

func snapshot(files ...*tree.File) rules.Snapshot {
	t := tree.New(files)
	return rules.Snapshot{Tree: t, Parsers: parsers.New(), Policy: rules.PolicyFor(config.LegacyOnly, false, t)}
}

// input is a JSON object of the pairs.
func input(pairs ...any) string {
	object := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		object[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	b, _ := json.Marshal(object)
	return string(b)
}
