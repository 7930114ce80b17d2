package agentcli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/memls/memls/agentcli/blocks"
	"github.com/memls/memls/agentcli/hook"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/tree"
)

// create makes a new repository in dir.
func (a *app) create(ctx context.Context, opt initOptions, dir string, files []blocks.File) error {
	c := creation{app: a}
	if err := c.locate(dir); err != nil {
		return err
	}
	p := &proposal{
		root: dir, policy: config.Policy(opt.policy.value), after: tree.New(treeFiles(files)),
		message: "chore: initialize memory",
		refused: "Mend the blocks and run this again. A limit counts the whole file in characters, frontmatter included.",
	}
	return a.offer(ctx, p, opt, func() error { return c.make(ctx, p) })
}

func treeFiles(files []blocks.File) []*tree.File {
	list := make([]*tree.File, len(files))
	for i, f := range files {
		list[i] = tree.NewFile(f.Path, tree.Regular, "", tree.Buffer(f.Content))
	}
	return list
}

// A creation makes a repository out of sight and moves it to its place in one
// step, so that whatever happens there is either all of it or nothing.
type creation struct {
	*app
	target string
	// near is the directory that the work is done in: that which is above the
	// first one to be made, so that a rename is possible.
	near string
	// way leads from near to target.
	way string
	// exists says that target is there, and empty; inside, that it has to stay
	// the directory it is.
	exists, inside bool
}

// locate finds out what is at the target, and where to work.
func (c *creation) locate(dir string) error {
	c.target, c.near = dir, dir
	info, err := os.Stat(dir)
	switch {
	case err == nil && !info.IsDir():
		return fmt.Errorf("%s: is a file; name a directory that does not exist or is empty", rules.Display(dir))
	case err == nil:
		c.exists = true
		if err := c.mustBeEmpty(); err != nil {
			return err
		}
		c.target = resolved(dir)
		wd, err := os.Stat(".")
		c.inside = err == nil && os.SameFile(wd, info)
		c.near = c.target
	case !isMissing(err):
		return err
	}
	if !c.inside {
		c.near = filepath.Dir(c.target)
	}
	for {
		info, err := os.Stat(c.near)
		if err == nil {
			if !info.IsDir() {
				return fmt.Errorf("%s: is a file; the repository cannot lie below it", rules.Display(c.near))
			}
			break
		}
		if up := filepath.Dir(c.near); isMissing(err) && up != c.near {
			c.near = up
			continue
		}
		return err
	}
	c.way, err = filepath.Rel(c.near, c.target)
	return err
}

// isMissing also holds for what would lie below a file.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func (c *creation) mustBeEmpty() error {
	entries, err := os.ReadDir(c.target)
	if err != nil || len(entries) == 0 {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), insideName) {
			return fmt.Errorf("%s: holds %s of an init that is at work or was killed; when none is at work, remove it and the files beside it that it names in %s",
				rules.Display(c.target), e.Name(), movingName)
		}
		if e.Name() == ".git" {
			return fmt.Errorf("%s: is a git repository already; --adopt makes memory of it, and --from moves memory of the v1 layout to v2", rules.Display(c.target))
		}
	}
	return fmt.Errorf("%s: is not empty; name another directory, or make it a git repository, commit, and give --adopt", rules.Display(c.target))
}

const (
	// insideName begins the name of the directory that the work is done in.
	insideName = ".agentcli-init-"
	// movingName is the list of what is being moved out of it.
	movingName = "MOVING"
)

// make builds the repository and moves it to its place.
func (c *creation) make(ctx context.Context, p *proposal) (err error) {
	if err := c.fault("temp"); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(c.near, insideName)
	if err != nil {
		return err
	}
	defer func() {
		if removeErr := os.RemoveAll(temp); removeErr != nil && err == nil {
			p.notes = append(p.notes, fmt.Sprintf("cannot remove what the work left behind: %v", removeErr))
		}
		if err != nil && ctx.Err() == nil {
			err = fmt.Errorf("%w\nnothing was made of %s", err, rules.Display(c.target))
		}
	}()
	way := c.way
	if c.inside {
		way = "memory"
	}
	made := filepath.Join(temp, way)
	if err := os.MkdirAll(made, 0o777); err != nil {
		return err
	}
	if err := c.build(ctx, made, p); err != nil {
		return err
	}
	if err := c.fault("place"); err != nil {
		return err
	}
	if c.inside {
		return c.fill(temp, made)
	}
	first, _, _ := strings.Cut(way, string(filepath.Separator))
	if c.exists {
		return c.replace(temp, made)
	}
	return os.Rename(filepath.Join(temp, first), filepath.Join(c.near, first))
}

