package difftest_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/difftest/oracle"
	"github.com/memls/memls/rules/tree"
)

// hookCases is how many random repositories go through git and the hook.
const hookCases = 200

// The installed hook says of a real git repository what the engine says of the
// tree: exit code 1 exactly when something is refused, each line once. With
// TestReference this compares the hook with the reference's.
func TestHook(t *testing.T) {
	for _, tool := range []string{"git", "go"} {
		oracle.Need(t, tool)
	}
	memhook := filepath.Join(t.TempDir(), "memhook.exe")
	if out, err := exec.Command("go", "build", "-o", memhook, "../../cmd/memhook").CombinedOutput(); err != nil {
		t.Fatalf("building memhook: %v\n%s", err, out)
	}
	repos := make([]*repo, hookCases)
	for i := range repos {
		repos[i] = generate(*seed, uint64(i))
	}
	// One git repository for all, so that what the hook remembers of one
	// commit is there when it judges the next.
	g := newGit(t)
	g.load(repos)
	refused := 0
	for i, r := range repos {
		lines, err := r.judge()
		if err != nil {
			t.Fatal(err)
		}
		g.stage(i, r)
		out, code := g.hook(memhook, r)
		want := 0
		if len(lines) > 0 {
			refused, want = refused+1, 1
		}
		for i, line := range lines {
			lines[i] = rules.Printable(line)
		}
		slices.Sort(lines)
		if got := problems(out); code != want || !slices.Equal(got, lines) {
			t.Errorf("repository %d of seed %d: exit code %d, want %d\nwant %q\ngot:\n%s\n%s", i, *seed, code, want, lines, out, r)
		}
	}
	t.Logf("seed %d: %d repositories, %d of them refused", *seed, len(repos), refused)
}

// problems are the lines of the hook's output that have exactly its indent;
// help has a deeper one.
func problems(out []byte) []string {
	var lines []string
	for line := range strings.Lines(string(out)) {
		text, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "  ")
		if ok && !strings.HasPrefix(text, "    ") {
			lines = append(lines, text)
		}
	}
	slices.Sort(lines)
	return lines
}

// A gitRepo is a real repository that holds every case: its last commit as a
// branch of its own, its staged tree as another.
type gitRepo struct {
	t   *testing.T
	dir string
	env []string
}

func newGit(t *testing.T) *gitRepo {
	home := t.TempDir()
	g := &gitRepo{t: t, dir: filepath.Join(home, "memory")}
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "MEMLS_") && !strings.HasPrefix(name, "LETTA_") {
			g.env = append(g.env, kv)
		}
	}
	g.env = append(g.env, "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	g.git(nil, "init", "--quiet", g.dir)
	// Git refuses names that Windows or macOS would trip over only there.
	g.git(nil, "-C", g.dir, "config", "core.protectNTFS", "false")
	g.git(nil, "-C", g.dir, "config", "core.protectHFS", "false")
	return g
}

func (g *gitRepo) git(stdin []byte, args ...string) {
	g.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Env, cmd.Stdin = g.env, bytes.NewReader(stdin)
	if out, err := cmd.CombinedOutput(); err != nil {
		g.t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
}

// load imports the trees of all cases with one git process.
func (g *gitRepo) load(repos []*repo) {
	var b bytes.Buffer
	commit := func(branch string, files []file) {
		fmt.Fprintf(&b, "commit refs/heads/%s\ncommitter A <a@example.com> 0 +0000\ndata 0\n\n", branch)
		for _, f := range files {
			// Git knows three escapes of its own; all other bytes stand for themselves.
			path := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(f.path)
			if f.mode == tree.Gitlink {
				fmt.Fprintf(&b, "M %06o %v \"%s\"\n", f.mode, f.oid(), path)
				continue
			}
			fmt.Fprintf(&b, "M %06o inline \"%s\"\ndata %d\n%s\n", f.mode, path, len(f.text), f.text)
		}
		b.WriteByte('\n')
	}
	for i, r := range repos {
		commit(fmt.Sprintf("staged-%d", i), r.files)
		if r.hasHead {
			commit(fmt.Sprintf("case-%d", i), r.head)
		}
	}
	g.git(b.Bytes(), "-C", g.dir, "fast-import", "--quiet")
}

// stage makes the index, HEAD and the policy those of a case.
func (g *gitRepo) stage(i int, r *repo) {
	g.git(nil, "-C", g.dir, "read-tree", fmt.Sprintf("refs/heads/staged-%d", i))
	for name, text := range map[string]string{
		"HEAD":            fmt.Sprintf("ref: refs/heads/case-%d\n", i),
		config.PolicyFile: string(r.policy) + "\n",
	} {
		if err := os.WriteFile(filepath.Join(g.dir, ".git", name), []byte(text), 0o644); err != nil {
			g.t.Fatal(err)
		}
	}
}

// hook runs the hook as git does.
func (g *gitRepo) hook(memhook string, r *repo) (out []byte, code int) {
	cmd := exec.Command(memhook, "pre-commit")
	cmd.Dir, cmd.Env = g.dir, append(slices.Clone(g.env), "GIT_INDEX_FILE=.git/index")
	if r.approve {
		cmd.Env = append(cmd.Env, "LETTA_MEMORY_CONSTRAINTS_UPDATE=1")
	}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		g.t.Fatal(err)
	}
	return out, cmd.ProcessState.ExitCode()
}
