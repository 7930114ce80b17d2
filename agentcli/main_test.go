package agentcli_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/memls/memls/agentcli"
	"github.com/memls/memls/agentcli/gate"
)

// The binaries that scripts run: this test binary under other names. memhook
// is what git starts in the hooks that agentcli installs.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"agentcli": func() {
			env := agentcli.Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Fault: faults(os.Getenv)}
			os.Exit(agentcli.Main(context.Background(), os.Args[1:], env, "v0.0.0-test"))
		},
		"memhook": func() {
			os.Exit(gate.PreCommit(context.Background(), gate.Env{Stdin: os.Stdin, Stderr: os.Stderr, Getenv: os.Getenv}))
		},
	})
}

var update = flag.Bool("update", false, "write what commands print into the scripts' cmp files")

const gitConfig = `[user]
	name = Agent
	email = agent@example.com
[init]
	defaultBranch = main
[advice]
	detachedHead = false
`

// Scripts run real git that knows nothing of this machine. $WORK is the folder
// of the script's files; most of them make the repository $WORK/mem.
func TestScripts(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal("these tests run git")
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup:               isolate,
		Condition:           condition,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exits, "write": write, "repo": repo, "wide": wide,
		},
	})
}

// condition knows [root]: the file system refuses nothing to such a user.
func condition(name string) (bool, error) {
	if name != "root" {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	return os.Geteuid() == 0, nil
}

// isolate gives a script its own home; $BIN is where agentcli and memhook are.
func isolate(env *testscript.Env) error {
	bin, err := exec.LookPath("agentcli")
	if err != nil {
		return err
	}
	env.Setenv("BIN", filepath.Dir(bin))
	config := filepath.Join(env.WorkDir, ".gitconfig")
	env.Setenv("HOME", env.WorkDir)
	env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, ".config"))
	env.Setenv("GIT_CONFIG_GLOBAL", config)
	env.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	env.Setenv("GIT_CEILING_DIRECTORIES", env.WorkDir)
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		env.Setenv("GIT_"+who+"_DATE", "2026-01-02T03:04:05Z")
	}
	return os.WriteFile(config, []byte(gitConfig), 0o644)
}

// exits N COMMAND ARG… runs a command and wants its exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// write PATH TEXT writes a file, and its directories. Both arguments are the
// inside of a Go string literal: \r, \xff, \u00e9.
func write(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: write PATH TEXT")
	}
	for i := range args {
		text, err := strconv.Unquote(`"` + strings.ReplaceAll(args[i], `"`, `\"`) + `"`)
		ts.Check(err)
		args[i] = text
	}
	file := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(file), 0o755))
	ts.Check(os.WriteFile(file, []byte(args[1]), 0o644))
}

// repo DIR makes a repository with everything that is in DIR committed, and
// goes there.
func repo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: repo DIR")
	}
	ts.Check(os.MkdirAll(ts.MkAbs(args[0]), 0o755))
	ts.Check(ts.Chdir(args[0]))
	for _, command := range []string{"init -q", "add -A", "commit -q --allow-empty -m seed"} {
		ts.Check(ts.Exec("git", strings.Fields(command)...))
	}
}

// wide N wants every line of the last standard output within N characters.
func wide(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: wide N")
	}
	limit, err := strconv.Atoi(args[0])
	ts.Check(err)
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		if line = strings.TrimRight(line, "\n"); len([]rune(line)) > limit {
			ts.Fatalf("line of %d characters: %s", len([]rune(line)), line)
		}
	}
}