// build makes the whole repository in dir.
func (c *creation) build(ctx context.Context, dir string, p *proposal) error {
	g := &gitRunner{dir: dir}
	if err := c.fault("git init"); err != nil {
		return err
	}
	// No template: it could bring hooks of its own.
	if _, err := g.run(ctx, "init", "-q", "--template=", "--initial-branch=main"); err != nil {
		return err
	}
	if err := c.write(dir, p.after); err != nil {
		return err
	}
	if err := c.fault("hooks"); err != nil {
		return err
	}
	installed, err := hook.Install(ctx, hook.InstallOptions{Dir: dir, Policy: string(p.policy)})
	if errors.Is(err, hook.ErrSharedHooks) {
		return errors.New("core.hooksPath of your git configuration sends the hooks of every repository to one place; git init here with a core.hooksPath of its own, then use --adopt")
	}
	if err != nil {
		return err
	}
	for _, m := range installed.Messages {
		p.notes = append(p.notes, strings.ReplaceAll(m, dir, c.target))
	}
	if err := c.fault("git add"); err != nil {
		return err
	}
	// What a person has git ignore everywhere is no less memory.
	if _, err := g.run(ctx, "add", "--all", "--force"); err != nil {
		return err
	}
	if err := c.fault("git commit"); err != nil {
		return err
	}
	p.commit, err = g.commit(ctx, p.message, p.changesConfig())
	return err
}

// write writes the files, which all lie in dir directly.
func (c *creation) write(dir string, t *tree.Tree) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for f := range t.All() {
		if err := c.fault("write " + f.Path); err != nil {
			return err
		}
		src, err := f.Bytes()
		if err != nil {
			return err
		}
		out, err := root.OpenFile(f.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return err
		}
		_, err = out.Write(src)
		if err = errors.Join(err, out.Close()); err != nil {
			return err
		}
	}
	return nil
}

// replace puts the repository in the place of the empty directory. Where that
// cannot be replaced (a mount point, say), it is filled.
func (c *creation) replace(temp, made string) error {
	if info, err := os.Stat(c.target); err == nil {
		// As far as the system knows such bits.
		_ = os.Chmod(made, info.Mode().Perm())
	}
	if err := renameOver(made, c.target); err == nil {
		return nil
	}
	inner, err := os.MkdirTemp(c.target, insideName)
	if err != nil {
		return err
	}
	defer os.RemoveAll(inner)
	moved := filepath.Join(inner, "memory")
	if err := os.Rename(made, moved); err != nil {
		return fmt.Errorf("%s can neither be replaced nor filled: %w", rules.Display(c.target), err)
	}
	return c.fill(inner, moved)
}

// fill moves what was made into the target, which is the directory of a
// running shell and so has to stay the same one. The git directory comes last:
// before it there is no repository, and after it all of one.
func (c *creation) fill(temp, made string) error {
	entries, err := os.ReadDir(made)
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		if e.Name() != ".git" {
			names = append(names, e.Name())
		}
	}
	list := strings.Join(names, "\n") + "\n"
	if err := os.WriteFile(filepath.Join(temp, movingName), []byte(list), 0o644); err != nil {
		return err
	}
	for i, name := range append(names, ".git") {
		err := c.fault("move " + name)
		if err == nil {
			err = os.Rename(filepath.Join(made, name), filepath.Join(c.target, name))
		}
		if err != nil {
			for _, back := range names[:min(i, len(names))] {
				err = errors.Join(err, os.Remove(filepath.Join(c.target, back)))
			}
			return err
		}
	}
	return nil
}

// fault is where a test stops the program, or fails the step that comes next.
func (a *app) fault(step string) error {
	if a.env.Fault == nil {
		return nil
	}
	return a.env.Fault(step)
}
