// Package editortest is what the tests of all editors have in common: the
// example memory with its hook, and what must be true once an editor has
// mended it.
package editortest

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memls/memls/editors/example"
)

// What every editor must show of the example, and the quick fix to take.
const (
	Problem  = "missing required index projects/MEMORY.md"
	QuickFix = "Create projects/MEMORY.md"
)

const wantIndex = `# Projects

- [Shop](shop.md) — How payments work
- [Website](website.md) — Stack, hosting and open questions of the website
`

// patience ends a run that hangs; an editor on a busy machine takes seconds.
// It is short enough for two runs to end before go test does, which would not
// clean up.
const patience = 4 * time.Minute

// Need skips the test unless $EDITORS, a list with spaces, names the editor.
// What it names must be installed: make editors-test does both.
func Need(t *testing.T, editor string) {
	t.Helper()
	if !slices.Contains(strings.Fields(os.Getenv("EDITORS")), editor) {
		t.Skipf("not asked for: make editors-test EDITORS=%s", editor)
	}
}

// A Job is the example memory with a commit that the hook has refused, and an
// empty home directory for the editor that is to mend it.
type Job struct {
	Repo *example.Repo
	Home string // absolute; also what the XDG directories are in
	ctx  context.Context
	bin  string
}

// Start builds the binaries, makes the memory and lets the hook refuse.
func Start(t *testing.T) *Job {
	t.Helper()
	bin, err := build(t)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	repo, err := example.Create(ctx, filepath.Join(t.TempDir(), "memory"))
	if err != nil {
		t.Fatal(err)
	}
	j := &Job{Repo: repo, Home: t.TempDir(), ctx: ctx, bin: bin}
	if _, err := repo.Run(ctx, filepath.Join(bin, "memhook"), "install"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.killAll)
	if j.commit() == nil {
		t.Fatal("the hook accepts the commit before the fix")
	}
	return j
}

// build puts memls and memhook into a new directory.
func build(t *testing.T) (dir string, err error) {
	dir = t.TempDir()
	cmd := exec.Command("go", "build", "-o", dir+string(os.PathSeparator),
		"github.com/memls/memls/cmd/memls", "github.com/memls/memls/cmd/memhook")
	cmd.Stderr = t.Output()
	return dir, cmd.Run()
}

func (j *Job) commit() error {
	return j.Repo.Commit(j.ctx, "Remember the projects", "projects")
}

// killAll ends what the editors have left running: some go on without their
// terminal, and some put their servers into sessions of their own. What is of
// this job has its home directory in its environment.
func (j *Job) killAll() {
	home := []byte("HOME=" + j.Home + "\x00")
	for found := true; found; {
		found = false
		environs, _ := filepath.Glob("/proc/[1-9]*/environ")
		for _, name := range environs {
			if environ, _ := os.ReadFile(name); !bytes.Contains(environ, home) {
				continue
			}
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			if process, err := os.FindProcess(pid); err == nil && process.Kill() == nil {
				found = true
			}
		}
	}
}

// Command is a program that runs in the memory, with memls on its PATH and
// nothing of the home directory of whoever runs the test.
func (j *Job) Command(program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(j.ctx, program, args...)
	cmd.Dir = j.Repo.Dir
	cmd.WaitDelay = 5 * time.Second // for children that keep its output open
	cmd.Env = append(j.Repo.Environ(), "HOME="+j.Home, "LANG=C.UTF-8",
		"PATH="+j.bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, name := range []string{"CONFIG", "DATA", "STATE", "CACHE"} {
		cmd.Env = append(cmd.Env, "XDG_"+name+"_HOME="+filepath.Join(j.Home, strings.ToLower(name)))
	}
	return cmd
}

// Configure puts a file of the test's directory where the editor looks for
// it, below Home.
func (j *Job) Configure(t *testing.T, source, target string) {
	t.Helper()
	content, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	target = filepath.Join(j.Home, filepath.FromSlash(target))
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(target, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Mended fails the test unless the index on disk is right and the commit
// passes.
func (j *Job) Mended(t *testing.T) {
	t.Helper()
	got, err := os.ReadFile(j.Repo.Path(example.Index))
	if err != nil || string(got) != wantIndex {
		t.Errorf("the index is %q, %v, want %q", got, err, wantIndex)
	}
	if err := j.commit(); err != nil {
		t.Errorf("the commit is still refused: %v", err)
	}
}
