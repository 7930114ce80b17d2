package agentcli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/memls/memls/agentcli/blocks"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/tree"
)

// adopt makes memory of the git repository at dir: an index, the blocks' files
// and the hooks come to it, and nothing in it is changed.
func (a *app) adopt(ctx context.Context, opt initOptions, dir string, files []blocks.File) error {
	repo, head, err := a.openClean(ctx, dir)
	if err != nil {
		return err
	}
	defer repo.Close()
	if head.Has(rules.Index) {
		return fmt.Errorf("%s: has a root %s already; agentcli check judges it, agentcli hook install adds the hooks", rules.Display(repo.Top), rules.Index)
	}
	added, err := addTo(head, files)
	if err != nil {
		return err
	}
	p := &proposal{
		root: repo.Top, policy: config.Policy(opt.policy.value), before: head, after: orEmpty(head).With(added),
		message: "chore: adopt as memory",
		refused: "Mend these first: write a root MEMORY.md, run agentcli fix, mend what is left and commit; then agentcli hook install does the rest. " +
			"For memory of the v1 layout (system/, reference/) use agentcli init --from.",
	}
	return a.offer(ctx, p, opt, func() error { return a.amend(ctx, repo, p) })
}

// openClean opens the repository at dir and makes sure that a commit can be put
// on top of its last one without touching anything that is under way.
func (a *app) openClean(ctx context.Context, dir string) (*repository, *tree.Tree, error) {
	other := *a
	other.dir = dir
	repo, err := other.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	head, err := repo.cleanHead(ctx)
	if err == nil && resolved(dir) != resolved(repo.Top) {
		err = fmt.Errorf("%s: is a directory in the repository %s; name that one, or git init here first", rules.Display(dir), repo.Top)
	}
	if err != nil {
		repo.Close()
		return nil, nil, err
	}
	return repo, head, nil
}

func (r *repository) cleanHead(ctx context.Context) (*tree.Tree, error) {
	if r.Top == "" {
		return nil, fmt.Errorf("%s: has no working tree; clone it, and use the clone", rules.Display(r.GitDir))
	}
	state, err := r.State(ctx)
	if err != nil {
		return nil, err
	}
	if name := state.String(); name != "" {
		return nil, fmt.Errorf("%s: a %s is not finished; finish or abort it first", rules.Display(r.Top), name)
	}
	out, err := r.git(ctx, "status", "--porcelain", "-z", "--no-renames")
	if err != nil {
		return nil, err
	}
	if first, _, found := strings.Cut(string(out), "\x00"); found {
		return nil, fmt.Errorf("%s: has changes that are not committed (%s, …); commit or stash them first", rules.Display(r.Top), rules.Display(strings.TrimSpace(first)))
	}
	head, err := r.Head(ctx)
	if err != nil || head == nil {
		return nil, err
	}
	// What is judged is also shown, after its object was read once.
	return readOnce(head), head.Err()
}

// addTo are the files that come to a tree, each in a place that is free. The
// index, unless a block is it, lists what was there as well.
func addTo(head *tree.Tree, files []blocks.File) ([]*tree.File, error) {
	var added []*tree.File
	var errs []error
	ownIndex := false
	for _, f := range files {
		twins := orEmpty(head).Root().Twins(f.Path)
		if orEmpty(head).Has(f.Path) {
			twins = append(twins, f.Path)
		}
		switch {
		case len(twins) > 0 && f.Path == config.Path:
			errs = append(errs, fmt.Errorf("%s: exists; add the limits and readOnlyFiles of the blocks to it yourself", f.Path))
		case len(twins) > 0:
			errs = append(errs, fmt.Errorf("block %q: its file %s would be the same as %s, which exists", f.Label, rules.Display(f.Path), rules.Display(twins[0])))
		case f.Path == rules.Index && f.Label == "":
		default:
			ownIndex = ownIndex || f.Path == rules.Index
			added = append(added, treeFiles([]blocks.File{f})...)
		}
	}
	if len(errs) > 0 {
		return nil, fmt.Errorf("%w\nnothing was written", errors.Join(errs...))
	}
	if !ownIndex {
		p := proposal{after: orEmpty(head).With(added), policy: config.RootMarker}
		added = append(added, treeFiles([]blocks.File{{Path: rules.Index, Content: []byte(p.view().IndexText("", nil))}})...)
	}
	return added, nil
}
