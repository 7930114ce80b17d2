package agentcli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/tree"
)

// A plan is a set of changes to files of the working tree, worked out against
// what is on disk. Nothing is written before all of it is known to be possible.
type plan struct {
	root  string
	steps []step // sorted by path
	// fault, when set, is asked before each change of a file (see Env.Fault).
	fault func(step string) error
}

// A step is the change of one file: from before to after, as they are on disk.
type step struct {
	path          string
	before, after []byte
	created, gone bool
	mode          fs.FileMode
}

func (s *step) action() string {
	switch {
	case s.created:
		return "created"
	case s.gone:
		return "deleted"
	}
	return "edited"
}

// plan turns changes of the judged tree into changes on disk.
func (t *target) plan(ctx context.Context, changes []rules.FileChange) (*plan, error) {
	p := &plan{root: t.repo.Top}
	root, err := os.OpenRoot(p.root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var gone []fs.FileInfo
	for _, c := range changes {
		s := step{path: c.Path, created: c.Before == nil, gone: c.After == nil}
		if err := realParents(root, c.Path); err != nil {
			return nil, err
		}
		if !s.created {
			info, err := t.readStep(ctx, root, &s, c)
			if err != nil {
				return nil, err
			}
			if s.gone {
				gone = append(gone, info)
			}
		}
		if !s.gone {
			if !c.After.Mode.IsRegular() {
				return nil, fmt.Errorf("%s: is no regular file, and not written for that; nothing was changed", rules.Display(s.path))
			}
			if err := s.fillAfter(t, ctx, c); err != nil {
				return nil, err
			}
		}
		p.steps = append(p.steps, s)
	}
	return p, p.checkFree(root, gone)
}

// readStep reads the file of a step and makes sure that it is what was judged.
func (t *target) readStep(ctx context.Context, root *os.Root, s *step, c rules.FileChange) (fs.FileInfo, error) {
	info, err := root.Lstat(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: is not in the working tree (deleted, or left out by a sparse checkout); nothing was changed", rules.Display(s.path))
	}
	link := s.gone && c.Before.Mode == tree.Symlink
	if err == nil && !info.Mode().IsRegular() && !(link && info.Mode().Type() == fs.ModeSymlink) {
		return nil, fmt.Errorf("%s: is no regular file on disk; nothing was changed", rules.Display(s.path))
	}
	if err == nil {
		s.before, err = readEntry(root, s.path)
	}
	if err != nil {
		return nil, fmt.Errorf("%w; nothing was changed", err)
	}
	s.mode = info.Mode().Perm()
	judged, err := c.Before.Bytes()
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(t.worktree.StageBytes(ctx, s.path, s.before), judged) {
		return nil, fmt.Errorf("%s: was changed by someone else meanwhile; nothing was changed, run this again", rules.Display(s.path))
	}
	return info, nil
}

// readEntry is what git has of a file: of a symbolic link where it points to.
func readEntry(root *os.Root, path string) ([]byte, error) {
	info, err := root.Lstat(path)
	if err == nil && info.Mode().Type() == fs.ModeSymlink {
		target, err := root.Readlink(path)
		return []byte(target), err
	}
	return root.ReadFile(path)
}

// fillAfter is the new content as it goes to disk: with CRLF where git checked
// the file out with CRLF and stores it with LF.
func (s *step) fillAfter(t *target, ctx context.Context, c rules.FileChange) error {
	after, err := c.After.Bytes()
	if err != nil {
		return err
	}
	s.after = after
	if s.created {
		if s.mode = 0o644; c.After.Mode == tree.Executable {
			s.mode = 0o755
		}
		return nil
	}
	if stored := t.worktree.StageBytes(ctx, s.path, s.before); !bytes.Equal(stored, s.before) {
		s.after = bytes.ReplaceAll(after, []byte("\n"), []byte("\r\n"))
	}
	return nil
}

// checkFree makes sure that a created file is not there already: git may not
// know of it. On a file system that ignores case it may be one that the same
// plan deletes.
func (p *plan) checkFree(root *os.Root, gone []fs.FileInfo) error {
	for _, s := range p.steps {
		if !s.created {
			continue
		}
		info, err := root.Lstat(s.path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		taken := true
		for _, g := range gone {
			taken = taken && !os.SameFile(g, info)
		}
		if taken {
			return fmt.Errorf("%s: %s. Nothing was changed", rules.Display(s.path), inTheWay(info))
		}
	}
	return nil
}

// inTheWay says what is on disk, and no part of the tree, where a file is to be
// created, and what to do.
func inTheWay(info fs.FileInfo) string {
	switch {
	case info.IsDir():
		return "is a directory on disk; move it away first"
	case !info.Mode().IsRegular():
		return "is on disk already, and no regular file; move it away first"
	}
	return "is on disk already, but git ignores it; remove the ignore rule, or move the file away first"
}

// realParents makes sure that no directory above path is a symbolic link or
// something else.
func realParents(root *os.Root, path string) error {
	for i, c := range path {
		if c != '/' {
			continue
		}
		info, err := root.Lstat(path[:i])
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return fmt.Errorf("%s: is no real directory on disk; nothing was changed", rules.Display(path[:i]))
		}
	}
	return nil
}

// diff is the whole plan as a unified diff that git apply takes.
func (p *plan) diff() string {
	var b strings.Builder
	for i := range p.steps {
		b.WriteString(p.steps[i].diff())
	}
	return b.String()
}

func (s *step) diff() string {
	from, to := diffName("a/"+s.path), diffName("b/"+s.path)
	head := fmt.Sprintf("diff --git %s %s\n", strings.TrimSuffix(from, "\t"), strings.TrimSuffix(to, "\t"))
	switch {
	case s.created:
		from, head = "/dev/null", head+"new file mode "+gitMode(s.mode)+"\n"
	case s.gone:
		to, head = "/dev/null", head+"deleted file mode "+gitMode(s.mode)+"\n"
	}
	return head + udiff.Unified(from, to, string(s.before), string(s.after))
}

func gitMode(mode fs.FileMode) string {
	if mode&0o100 != 0 {
		return "100755"
	}
	return "100644"
}

// diffName is the name as git writes it into a diff: quoted when it must be,
// with a tab after it when it holds a space, so that its end can be told.
func diffName(name string) string {
	shown := rules.Display(name)
	if strings.Contains(shown, " ") {
		shown += "\t"
	}
	return shown
}
