package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/memls/memls/rules/tree"
)

// OpenHook opens the repository that git started this process for. A hook
// runs at the top level with everything named by its environment, so in the
// common cases no git process is needed; in all others it is
// Open(ctx, ".").
func OpenHook(ctx context.Context) (*Repo, error) {
	r := openHook()
	if r == nil {
		var err error
		if r, err = Open(ctx, "."); err != nil {
			return nil, err
		}
	}
	r.hook = true
	return r, nil
}

// openHook returns nil unless it is sure that git would say the same.
func openHook() *Repo {
	wd, err := os.Getwd()
	if err != nil {
		return nil
	}
	environ := os.Environ()
	named := map[string]string{}
	for _, kv := range environ {
		if name, value, _ := strings.Cut(kv, "="); isSelector(name) {
			named[name] = value
		}
	}
	for name, value := range named {
		switch name {
		case "GIT_DIR", "GIT_INDEX_FILE":
			if value == "" {
				return nil
			}
		case "GIT_PREFIX":
		case "GIT_WORK_TREE":
			if absFrom(wd, value) != wd {
				return nil
			}
		default:
			return nil
		}
	}
	gitDir, err := dotGit(wd)
	if err != nil || gitDir == "" {
		return nil
	}
	if dir, ok := named["GIT_DIR"]; ok && !sameFile(absFrom(wd, dir), gitDir) {
		return nil
	}
	r, sure := fromFiles(wd, gitDir)
	if !sure {
		return nil
	}
	if index, ok := named["GIT_INDEX_FILE"]; ok {
		r.index = absFrom(wd, index)
	}
	r.env = r.pin(environment(environ, true))
	return r
}

// OpenPath finds the repository whose working tree holds path, a file or a
// directory that need not exist, by looking for ".git" in it and the
// directories above. It starts no git process for an ordinary repository,
// and it takes nothing from the environment, which in a long-running server
// is not about path. Top is spelled as in path, symbolic links unresolved.
//
// Errors wrap ErrNoRepository, or are those of Open when git had to be asked.
func OpenPath(ctx context.Context, path string) (*Repo, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("%w: the current directory was removed (%v); change to one that exists", ErrNoDirectory, err)
	}
	for dir := abs; ; dir = filepath.Dir(dir) {
		gitDir, err := dotGit(dir)
		if err != nil {
			return nil, err
		}
		if gitDir != "" {
			r, sure := fromFiles(dir, gitDir)
			if !sure {
				return openWithoutEnvironment(ctx, dir)
			}
			r.env = environment(os.Environ(), false)
			return r, nil
		}
		if dir == filepath.Dir(dir) {
			return nil, fmt.Errorf("%w: neither %s nor a directory above it has a .git; run git init where the memory starts", ErrNoRepository, abs)
		}
	}
}

func openWithoutEnvironment(ctx context.Context, dir string) (*Repo, error) {
	return discover(ctx, dir, environment(os.Environ(), false))
}

// dotGit returns the git directory that dir/.git is or names, "" when there
// is none or when, as for git, it is a directory but no repository.
func dotGit(dir string) (string, error) {
	name := filepath.Join(dir, ".git")
	info, err := os.Stat(name)
	switch {
	case err != nil: // not there, or not for us to see
		return "", nil
	case info.IsDir():
		if !isGitDir(name) {
			return "", nil
		}
		return name, nil
	case !info.Mode().IsRegular():
		return "", nil
	}
	text, err := readSmall(name)
	if err != nil {
		return "", fmt.Errorf("%w: cannot read %s: %w", ErrNoRepository, name, err)
	}
	target, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
	if !ok {
		return "", fmt.Errorf("%w: %s is a file but does not start with \"gitdir: \"; remove or mend it", ErrNoRepository, name)
	}
	target = absFrom(dir, target)
	if !isGitDir(target) {
		return "", fmt.Errorf("%w: %s names %s, which is no git directory; mend it (git worktree repair) or remove it", ErrNoRepository, name, target)
	}
	return target, nil
}

// isGitDir applies git's own test: HEAD looks like one, objects and refs are
// directories.
func isGitDir(dir string) bool {
	common, err := commonDir(dir)
	if err != nil || !isDirectory(filepath.Join(common, "objects")) || !isDirectory(filepath.Join(common, "refs")) {
		return false
	}
	if info, err := os.Lstat(filepath.Join(dir, "HEAD")); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(filepath.Join(dir, "HEAD"))
		return err == nil && strings.HasPrefix(target, "refs/")
	}
	head, err := readSmall(filepath.Join(dir, "HEAD"))
	if err != nil {
		return false
	}
	if ref, ok := bytes.CutPrefix(head, []byte("ref:")); ok {
		return bytes.HasPrefix(bytes.TrimSpace(ref), []byte("refs/"))
	}
	_, err = tree.ParseOID(string(bytes.TrimSpace(head)))
	return err == nil
}

func isDirectory(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// commonDir is the directory that the worktrees of a repository share.
func commonDir(gitDir string) (string, error) {
	text, err := readSmall(filepath.Join(gitDir, "commondir"))
	if errors.Is(err, fs.ErrNotExist) {
		return gitDir, nil
	}
	return absFrom(gitDir, strings.TrimRight(string(text), "\r\n")), err
}

// fromFiles describes the repository of a valid git directory. sure is false
// when only git can tell, or must be the one to refuse: another owner, an
// unusual configuration.
func fromFiles(top, gitDir string) (r *Repo, sure bool) {
	common, err := commonDir(gitDir)
	if err != nil {
		return nil, false
	}
	for _, name := range []string{top, filepath.Join(top, ".git"), gitDir} {
		if info, err := os.Stat(name); err != nil || !owned(info) {
			return nil, false
		}
	}
	size, sure := plainFormat(gitDir, common)
	if !sure {
		return nil, false
	}
	return &Repo{Top: top, GitDir: gitDir, CommonDir: common, OIDSize: size, index: filepath.Join(gitDir, "index")}, true
}

// pin makes the selectors of a kept environment absolute, because git
// processes run at the top level and not where the environment was set.
func (r *Repo) pin(env []string) []string {
	pinned := map[string]string{"GIT_DIR": r.GitDir, "GIT_COMMON_DIR": r.CommonDir, "GIT_INDEX_FILE": r.index, "GIT_WORK_TREE": r.Top}
	for i, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		switch name {
		case "GIT_DIR", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE":
			env[i] = name + "=" + pinned[name]
		case "GIT_OBJECT_DIRECTORY":
			if abs, err := filepath.Abs(value); err == nil && value != "" {
				env[i] = name + "=" + abs
			}
		}
	}
	return env
}

// absFrom resolves name, as git writes it, from dir.
func absFrom(dir, name string) string {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

// readSmall reads a file of git's own that is never large; a huge one in its
// place is an error, not a way to fill the memory.
func readSmall(name string) ([]byte, error) {
	const limit = 1 << 20
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && len(data) > limit {
		err = fmt.Errorf("%s is larger than 1 MiB", name)
	}
	return data, err
}
