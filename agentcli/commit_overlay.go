package agentcli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/gitrepo"
	"github.com/memls/memls/rules/tree"
)

// An overlay is a change of the memory that is not on disk: what an agent made
// of a commit with its tools.
type overlay struct {
	base    string // the commit, "" before the first one
	changes []rules.FileChange
	message string
	policy  string // by flag; "" for the repository's own
	// rescue keeps the work where it survives a refusal and a crash, until it
	// is committed; nil keeps it nowhere.
	rescue *rescue
}

// A localEdits error names files that an overlay changes, and somebody else has
// changed on disk or in the index without committing it.
type localEdits struct{ paths []string }

func (e *localEdits) Error() string {
	shown := make([]string, len(e.paths))
	for i, path := range e.paths {
		shown[i] = rules.Display(path)
	}
	return fmt.Sprintf("changed on disk and not committed: %s; nothing was changed. Commit these changes or put them away (git stash), then try again", strings.Join(shown, ", "))
}

// commitOverlay commits an overlay as commit does a working tree, and brings
// index and files to it. Other changes, staged or not, stay as they are.
//
// Where rules or hooks refuse, the error is errFindings and the run tells why;
// errMoved where HEAD is not the base; a *localEdits where files that would be
// written hold somebody's work. Nothing is changed then but the rescue ref.
// Without changes the run has no commit.
func (w *writable) commitOverlay(ctx context.Context, o overlay) (*commitRun, error) {
	c := &commitRun{writable: w, message: o.message, policy: o.policy, base: o.base, rescue: o.rescue}
	if err := c.idle(ctx, "try again"); err != nil {
		return c, err
	}
	switch head, err := c.refNow(ctx, "HEAD"); {
	case err != nil:
		return c, err
	case head != c.base:
		return c, errMoved
	}
	staged, err := c.entries(ctx)
	if err != nil {
		return c, err
	}
	index, err := w.overlayIndex(ctx, o.base, o.changes)
	if err != nil {
		return c, err
	}
	if err := c.write(ctx, index); err != nil || len(c.changes) == 0 {
		return c, err
	}
	if o.rescue != nil {
		if err := o.rescue.keep(ctx, w, c.base, c.tree); err != nil {
			return c, err
		}
	}
	if err := c.accept(ctx, index); err != nil {
		return c, err
	}
	files, err := c.filesOf(ctx, staged)
	if err != nil {
		return c, err
	}
	if err := c.record(ctx, staged, files); err != nil {
		return c, err
	}
	c.afterwards(ctx)
	return c, nil
}

// overlayIndex makes an index of a commit and changes to it, apart from the
// user's.
func (w *writable) overlayIndex(ctx context.Context, base string, changes []rules.FileChange) (index string, err error) {
	from := "--empty"
	if base != "" {
		from = base
	}
	index = filepath.Join(w.temp, "overlay-index")
	if _, err := w.do(ctx, gitCall{index: index}, "read-tree", from); err != nil {
		return "", err
	}
	blobs, err := w.storeBlobs(ctx, changes)
	if err != nil {
		return "", err
	}
	// Removed paths go first: one of them may stand where a directory comes.
	var gone, added strings.Builder
	for i, c := range changes {
		if c.After == nil {
			fmt.Fprintf(&gone, "0 %s\t%s\x00", strings.Repeat("0", 2*w.OIDSize), c.Path)
		} else {
			fmt.Fprintf(&added, "%06o %s\t%s\x00", c.After.Mode, blobs[i], c.Path)
		}
	}
	_, err = w.do(ctx, gitCall{index: index, stdin: []byte(gone.String() + added.String())}, "update-index", "-z", "--index-info")
	return index, err
}

// storeBlobs writes the new contents to the object database, and returns their
// names in the order of the changes.
func (w *writable) storeBlobs(ctx context.Context, changes []rules.FileChange) ([]string, error) {
	blobs := make([]string, len(changes))
	var names strings.Builder
	var stored []int
	for i, c := range changes {
		if c.After == nil {
			continue
		}
		text, err := c.After.Bytes()
		if err != nil {
			return nil, err
		}
		name := filepath.Join(w.temp, "blob-"+strconv.Itoa(i))
		if err := os.WriteFile(name, text, 0o600); err != nil {
			return nil, err
		}
		fmt.Fprintln(&names, rules.Display(name)) // as git reads it
		stored = append(stored, i)
	}
	if len(stored) == 0 {
		return blobs, nil
	}
	out, err := w.do(ctx, gitCall{stdin: []byte(names.String())}, "hash-object", "-w", "--no-filters", "--stdin-paths")
	if err != nil {
		return nil, err
	}
	lines := strings.Fields(out)
	if len(lines) != len(stored) {
		return nil, fmt.Errorf("git hash-object named %s of %d", plural(len(lines), "object"), len(stored))
	}
	for i, at := range stored {
		blobs[at] = lines[i]
	}
	return blobs, nil
}

// filesOf plans what the commit writes to disk, which is what hooks have made
// of the overlay, and limits what becomes of the index to it.
func (c *commitRun) filesOf(ctx context.Context, staged map[string]string) (*plan, error) {
	var before *tree.Tree
	if c.base != "" {
		var err error
		if before, _, err = c.Revision(ctx, c.base); err != nil {
			return nil, err
		}
	}
	after, _, err := c.Revision(ctx, c.tree)
	if err != nil {
		return nil, err
	}
	worktree, err := c.Worktree(ctx)
	if err != nil {
		return nil, err
	}
	c.sel = nil
	var todo []rules.FileChange
	var theirs localEdits
	for _, change := range c.changes {
		c.sel = append(c.sel, change.Path)
		f := rules.FileChange{Path: change.Path, Before: before.File(change.Path), After: after.File(change.Path)}
		done, free, err := onDisk(worktree, f)
		switch {
		case err != nil:
			return nil, err
		case staged[change.Path] != change.Old && staged[change.Path] != change.New, !done && !free:
			theirs.paths = append(theirs.paths, change.Path)
		case !done:
			todo = append(todo, f)
		}
	}
	if len(theirs.paths) > 0 {
		return nil, &theirs
	}
	t := &target{repo: c.repository, worktree: worktree}
	return t.plan(ctx, todo)
}

// onDisk reports whether the file is as it is to be, and whether it is as it
// was.
func onDisk(worktree *gitrepo.Worktree, c rules.FileChange) (done, free bool, err error) {
	now := worktree.Tree.File(c.Path)
	if done, err = sameFile(now, c.After); err != nil {
		return false, false, err
	}
	free, err = sameFile(now, c.Before)
	return done, free, err
}

func sameFile(a, b *tree.File) (bool, error) {
	if a == nil || b == nil {
		return a == b, nil
	}
	if a.Mode != b.Mode {
		return false, nil
	}
	return tree.SameContent(a, b)
}
