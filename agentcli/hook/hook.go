// Package hook puts the memory validation hooks into a git repository, takes
// them out again and says how things stand. The judging itself is what the
// installed scripts start: `memhook pre-commit`.
//
// Three rules hold throughout. A hook that somebody else wrote is never lost:
// it is refused, chained or kept as a backup. Work is planned by reading alone
// and carried out under a lock by atomic renames, so that a refusal leaves no
// trace and a killed process leaves no half-written hook. And the installed
// script fails closed: without its binary it refuses the commit.
//
// The package is linked into memhook, which git starts at every commit: it
// imports nothing that does work at start-up.
package hook

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// hookNames are the git hooks we install. A clean merge runs pre-merge-commit
// and not pre-commit, so that one hook alone would let a merge bring in an
// invalid file.
var hookNames = [...]string{"pre-commit", "pre-merge-commit"}

// InstallOptions says what [Install] installs, and where.
type InstallOptions struct {
	// Dir is the repository or any folder in it. "" is the working directory,
	// and only then are GIT_DIR and its kin in the environment followed.
	Dir string
	// Policy is one of [Policies]. "" keeps the policy file there is; without
	// one it is root-marker when a root MEMORY.md is in the working tree, the
	// index or HEAD, and legacy-only otherwise.
	Policy string
	// Chain keeps a foreign hook at work: it runs first and its failure counts.
	Chain bool
	// Force replaces a foreign hook, keeping a backup, and accepts a hooks
	// folder that other repositories share. With Chain as well, foreign hooks
	// are chained and only the shared folder is forced.
	Force bool
	// Binary is the path of memhook. "" is the memhook beside the running
	// executable, or that executable itself if it is memhook.
	Binary string
}

// Result says what [Install] or [Uninstall] did. All paths are absolute.
type Result struct {
	// HooksDir is the folder in which git looks for hooks.
	HooksDir string `json:"hooksDir"`
	// PolicyFile lies in the git common directory.
	PolicyFile string `json:"policyFile"`
	// Policy is the one in force: one of [Policies].
	Policy string `json:"policy"`
	// Changed lists the files written, moved to or removed; it is empty when
	// all was as it should be.
	Changed []string `json:"changed"`
	// Chained lists the hooks of others that run before ours.
	Chained []string `json:"chained"`
	// Messages are remarks for the user, one sentence or two each.
	Messages []string `json:"messages"`
}

// Install writes the hooks pre-commit and pre-merge-commit and the policy file.
// Running it again changes nothing unless the binary, the policy or the files
// have changed. The error is an [*Error], or one of the file system.
func Install(ctx context.Context, opts InstallOptions) (*Result, error) {
	if opts.Policy != "" && !validPolicy(opts.Policy) {
		return nil, &Error{Kind: ErrPolicy, Message: fmt.Sprintf("unknown policy %q: use one of %s", opts.Policy, strings.Join(Policies(), ", "))}
	}
	r, err := locate(ctx, opts.Dir)
	if err != nil {
		return nil, err
	}
	if opts.Binary, err = resolveBinary(opts.Binary); err != nil {
		return nil, err
	}
	return execute(ctx, r, func() (*plan, error) { return planInstall(ctx, r, opts) })
}

// Uninstall removes our hooks and puts back what was there before them: the
// chained hook, else the newest backup. Hooks that are not ours are left alone.
// The policy file stays, since it is not ours alone: Letta Code reads it too,
// and without it that tool would judge the repository by another layout.
func Uninstall(ctx context.Context, dir string) (*Result, error) {
	r, err := locate(ctx, dir)
	if err != nil {
		return nil, err
	}
	return execute(ctx, r, func() (*plan, error) { return planUninstall(r) })
}

// execute plans without the lock first, so that a refusal or a repository in
// order costs no write at all, and again under the lock, because another
// process may have been at work in between.
func execute(ctx context.Context, r *repo, makePlan func() (*plan, error)) (*Result, error) {
	p, err := makePlan()
	if err != nil {
		return nil, err
	}
	if len(p.ops) > 0 {
		release, err := lock(ctx, r.lockPath())
		if err != nil {
			return nil, err
		}
		defer release()
		if p, err = makePlan(); err != nil {
			return nil, err
		}
		if err := apply(p.ops, r.hooksDir, r.commonDir); err != nil {
			return nil, err
		}
	}
	return p.result(r), nil
}

// resolveBinary finds memhook and makes sure that a hook could run it: an
// install that makes every commit fail is worse than none.
func resolveBinary(path string) (string, error) {
	if path == "" {
		var err error
		if path, err = siblingBinary(); err != nil {
			return "", err
		}
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", &Error{Kind: ErrBinary, Message: fmt.Sprintf("cannot make %s an absolute path: %v", path, err)}
	}
	if !runnable(abs) {
		return "", &Error{Kind: ErrBinary, Message: abs + ": no executable file; name the memhook binary that the hook is to run"}
	}
	return abs, nil
}

func siblingBinary() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", &Error{Kind: ErrBinary, Message: fmt.Sprintf("cannot tell where memhook is: %v; name the binary", err)}
	}
	// A binary called memhook is its own sibling.
	name := "memhook"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(filepath.Dir(exe), name), nil
}

// runnable reports whether path is a file that the system would execute.
func runnable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && executable(info.Mode())
}

// executable reports whether a file of this mode counts as executable. Windows
// has no such bit; there git looks at the contents instead.
func executable(mode os.FileMode) bool {
	return runtime.GOOS == "windows" || mode&0o111 != 0
}
