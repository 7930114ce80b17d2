package agentcli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/memls/memls/agentcli/hook"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
)

// amend puts the proposal on top of the repository's last commit, through its
// hooks, which are installed first.
//
// The commit is made in a worktree of its own, where git runs the hooks as
// always; then git merge moves index, files and branch forward together, and
// refuses rather than overwrite a file that it does not know. Until then
// nothing of the repository has changed but the hooks, and those are taken
// back.
func (a *app) amend(ctx context.Context, repo *repository, p *proposal) (err error) {
	if err := p.mustBeFree(repo.Top); err != nil {
		return err
	}
	undo, err := a.installFor(ctx, repo, p)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, undo())
		}
	}()
	if p.before == nil {
		return a.commitFirst(ctx, repo, p)
	}
	commit, err := a.commitApart(ctx, repo, p)
	if err != nil {
		return err
	}
	if err := a.fault("git merge"); err != nil {
		return err
	}
	g := &gitRunner{dir: repo.Top}
	if _, err := g.run(ctx, "merge", "--quiet", "--ff-only", "--no-autostash", commit); err != nil {
		return err
	}
	p.commit = commit
	return nil
}

// mustBeFree makes sure that no file which git ignores is where one comes: git
// merge would overwrite it.
func (p *proposal) mustBeFree(top string) error {
	root, err := os.OpenRoot(top)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, c := range rules.Changes(orEmpty(p.before), p.after) {
		if c.Before != nil {
			continue
		}
		info, err := root.Lstat(c.Path)
		if isMissing(err) {
			continue
		}
		if err != nil {
			return err
		}
		// Where case does not count it may be the old name of the file.
		old, err := root.Lstat(p.moved[c.Path])
		if err != nil || !os.SameFile(old, info) {
			return fmt.Errorf("%s: %s. Nothing was written", rules.Display(c.Path), inTheWay(info))
		}
	}
	return nil
}

// installFor installs the hooks, and returns what takes them back.
func (a *app) installFor(ctx context.Context, repo *repository, p *proposal) (undo func() error, err error) {
	if err := a.fault("hooks"); err != nil {
		return nil, err
	}
	policyFile := filepath.Join(repo.CommonDir, config.PolicyFile)
	policy, readErr := os.ReadFile(policyFile)
	if readErr != nil && !errors.Is(readErr, fs.ErrNotExist) {
		return nil, readErr
	}
	installed, err := hook.Install(ctx, hook.InstallOptions{Dir: repo.Top, Policy: string(p.policy)})
	if errors.Is(err, hook.ErrForeignHook) {
		return nil, fmt.Errorf("%w\nrun agentcli hook install --chain first, then this again", err)
	}
	if err != nil {
		return nil, err
	}
	p.notes = append(p.notes, installed.Messages...)
	return func() error {
		if len(installed.Changed) == 0 {
			return nil
		}
		// Even after an interrupt: it is what makes nothing of a half.
		ctx := context.WithoutCancel(ctx)
		var errs []error
		for _, changed := range installed.Changed {
			if changed != installed.PolicyFile {
				_, err := hook.Uninstall(ctx, repo.Top)
				errs = append(errs, err)
				break
			}
		}
		if readErr != nil {
			errs = append(errs, os.Remove(policyFile))
		} else {
			errs = append(errs, os.WriteFile(policyFile, policy, 0o644))
		}
		return errors.Join(errs...)
	}, nil
}

// commitApart makes the commit in a linked worktree of its own, and returns
// its name.
func (a *app) commitApart(ctx context.Context, repo *repository, p *proposal) (commit string, err error) {
	if err := a.fault("git worktree"); err != nil {
		return "", err
	}
	own := filepath.Join(repo.CommonDir, "memls")
	if err := os.MkdirAll(own, 0o777); err != nil {
		return "", err
	}
	main := &gitRunner{dir: repo.Top}
	// What a killed run has left behind is of no use to anybody.
	if left, err := filepath.Glob(filepath.Join(own, apartName+"*")); err == nil {
		for _, dir := range left {
			_ = removeApart(ctx, main, dir)
		}
	}
	temp, err := os.MkdirTemp(own, apartName)
	if err != nil {
		return "", err
	}
	apart := &gitRunner{dir: filepath.Join(temp, worktreeName)}
	defer func() { err = errors.Join(err, removeApart(context.WithoutCancel(ctx), main, temp)) }()
	if _, err := main.run(ctx, "worktree", "add", "--quiet", "--detach", "--no-checkout", apart.dir, "HEAD"); err != nil {
		return "", err
	}
	if _, err := apart.run(ctx, "read-tree", "HEAD"); err != nil {
		return "", err
	}
	if err := a.stage(ctx, apart, p, repo.OIDSize); err != nil {
		return "", err
	}
	// Hooks of others may look at the files.
	if _, err := apart.run(ctx, "checkout-index", "--all", "--force", "--quiet"); err != nil {
		return "", err
	}
	if err := a.fault("git commit"); err != nil {
		return "", err
	}
	return apart.commit(ctx, p.message, p.changesConfig())
}

const (
	apartName    = "init-"
	worktreeName = "memory"
)

// removeApart removes the directory of a linked worktree, and git's record of
// it. Worktrees of others, which may be out of reach for now, keep theirs.
func removeApart(ctx context.Context, main *gitRunner, dir string) error {
	// It may be none yet, or none any more.
	_, _ = main.run(ctx, "worktree", "remove", "--force", filepath.Join(dir, worktreeName))
	return os.RemoveAll(dir)
}

// stage brings the changes into the index, to the byte: no attribute of a path
// has a say in what a move keeps.
func (a *app) stage(ctx context.Context, g *gitRunner, p *proposal, oidSize int) error {
	var info strings.Builder
	for _, c := range rules.Changes(orEmpty(p.before), p.after) {
		if c.After == nil {
			fmt.Fprintf(&info, "0 %s\t%s\x00", strings.Repeat("00", oidSize), c.Path)
			continue
		}
		if err := a.fault("write " + c.Path); err != nil {
			return err
		}
		src, err := c.After.Bytes()
		if err != nil {
			return err
		}
		oid, err := g.feed(ctx, src, "hash-object", "-w", "--no-filters", "--stdin")
		if err != nil {
			return err
		}
		fmt.Fprintf(&info, "%06o %s\t%s\x00", uint32(c.After.Mode), oid, c.Path)
	}
	_, err := g.feed(ctx, []byte(info.String()), "update-index", "-z", "--index-info")
	return err
}

// commitFirst makes the first commit of a repository that has none, in which
// there is nothing yet to be apart from.
func (a *app) commitFirst(ctx context.Context, repo *repository, p *proposal) (err error) {
	g := &gitRunner{dir: repo.Top}
	if err := a.stage(ctx, g, p, repo.OIDSize); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_, undoErr := g.run(context.WithoutCancel(ctx), "rm", "-r", "-q", "-f", "--ignore-unmatch", "--", ".")
			err = errors.Join(err, undoErr)
		}
	}()
	if err := a.fault("git checkout-index"); err != nil {
		return err
	}
	// Without --force it refuses to overwrite a file that is ignored.
	if _, err := g.run(ctx, "checkout-index", "--all", "--quiet"); err != nil {
		return err
	}
	if err := a.fault("git commit"); err != nil {
		return err
	}
	p.commit, err = g.commit(ctx, p.message, p.changesConfig())
	return err
}
