package agentcli_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A sandbox is a directory with programs that know nothing of this machine.
type sandbox struct {
	*testing.T
	dir string
	env []string
}

func newSandbox(t *testing.T) *sandbox {
	dir := t.TempDir()
	config := filepath.Join(dir, "gitconfig")
	if err := os.WriteFile(config, []byte(gitConfig), 0o644); err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	return &sandbox{T: t, dir: work, env: append(os.Environ(),
		"HOME="+dir, "XDG_CONFIG_HOME="+dir, "GIT_CONFIG_GLOBAL="+config, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_CEILING_DIRECTORIES="+work)}
}

// run runs a program in a directory of the sandbox.
func (s *sandbox) run(dir string, env []string, name string, args ...string) (out string, err error) {
	cmd := exec.CommandContext(s.Context(), name, args...)
	cmd.Dir, cmd.Env = filepath.Join(s.dir, dir), append(s.env[:len(s.env):len(s.env)], env...)
	b, err := cmd.CombinedOutput()
	return string(b), err
}

func (s *sandbox) must(dir, name string, args ...string) string {
	s.Helper()
	out, err := s.run(dir, nil, name, args...)
	if err != nil {
		s.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

// files is everything below a directory but what is in git directories; a
// directory has "/" after its name.
func (s *sandbox) files(dir string) map[string]string {
	s.Helper()
	all := map[string]string{}
	root := filepath.Join(s.dir, dir)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case d.IsDir():
			all[rel+"/"] = ""
			if d.Name() == ".git" {
				return fs.SkipDir
			}
			return nil
		}
		text, err := os.ReadFile(path)
		all[rel] = string(text)
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return all
}

// A faultCase is a command that does all of its work or none.
type faultCase struct {
	name string
	// prepare makes what the command finds.
	prepare func(s *sandbox)
	dir     string // where it runs, in the sandbox
	args    []string
	repo    string // where the repository is afterwards
	// inPlace says that the directory has to stay the one it is, since a shell
	// is in it: a failure is undone, but being killed is not all or nothing.
	inPlace bool
}

var initBlocks = []string{"--block", "persona=I am careful.", "--blocks", "-"}

const initBody = `{"memory_blocks": [{"label": "human", "value": "Likes Go.", "limit": 500, "read_only": true}]}`

var faultCases = []faultCase{
	{name: "new", prepare: func(*sandbox) {}, args: append([]string{"init", "a/b/mem"}, initBlocks...), repo: "a/b/mem"},
	{name: "empty", prepare: func(s *sandbox) { s.mkdir("mem") }, args: append([]string{"init", "mem"}, initBlocks...), repo: "mem"},
	{name: "in place", prepare: func(s *sandbox) { s.mkdir("mem") }, dir: "mem", args: append([]string{"init", "."}, initBlocks...), repo: "mem", inPlace: true},
	{name: "adopt", prepare: func(s *sandbox) {
		s.mkdir("mem")
		s.must("mem", "git", "init", "-q")
		s.write("mem/data.csv", "1,2\n")
		s.commitAll("mem")
	}, args: append([]string{"init", "--adopt", "mem"}, initBlocks...), repo: "mem"},
	{name: "from", prepare: func(s *sandbox) {
		s.mkdir("mem/system/projects")
		s.must("mem", "git", "init", "-q")
		s.write("mem/system/human.md", "---\ndescription: The user\nread_only: true\n---\nLikes [ants](projects/ant.md).\n")
		s.write("mem/system/projects/ant.md", "---\ndescription: Ants\n---\nSmall.\n")
		s.commitAll("mem")
	}, args: []string{"init", "--from", "mem"}, repo: "mem"},
}

func (s *sandbox) mkdir(dir string) {
	s.Helper()
	if err := os.MkdirAll(filepath.Join(s.dir, dir), 0o755); err != nil {
		s.Fatal(err)
	}
}

func (s *sandbox) write(path, text string) {
	s.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, path), []byte(text), 0o644); err != nil {
		s.Fatal(err)
	}
}

func (s *sandbox) remove(path string) {
	s.Helper()
	if err := os.RemoveAll(filepath.Join(s.dir, path)); err != nil {
		s.Fatal(err)
	}
}

func (s *sandbox) commitAll(dir string) {
	s.Helper()
	s.must(dir, "git", "add", "-A")
	s.must(dir, "git", "commit", "-q", "-m", "seed")
}

// exec runs the command of the case with a variable for faults.
func (s *sandbox) exec(c *faultCase, env string) (string, error) {
	cmd := exec.CommandContext(s.Context(), "agentcli", c.args...)
	cmd.Dir, cmd.Env = filepath.Join(s.dir, c.dir), append(s.env[:len(s.env):len(s.env)], env)
	cmd.Stdin = strings.NewReader(initBody)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// At whatever step the command is killed, or fails for want of space: what was
// there is as it was, and the command does its work when it is run again.
func TestInitIsAllOrNothing(t *testing.T) {
	for _, c := range faultCases {
		t.Run(c.name, func(t *testing.T) {
			s := newSandbox(t)
			c.prepare(s)
			if out, err := s.exec(&c, stepsFile+"="+filepath.Join(s.dir, "steps")); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			list, err := os.ReadFile(filepath.Join(s.dir, "steps"))
			if err != nil {
				t.Fatal(err)
			}
			steps := strings.Split(strings.TrimSpace(string(list)), "\n")
			if len(steps) < 6 {
				t.Fatalf("only %d steps: %q", len(steps), steps)
			}
			want := s.files(c.repo)
			for i, step := range steps {
				t.Run(step, func(t *testing.T) { testFault(t, &c, i+1, want) })
			}
		})
	}
}

func testFault(t *testing.T, c *faultCase, step int, want map[string]string) {
	t.Parallel()
	s := newSandbox(t)
	c.prepare(s)
	before := s.files(".")
	head, _ := s.run(c.repo, nil, "git", "rev-parse", "HEAD")

	out, err := s.exec(c, fmt.Sprint(failAtStep, "=", step))
	if err == nil || !strings.Contains(out, errInjected.Error()) {
		t.Fatalf("a step that fails: %v\n%s", err, out)
	}
	s.sameAs(c, before, head)
	if d := cmp.Diff(before, s.files(".")); d != "" {
		t.Errorf("something is left after a step that fails (-before +after):\n%s", d)
	}

	if c.inPlace {
		return
	}
	out, err = s.exec(c, fmt.Sprint(killAtStep, "=", step))
	if err == nil || strings.Contains(out, "agentcli:") {
		t.Fatalf("killed: %v\n%s", err, out)
	}
	s.sameAs(c, before, head)

	if out, err := s.exec(c, ""); err != nil {
		t.Fatalf("again, after being killed: %v\n%s", err, out)
	}
	if d := cmp.Diff(want, s.files(c.repo)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if out := s.must(c.repo, "git", "status", "--porcelain"); out != "" {
		t.Errorf("not clean afterwards:\n%s", out)
	}
	if out := s.must(c.repo, "git", "worktree", "list"); strings.Count(out, "\n") != 1 {
		t.Errorf("a worktree is left:\n%s", out)
	}
	if out := s.must(c.repo, "agentcli", "check", "--strict"); !strings.HasPrefix(out, "0 errors in") {
		t.Errorf("not judged clean:\n%s", out)
	}
}

// sameAs fails unless everything is as before, a directory of our own apart
// that a killed run has left beside the target.
func (s *sandbox) sameAs(c *faultCase, before map[string]string, head string) {
	s.Helper()
	after := s.files(".")
	for path := range after {
		if strings.HasPrefix(filepath.Base(path), ".agentcli-init-") || strings.Contains(path, ".agentcli-init-") {
			delete(after, path)
		}
	}
	if d := cmp.Diff(before, after); d != "" {
		s.Errorf("-before +after:\n%s", d)
	}
	if now, _ := s.run(c.repo, nil, "git", "rev-parse", "HEAD"); now != head {
		s.Errorf("HEAD was %s and is %s", head, now)
	}
	if _, exists := before[filepath.Join(c.repo, ".git")+"/"]; !exists {
		return
	}
	if out := s.must(c.repo, "git", "fsck", "--strict", "--no-dangling"); bytes.Contains([]byte(out), []byte("error")) {
		s.Errorf("git fsck: %s", out)
	}
	if out := s.must(c.repo, "git", "status", "--porcelain"); out != "" {
		s.Errorf("git status:\n%s", out)
	}
}
