package agentcli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
)

// restoreRefs is where restore keeps what it replaces.
const restoreRefs = "refs/memls/restore/"

const restoreHelp = `Make the repository what it was when a backup was written: branches, tags, HEAD, staged changes
and files. What there is now, uncommitted changes included, is kept first, below
refs/memls/restore/, and the way back is printed. Ignored files stay, unless one is in the way of
a restored file: then it is kept too.

FILE is what agentcli backup wrote, or the name of such kept refs. With --into a repository is
made in DIR, which must be missing or empty.`

func (a *app) restoreCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Go back to a backup, keeping what it replaces",
		Long:  restoreHelp,
		Example: `  agentcli restore ~/backups/memory.bundle
  agentcli restore --into ~/memory ~/backups/memory.bundle
  agentcli restore refs/memls/restore/20260102T030405.678Z take a restore back`,
		Args: cobra.ExactArgs(1),
	}
	into := cmd.Flags().String("into", "", "make a repository in `DIR`")
	format := formatFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		r := restoreRun{source: args[0]}
		if !strings.HasPrefix(r.source, restoreRefs) {
			abs, err := filepath.Abs(r.source)
			if err != nil {
				return err
			}
			if _, err := os.Stat(abs); err != nil {
				return fmt.Errorf("%s: no such backup: %w", rules.Display(r.source), errors.Unwrap(err))
			}
			r.source = abs
		}
		w, err := a.restoreTarget(cmd.Context(), *into)
		if err != nil {
			return err
		}
		defer w.Close()
		if r.writable = w; *into != "" {
			r.fresh = true
		}
		if err := r.run(cmd.Context()); err != nil {
			return err
		}
		if format.value == "json" {
			return a.printJSON(struct {
				Root string `json:"root"`
				Kept string `json:"kept"` // the refs of what was replaced; "" for nothing
			}{w.root(), r.kept})
		}
		fmt.Fprintf(a.out, "restored %s\n", rules.Display(args[0]))
		if r.kept != "" {
			fmt.Fprintf(a.out, "What was there is kept. To go back: agentcli restore %s\n", r.kept)
		}
		return nil
	}
	return cmd
}

// elsewhere are variables that name a repository which is not the one to make.
var elsewhere = []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE"}

// restoreTarget is the repository to restore, made where it is to be new.
func (a *app) restoreTarget(ctx context.Context, into string) (*writable, error) {
	if into == "" {
		return a.openToWrite(ctx)
	}
	if names, err := os.ReadDir(into); err == nil && len(names) > 0 {
		return nil, fmt.Errorf("%s: is not empty; name a directory that is, or one that is not there", rules.Display(into))
	}
	if err := os.MkdirAll(into, 0o755); err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(into)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "git", "init", "-q", "-b", "main", abs)
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); !slices.Contains(elsewhere, name) {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("git init: %w: %s", err, strings.TrimSpace(string(out)))
	}
	there := *a
	there.dir = abs
	return there.openToWrite(ctx)
}

// A restoreRun is one run of restore.
type restoreRun struct {
	*writable
	source string // a bundle's file, or a prefix of refs
	fresh  bool   // the repository was made for it

	wanted map[string]string // refs of the state, by their own names
	kept   string            // prefix of the refs that keep the present
}

func (r *restoreRun) run(ctx context.Context) error {
	if err := r.read(ctx); err != nil {
		return err
	}
	if !r.fresh {
		if err := r.idle(ctx, "run agentcli restore again"); err != nil {
			return err
		}
	}
	worktree, index := r.wanted[stateWorktree], r.wanted[stateIndex]
	if worktree == "" || index == "" {
		return fmt.Errorf("%s: is no backup of agentcli; git clone can read other bundles", rules.Display(r.source))
	}
	head, err := r.trailer(ctx, worktree, "Head")
	if err != nil {
		return err
	}
	p := &pending{Command: "restore", Message: "restore: " + filepath.Base(r.source), Head: head, Worktree: worktree + "^{tree}", IndexTree: index + "^{tree}"}
	if !r.fresh {
		r.kept = restoreRefs + time.Now().UTC().Format(refStamp)
		p.Keep = r.kept + "/interrupted"
		if err := r.keep(ctx, worktree); err != nil {
			return err
		}
	}
	if p.Refs, err = r.refChanges(ctx); err != nil {
		return err
	}
	if err := r.restorePolicy(ctx, worktree); err != nil {
		return err
	}
	if err := r.save(p); err != nil {
		return err
	}
	moved, err := r.moveRefs(ctx, p)
	if err != nil || !moved {
		if err == nil {
			err = errors.New("a branch was moved by somebody else meanwhile; nothing was restored, run this again")
		}
		return errors.Join(err, os.Remove(r.pendingFile()))
	}
	first := *p
	first.Keep = "" // it has just been kept
	if err := r.checkOut(ctx, &first); err != nil {
		return fmt.Errorf("%w; the next agentcli that writes goes on with it", err)
	}
	return r.drop()
}

