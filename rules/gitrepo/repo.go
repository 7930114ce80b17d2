// Package gitrepo takes tree snapshots from a git repository: of the index
// that a commit will use, of a revision, of the working tree as `git add -A`
// would stage it.
//
// It speaks git's plumbing only, never writes to index, working tree or refs,
// and starts at most one process for any number of objects.
package gitrepo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/memls/memls/rules/config"
)

// What can be wrong with a directory that should be a repository. Errors
// that wrap them name the directory and what to do.
var (
	ErrNoDirectory  = errors.New("no such directory")
	ErrNoRepository = errors.New("not a git repository")
	ErrNoGit        = errors.New("git is not on PATH")
	ErrOwner        = errors.New("repository is owned by someone else")
	ErrNoWorktree   = errors.New("repository has no working tree")
	ErrIndex        = errors.New("cannot read the index")
)

// A Repo is an opened repository. It holds no state that goes stale: every
// snapshot is read anew. It is safe for concurrent use.
type Repo struct {
	// Top is the absolute path of the working tree, "" for a bare repository
	// (and for one that was opened from inside its git directory).
	Top string
	// GitDir is the repository's own directory (of this worktree), CommonDir
	// the one that worktrees share. Both are absolute.
	GitDir, CommonDir string
	// OIDSize is the length of object ids in bytes: 20 or 32.
	OIDSize int

	index string   // absolute path of the index that git named
	env   []string // environment for git processes
	hook  bool     // opened by a hook: the process ends with its one job

	session  session
	redirect struct {
		once sync.Once
		is   bool
	}
}

// Policy reads the layout policy file from the common directory; found is
// false, and the policy LegacyOnly, when there is no such file or it names no
// known policy.
func (r *Repo) Policy() (p config.Policy, found bool, err error) {
	name := filepath.Join(r.CommonDir, config.PolicyFile)
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return config.LegacyOnly, false, nil
	}
	if err != nil {
		return config.LegacyOnly, false, fmt.Errorf("cannot read the layout policy: %w", err)
	}
	p, found = config.ParsePolicy(string(text))
	return p, found, nil
}

// dir is where git processes run: paths in their output are then relative to
// the top level.
func (r *Repo) dir() string {
	if r.Top == "" {
		return r.GitDir
	}
	return r.Top
}
