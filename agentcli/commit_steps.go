package agentcli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// stage makes the index of the commit, apart from the user's.
func (c *commitRun) stage(ctx context.Context) (index string, err error) {
	index = filepath.Join(c.temp, "index")
	if len(c.sel) == 0 || slices.Contains(c.sel, "") {
		c.sel = nil
		if err := copyIndex(c.GitDir, index); err != nil {
			return "", err
		}
		_, err = c.do(ctx, gitCall{index: index}, "add", "-A")
		return index, err
	}
	from := "--empty"
	if c.base != "" {
		from = c.base
	}
	if _, err = c.do(ctx, gitCall{index: index}, "read-tree", from); err != nil {
		return "", err
	}
	args := append([]string{"add", "-A", "--"}, c.sel...)
	_, err = c.do(ctx, gitCall{index: index}, args...)
	return index, err
}

// copyIndex copies the index of a repository, if it has one already.
func copyIndex(gitDir, to string) error {
	text, err := os.ReadFile(filepath.Join(gitDir, "index"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot read the index: %w", err)
	}
	return os.WriteFile(to, text, 0o600)
}

// changed are the paths in which the commit differs from the last one.
func (c *commitRun) changed(ctx context.Context) ([]indexChange, error) {
	from := c.base
	if from == "" {
		empty, err := c.do(ctx, gitCall{}, "hash-object", "-t", "tree", "--stdin")
		if err != nil {
			return nil, err
		}
		from = empty
	}
	out, err := c.do(ctx, gitCall{}, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--no-commit-id", from, c.tree)
	if err != nil {
		return nil, err
	}
	// :100644 100755 <oid> <oid> M NUL path NUL (git-diff-tree(1))
	var changes []indexChange
	fields := strings.Split(out, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		words := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(words) != 5 {
			return nil, fmt.Errorf("git diff-tree printed %q, which makes no sense", fields[i])
		}
		change := indexChange{Path: fields[i+1]}
		if words[0] != "000000" {
			change.Old = words[0] + " " + words[2]
		}
		if words[1] != "000000" {
			change.New = words[1] + " " + words[3]
		}
		changes = append(changes, change)
	}
	return changes, nil
}

// messageHooks writes the message, as hooks see and change it.
func (c *commitRun) messageHooks(ctx context.Context, index string) error {
	file := filepath.Join(c.temp, "COMMIT_EDITMSG")
	if err := os.WriteFile(file, []byte(strings.TrimRight(c.message, "\n")+"\n"), 0o644); err != nil {
		return err
	}
	if err := c.runHook(ctx, index, "prepare-commit-msg", file, "message"); err != nil {
		return err
	}
	if err := c.runHook(ctx, index, "commit-msg", file); err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if c.message = string(text); strings.TrimSpace(c.message) == "" {
		return &hookRefusal{"commit-msg", "it left an empty message"}
	}
	return nil
}

// errMoved is for a branch that is no longer where the work began.
var errMoved = errors.New("somebody else has committed meanwhile; nothing was committed, run this again")

// record makes the commit and brings branch and index to it, and the files that
// do not have it yet.
func (c *commitRun) record(ctx context.Context, staged map[string]string, files *plan) error {
	// From here on it is quicker to finish than to give up.
	ctx = context.WithoutCancel(ctx)
	args := []string{"commit-tree", "-F", "-"}
	if c.base != "" {
		args = append(args, "-p", c.base)
	}
	commit, err := c.do(ctx, gitCall{stdin: []byte(c.message), env: append(c.identity(ctx), c.author...)}, append(args, c.tree)...)
	if err != nil {
		return err
	}
	kind := "commit: "
	if c.base == "" {
		kind = "commit (initial): "
	}
	p := &pending{Command: "commit", Message: kind + c.subject(), Refs: []refChange{{"HEAD", c.base, commit}}, Files: files.changes()}
	if c.rescue != nil && c.rescue.commit != "" {
		p.Refs = append(p.Refs, refChange{c.rescue.ref, c.rescue.commit, ""})
	}
	if p.Index, err = c.brought(ctx, staged); err != nil {
		return err
	}
	if err := c.save(p); err != nil {
		return err
	}
	moved, err := c.moveRefs(ctx, p)
	if err != nil || !moved {
		if err == nil {
			err = errMoved
		}
		return errors.Join(err, os.Remove(c.pendingFile()))
	}
	c.commit = commit
	if err = c.carryOut(files); err == nil {
		err = c.updateIndex(ctx, p.Index)
	}
	if err != nil {
		c.note("committed, but the files or the index are not brought along yet: %v; the next agentcli that writes does it", err)
		return nil
	}
	return c.drop()
}

// brought is what becomes of the index: each path that was to be committed has
// what was.
func (c *commitRun) brought(ctx context.Context, staged map[string]string) ([]indexChange, error) {
	out, err := c.do(ctx, gitCall{}, "ls-tree", "-r", "-z", "--full-tree", c.tree)
	if err != nil {
		return nil, err
	}
	committed := map[string]string{}
	for record := range strings.SplitSeq(out, "\x00") {
		// 100644 blob <oid> TAB path (git-ls-tree(1))
		head, path, ok := strings.Cut(record, "\t")
		if words := strings.Fields(head); ok && len(words) == 3 {
			committed[path] = words[0] + " " + words[2]
		}
	}
	var changes []indexChange
	add := func(path string) {
		if c.sel.has(path) && staged[path] != committed[path] {
			changes = append(changes, indexChange{path, staged[path], committed[path]})
		}
	}
	for path := range staged {
		add(path)
	}
	for path := range committed {
		if _, known := staged[path]; !known {
			add(path)
		}
	}
	slices.SortFunc(changes, func(a, b indexChange) int { return strings.Compare(a.Path, b.Path) })
	return changes, nil
}

// afterwards runs the hook that can no longer refuse.
func (c *commitRun) afterwards(ctx context.Context) {
	err := c.runHook(ctx, "", "post-commit")
	if refused, ok := errors.AsType[*hookRefusal](err); ok {
		c.note("committed, but the post-commit hook failed: %s", printableLines(refused.output))
	} else if err != nil {
		c.note("committed, but: %s", printableLines(err.Error()))
	}
}

func (c *commitRun) subject() string {
	line, _, _ := strings.Cut(strings.TrimSpace(c.message), "\n")
	return line
}