// read finds the refs of the state, and makes its objects known.
func (r *restoreRun) read(ctx context.Context) error {
	r.wanted = map[string]string{}
	if strings.HasPrefix(r.source, restoreRefs) {
		prefix := strings.TrimRight(r.source, "/") + "/"
		refs, err := r.refs(ctx, prefix)
		if err != nil {
			return err
		}
		if len(refs) == 0 {
			return fmt.Errorf("%s: nothing is kept under this name; git for-each-ref %s lists what is", r.source, restoreRefs)
		}
		for name, oid := range refs {
			rest := strings.TrimPrefix(name, prefix)
			if inState("refs/" + rest) {
				rest = "refs/" + rest
			}
			r.wanted[rest] = oid
		}
		return nil
	}
	out, err := r.do(ctx, gitCall{}, "bundle", "unbundle", r.source)
	if err != nil {
		return fmt.Errorf("%s: %w", rules.Display(r.source), err)
	}
	for line := range strings.Lines(out) {
		oid, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		if rest, ok := strings.CutPrefix(name, backupRefs); ok || inState(name) {
			r.wanted[rest] = oid
		}
	}
	return nil
}

// keep writes the present state to refs, with the ignored files that are in
// the way of restored ones.
func (r *restoreRun) keep(ctx context.Context, worktree string) error {
	if err := r.fault("keep the present"); err != nil {
		return err
	}
	inTheWay, err := r.overwritten(ctx, worktree)
	if err != nil {
		return err
	}
	now, index, err := r.stateCommits(ctx, inTheWay)
	if err != nil {
		return err
	}
	refs, err := r.refs(ctx, "refs/")
	if err != nil {
		return err
	}
	changes := []refChange{{r.kept + "/" + stateWorktree, "", now}, {r.kept + "/" + stateIndex, "", index}}
	for name, oid := range refs {
		if inState(name) {
			changes = append(changes, refChange{r.kept + "/" + strings.TrimPrefix(name, "refs/"), "", oid})
		}
	}
	_, err = r.do(ctx, gitCall{stdin: []byte(refTransaction(changes, r.OIDSize))}, "update-ref", "--stdin", "-z")
	return err
}

// overwritten are files on disk that git ignores, where a restored one comes.
func (w *writable) overwritten(ctx context.Context, commit string) ([]string, error) {
	t, _, err := w.Revision(ctx, commit)
	if err != nil {
		return nil, err
	}
	worktree, err := w.Worktree(ctx)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(w.Top)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var paths []string
	for f := range t.All() {
		if _, err := root.Lstat(f.Path); err == nil && !worktree.Tree.Has(f.Path) {
			paths = append(paths, f.Path)
		}
	}
	return paths, nil
}

// refChanges make the refs those of the state, and remove what it has not.
func (r *restoreRun) refChanges(ctx context.Context) ([]refChange, error) {
	now, err := r.refs(ctx, "refs/")
	if err != nil {
		return nil, err
	}
	var changes []refChange
	for name, oid := range r.wanted {
		if inState(name) && now[name] != oid {
			changes = append(changes, refChange{name, now[name], oid})
		}
	}
	for name, oid := range now {
		if inState(name) && r.wanted[name] == "" {
			changes = append(changes, refChange{name, oid, ""})
		}
	}
	return changes, nil
}

// restorePolicy gives a new repository the policy of the one in the backup.
func (r *restoreRun) restorePolicy(ctx context.Context, worktree string) error {
	if !r.fresh {
		return nil
	}
	policy, err := r.trailer(ctx, worktree, "Policy")
	if err != nil || policy == "" {
		return err
	}
	return os.WriteFile(filepath.Join(r.CommonDir, config.PolicyFile), []byte(policy+"\n"), 0o644)
}

// checkOut makes files and index those of a record. It can be done again: where
// a killed run was at it, what is there by now is kept first.
func (w *writable) checkOut(ctx context.Context, p *pending) error {
	if p.Worktree == "" {
		return nil
	}
	if err := w.indexFree(ctx); err != nil {
		return err
	}
	if p.Keep != "" {
		now, _, err := w.stateCommits(ctx, nil)
		if err != nil {
			return err
		}
		if _, err := w.do(ctx, gitCall{}, "update-ref", p.Keep, now); err != nil {
			return err
		}
	}
	if err := w.fault("check out"); err != nil {
		return err
	}
	// An index of everything that is there, so that git removes what is not to
	// be, and writes what differs.
	index := filepath.Join(w.temp, "check-out-index")
	if err := copyIndex(w.GitDir, index); err != nil {
		return err
	}
	if _, err := w.do(ctx, gitCall{index: index}, "add", "-A"); err != nil {
		return err
	}
	if _, err := w.do(ctx, gitCall{index: index}, "read-tree", "--reset", "-u", p.Worktree); err != nil {
		return err
	}
	if err := w.fault("replace the index"); err != nil {
		return err
	}
	if _, err := w.do(ctx, gitCall{}, "read-tree", "--reset", p.IndexTree); err != nil {
		return err
	}
	_, _ = w.do(ctx, gitCall{}, "update-index", "-q", "--refresh") // only speeds git up
	return nil
}
