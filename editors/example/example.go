// Package example makes memory repositories to try memls on.
package example

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

//go:embed memory.txtar
var memory []byte

// Files of the example: a note whose directory has no index, and that index.
const (
	Note  = "projects/website.md"
	Index = "projects/MEMORY.md"
)

// A Repo is a git repository. Its commands see neither the user's
// configuration nor the hooks that it may name.
type Repo struct {
	Dir string   // absolute
	env []string // of every command
}

// Create makes the example in dir, which must not exist: one commit, and the
// directory projects/, which is new and lacks its index.
func Create(ctx context.Context, dir string) (*Repo, error) {
	r, err := New(ctx, dir)
	if err != nil {
		return nil, err
	}
	var fresh []string
	for _, f := range txtar.Parse(memory).Files {
		if err := r.Write(f.Name, f.Data); err != nil {
			return nil, err
		}
		if !strings.HasPrefix(f.Name, "projects/") {
			fresh = append(fresh, f.Name)
		}
	}
	return r, r.Commit(ctx, "Start the memory", fresh...)
}

// New makes an empty repository in dir, which must not exist.
func New(ctx context.Context, dir string) (*Repo, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(dir); err == nil {
		return nil, fmt.Errorf("%s exists: remove it, or name another directory", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	// Editors name files without symbolic links in their path.
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	r := &Repo{Dir: dir, env: append(cleanEnviron(),
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Agent", "GIT_AUTHOR_EMAIL=agent@example.com",
		"GIT_COMMITTER_NAME=Agent", "GIT_COMMITTER_EMAIL=agent@example.com")}
	_, err = r.Run(ctx, "git", "init", "-q", "-b", "main")
	return r, err
}

// cleanEnviron is the environment without what leads git to another
// repository, as in a hook that runs this.
func cleanEnviron() []string {
	return slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "GIT_") })
}

// Environ is the environment of the repository's commands.
func (r *Repo) Environ() []string { return slices.Clip(r.env) }

// Path is the absolute path of a file, whose name is relative and has slashes.
func (r *Repo) Path(name string) string { return filepath.Join(r.Dir, filepath.FromSlash(name)) }

// Write writes a file and makes its directory.
func (r *Repo) Write(name string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(r.Path(name)), 0o755); err != nil {
		return err
	}
	return os.WriteFile(r.Path(name), content, 0o644)
}

// Commit stages the named paths and commits them.
func (r *Repo) Commit(ctx context.Context, message string, paths ...string) error {
	if _, err := r.Run(ctx, "git", append([]string{"add", "--"}, paths...)...); err != nil {
		return err
	}
	_, err := r.Run(ctx, "git", "commit", "-q", "-m", message)
	return err
}

// Run runs a program in the repository and returns what it prints, which is
// also the error's text when it fails.
func (r *Repo) Run(ctx context.Context, program string, args ...string) (output string, err error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = r.Dir, r.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("%s %s: %w\n%s", filepath.Base(program), strings.Join(args, " "), err, out)
	}
	return string(out), nil
}
