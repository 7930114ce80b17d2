// Package archtest keeps the shape of the module: who may import whom, what
// the binaries link, and how long a main.go may be. See CONTRIBUTING.md.
package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/memls/memls"

// topLevel are the directories that may hold packages, each with those of
// this module that it may import from.
var topLevel = map[string][]string{
	"rules":    {"rules"},
	"compile":  {"compile", "rules"},
	"lsp":      {"lsp", "compile", "rules"},
	"agentcli": {"agentcli", "compile", "rules"},
	"cmd":      {"cmd", "lsp", "agentcli", "compile", "rules"},
	"editors":  {"editors", "lsp", "rules"},
}

// linked says what must not come with packages, however deep the import lies.
var linked = []struct {
	packages []string // patterns of go list, below the module
	but      []string // packages that the rule spares
	never    []string // an import path forbids itself and everything below it
	why      string
}{
	{
		packages: []string{"./rules/..."},
		but:      []string{"rules/gitrepo", "rules/difftest", "rules/difftest/oracle"},
		never:    []string{"os/exec", "net/http", "github.com/spf13/cobra", "go.lsp.dev"},
		why:      "rules judge bytes: what runs git is in rules/gitrepo",
	},
	{
		packages: []string{"./rules/gitrepo"},
		never:    []string{"net/http", "github.com/spf13/cobra", "go.lsp.dev", "github.com/go-git/go-git/v5/plumbing/object", "github.com/go-git/go-git/v5/storage"},
		why:      "the hook pays for their start-up",
	},
	{
		packages: []string{"./cmd/memhook"},
		never: []string{"net/http", "github.com/spf13/cobra", "go.lsp.dev", "github.com/yuin/goldmark", "gopkg.in/yaml.v2", "gopkg.in/yaml.v3",
			"golang.org/x/net/html", "github.com/aymanbagabas/go-udiff", module + "/compile"},
		why: "git waits for the hook at every commit, and a refusal needs none of it",
	},
	{
		packages: []string{"./agentcli/gate/...", "./agentcli/hook/..."},
		never:    []string{"net/http", "github.com/spf13/cobra", "go.lsp.dev"},
		why:      "memhook is made of it",
	},
	{
		packages: []string{"./agentcli/memory"},
		never:    []string{"os/exec", "net/http", "github.com/spf13/cobra", "github.com/modelcontextprotocol"},
		why:      "tools change a tree: who asks for it, and what commits it, is above them",
	},
	{
		packages: []string{"./lsp/...", "./cmd/memls"},
		never:    []string{"github.com/spf13/cobra"},
		why:      "the editor starts the server, nobody types its command line",
	},
}

// mainLines bounds a main.go: cmd wires the other packages together.
const mainLines = 150

// A goPackage is what go list tells of one.
type goPackage struct {
	ImportPath   string
	Dir          string
	Name         string
	Imports      []string
	TestImports  []string
	XTestImports []string
	Deps         []string
	GoFiles      []string
}

// local is the path below the module, "" for a foreign package.
func local(importPath string) string {
	rest, ok := strings.CutPrefix(importPath, module+"/")
	if !ok {
		return ""
	}
	return rest
}

func list(t *testing.T, patterns ...string) (packages []goPackage) {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Name,Imports,TestImports,XTestImports,Deps,GoFiles"}, patterns...)...)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, stderr.Bytes())
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return packages
		}
		if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// TestDirection also holds for tests: what a package's tests need it must not
// get from above.
func TestDirection(t *testing.T) {
	for _, p := range list(t, "./...") {
		from, _, _ := strings.Cut(local(p.ImportPath), "/")
		allowed, ok := topLevel[from]
		if !ok {
			t.Errorf("%s: packages belong below one of the directories that CONTRIBUTING.md names", p.ImportPath)
			continue
		}
		for _, imported := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			to, _, _ := strings.Cut(local(imported), "/")
			if to != "" && !slices.Contains(allowed, to) {
				t.Errorf("%s imports %s: %s may import %s", p.ImportPath, imported, from, strings.Join(allowed, ", "))
			}
		}
	}
}

func TestLinked(t *testing.T) {
	for _, rule := range linked {
		for _, p := range list(t, rule.packages...) {
			if slices.Contains(rule.but, local(p.ImportPath)) {
				continue
			}
			for _, dep := range p.Deps {
				for _, never := range rule.never {
					if dep == never || strings.HasPrefix(dep, never+"/") {
						t.Errorf("%s links %s: %s", p.ImportPath, dep, rule.why)
					}
				}
			}
		}
	}
}

func TestCmdIsWiring(t *testing.T) {
	for _, p := range list(t, "./cmd/...") {
		if p.Name != "main" || path.Dir(local(p.ImportPath)) != "cmd" {
			continue
		}
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if lines := bytes.Count(text, []byte("\n")); lines >= mainLines {
				t.Errorf("%s/%s has %d lines: below %d, move the rest to lsp or agentcli", p.ImportPath, name, lines, mainLines)
			}
		}
	}
}

// TestPinned: a newer jsonrpc2 is another protocol library in all but name,
// and go.lsp.dev/protocol does not build with it.
func TestPinned(t *testing.T) {
	const name, want = "go.lsp.dev/jsonrpc2", "v0.10.0"
	cmd := exec.Command("go", "list", "-m", "-f", "{{.Version}}", name)
	out, err := cmd.Output()
	if got := strings.TrimSpace(string(out)); err != nil || got != want {
		t.Errorf("%s is %s, %v, want %s", name, got, err, want)
	}
}
