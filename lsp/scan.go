package lsp

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
)

// A scan looks for memory repositories below a workspace folder, once and in
// the background. The folder may be a home directory with hundreds of thousands
// of files: what lies deep, or behind much else, is found when a file of it is
// opened.
type scan struct {
	stop context.CancelFunc
	done chan struct{} // closed when tops is complete
	tops []string      // sorted
}

// scanLimits bound a scan.
type scanLimits struct {
	entries int // of directories, read altogether
	depth   int // of directories below the folder
	found   int // repositories
}

var folderLimits = scanLimits{entries: 50_000, depth: 6, found: 50}

// startScan scans a folder, and calls found at the end if that is so far.
func startScan(ctx context.Context, dir string, found func()) *scan {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	s := &scan{stop: stop, done: make(chan struct{})}
	go func() {
		defer stop()
		s.tops = scanFor(ctx, dir, folderLimits)
		close(s.done)
		if ctx.Err() == nil {
			found()
		}
	}()
	return s
}

// wait returns the tops of the working trees that are found.
func (s *scan) wait(ctx context.Context) ([]string, error) {
	select {
	case <-s.done:
		return s.tops, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// finished is what wait would return at once; nothing while the scan runs.
func (s *scan) finished() []string {
	select {
	case <-s.done:
		return s.tops
	default:
		return nil
	}
}

// scanFor looks at the directories below dir, those near it first, and follows
// no links. It stops early when ctx is cancelled. The root of a file system is
// nobody's workspace and not looked at.
func scanFor(ctx context.Context, dir string, limits scanLimits) (tops []string) {
	if dir == filepath.Dir(dir) {
		return nil
	}
	level := []string{dir}
	for depth := 0; depth <= limits.depth && len(level) > 0; depth++ {
		var next []string
		for _, dir := range level {
			if ctx.Err() != nil || limits.entries <= 0 || len(tops) >= limits.found {
				return tops
			}
			marks, dirs := readDir(dir, &limits.entries)
			if slices.Contains(marks, ".git") && (len(marks) > 1 || hasPolicy(dir)) {
				tops = append(tops, dir)
			}
			next = append(next, dirs...)
		}
		level = next
	}
	slices.Sort(tops)
	return tops
}

// skipped are directories that hold many files and no memory.
var skipped = []string{".cache", ".cargo", ".npm", ".rustup", "node_modules"}

// readDir reads a directory, and less of it when that would exceed left, the
// number of entries that may still be read. marks are ".git" and names that only
// memory has, dirs the paths of the directories to look into.
func readDir(dir string, left *int) (marks, dirs []string) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, nil // not for us
	}
	defer d.Close()
	for *left > 0 && err == nil {
		var entries []os.DirEntry
		entries, err = d.ReadDir(min(*left, 256))
		*left -= len(entries)
		for _, e := range entries {
			switch name := e.Name(); {
			case name == ".git" || name == rules.Index || name == config.Path:
				marks = append(marks, name)
			case e.IsDir() && !slices.Contains(skipped, name):
				dirs = append(dirs, filepath.Join(dir, name))
			}
		}
	}
	slices.Sort(dirs)
	return marks, dirs
}

// hasPolicy reports whether a repository without an index has been told that it
// is memory. That of a worktree is told elsewhere.
func hasPolicy(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git", config.PolicyFile))
	return err == nil
}
