package agentcli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/gitrepo"
	"github.com/memls/memls/rules/tree"
)

func (a *app) diffCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff [PATH…]",
		Short: "Show what changed since the last commit",
		Long: `Show the changes of the working tree against the last commit as a unified diff: staged or not,
with new files, as git add -A would stage them. Neither the index nor any file is touched, and no
program that git's configuration names for diffs or as a pager runs. git apply takes the output.`,
		Example: `  agentcli diff
  agentcli diff projects
  agentcli diff --format json`,
	}
	format := formatFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		repo, err := a.open(ctx)
		if err != nil {
			return err
		}
		defer repo.Close()
		sel, err := repo.resolve(args)
		if err != nil {
			return err
		}
		d, err := repo.differ(ctx, sel)
		if err != nil {
			return err
		}
		defer d.close()
		if format.value == "json" {
			return a.printDiffJSON(ctx, d)
		}
		color := "--no-color"
		if a.painter() {
			color = "--color"
		}
		out, err := d.diff(ctx, append(patchArgs, color)...)
		if err != nil {
			return err
		}
		if len(out) == 0 {
			a.note("no changes since the last commit")
		}
		_, err = a.out.Write(out)
		return err
	}
	return cmd
}

// patchArgs ask for the same diff whatever the user's configuration.
var patchArgs = []string{
	"--patch", "--unified=3", "--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/",
	"--no-relative", "--submodule=short", "--ws-error-highlight=none",
}

// A differ asks git for the changes of the working tree against the last
// commit, by an index of its own in which new files are known.
type differ struct {
	repo  *repository
	base  string // the commit, or the empty tree
	paths selection
	dir   string // of the private index
}

// differ makes the private index: a copy of git's, so that git need not read
// what did not change, with untracked files noted but not stored.
func (r *repository) differ(ctx context.Context, paths selection) (*differ, error) {
	if r.Top == "" {
		return nil, fmt.Errorf("%s: %w; run this where the files are checked out", r.GitDir, gitrepo.ErrNoWorktree)
	}
	d := &differ{repo: r, base: "HEAD", paths: paths}
	head, err := r.Head(ctx)
	if err != nil {
		return nil, err
	}
	if head == nil {
		empty, err := r.git(ctx, "hash-object", "-t", "tree", os.DevNull)
		if err != nil {
			return nil, err
		}
		d.base = strings.TrimSpace(string(empty))
	}
	own := filepath.Join(r.CommonDir, "memls")
	if err := os.MkdirAll(own, 0o777); err != nil {
		return nil, err
	}
	if d.dir, err = os.MkdirTemp(own, "diff-*"); err != nil {
		return nil, err
	}
	err = d.fill(ctx)
	if err == nil {
		err = d.mustExist(ctx, head)
	}
	if err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// mustExist fails for a path that is neither here nor in the last commit: it is
// mistyped, and "no changes" would pass for an answer.
func (d *differ) mustExist(ctx context.Context, head *tree.Tree) error {
	for _, p := range d.paths {
		if p == "" || head.Has(p) || head.Dir(p) != nil {
			continue
		}
		if out, err := d.git(ctx, "ls-files", "-z", "--", p); err != nil {
			return err
		} else if len(out) == 0 {
			return fmt.Errorf("%s: no such file or directory in the last commit or the working tree (ignored files are not part of it)", rules.Display(p))
		}
	}
	return nil
}

func (d *differ) index() string { return filepath.Join(d.dir, "index") }

// close removes the index. What is left after a kill costs some space, and is
// as good as gone.
func (d *differ) close() { _ = os.RemoveAll(d.dir) }

func (d *differ) fill(ctx context.Context) error {
	path, err := d.repo.git(ctx, "rev-parse", "--path-format=absolute", "--git-path", "index")
	if err != nil {
		return err
	}
	if err := copyFile(strings.TrimSuffix(string(path), "\n"), d.index()); err != nil {
		return fmt.Errorf("cannot copy the index: %w", err)
	}
	_, err = d.git(ctx, "add", "--intent-to-add", "--ignore-errors", "--", ".")
	return err
}

func (d *differ) git(ctx context.Context, args ...string) ([]byte, error) {
	flags := []string{"--no-pager", "--literal-pathspecs", "-c", "core.quotePath=false", "-c", "core.splitIndex=false"}
	cmd := d.repo.Command(ctx, append(flags, args...)...)
	cmd.Env = append(slices.Clip(cmd.Env), "GIT_INDEX_FILE="+d.index())
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && ctx.Err() == nil {
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(exit.Stderr))
	}
	return out, err
}

func (d *differ) diff(ctx context.Context, args ...string) ([]byte, error) {
	args = append([]string{"diff", "--no-ext-diff", "--no-textconv", "--find-renames", "-O/dev/null"}, args...)
	args = append(args, d.base, "--")
	for _, p := range d.paths {
		if p == "" {
			p = "."
		}
		args = append(args, p)
	}
	return d.git(ctx, args...)
}

// copyFile copies a file with its time, by which git tells which entries of an
// index may have changed unseen; one that is not there leaves nothing.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	info, err := in.Stat()
	if err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// A changedFile is a file in the JSON of diff.
type changedFile struct {
	Path   string  `json:"path"`
	From   *string `json:"from"`   // the path that it had, null if it has the same
	Change string  `json:"change"` // added, deleted, modified, renamed, copied, type changed or in conflict
}

var changeNames = map[byte]string{
	'A': "added", 'D': "deleted", 'M': "modified", 'R': "renamed", 'C': "copied", 'T': "type changed", 'U': "in conflict",
}

func (a *app) printDiffJSON(ctx context.Context, d *differ) error {
	names, err := d.diff(ctx, "--name-status", "-z")
	if err != nil {
		return err
	}
	patch, err := d.diff(ctx, append(patchArgs, "--no-color")...)
	if err != nil {
		return err
	}
	return a.printJSON(struct {
		Files []changedFile `json:"files"`
		Diff  string        `json:"diff"`
	}{parseNameStatus(string(names)), string(patch)})
}

// parseNameStatus reads git diff --name-status -z: a letter, with a score
// after R and C, and one path or two.
func parseNameStatus(out string) []changedFile {
	files := []changedFile{}
	fields := strings.Split(out, "\x00")
	for len(fields) >= 2 && fields[0] != "" {
		f := changedFile{Path: fields[1], Change: changeNames[fields[0][0]]}
		n := 2
		if strings.ContainsAny(fields[0][:1], "RC") && len(fields) >= 3 {
			f.From, f.Path, n = &fields[1], fields[2], 3
		}
		files, fields = append(files, f), fields[n:]
	}
	return files
}
