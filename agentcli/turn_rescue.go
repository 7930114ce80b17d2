package agentcli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/memls/memls/rules"
)

// rescueRefs is where work of agents is kept that is not committed.
const rescueRefs = "refs/agentcli/rescue/"

// A rescue is a ref that keeps the work of one turn, as a commit on top of its
// base: nobody sees it in a branch, and no garbage collection takes it.
type rescue struct {
	ref    string
	commit string // what the ref names, "" before it was made
	// message says what was asked and why the work is not committed; it may
	// change until the ref is made or renewed.
	message string
}

// newRescue names a rescue by the time and by its turn.
func newRescue(now time.Time, turn string) *rescue {
	return &rescue{ref: rescueRefs + now.UTC().Format(refStamp) + "-" + turn}
}

// keep makes the ref, or brings it to a newer tree or message.
func (r *rescue) keep(ctx context.Context, w *writable, base, tree string) error {
	ctx = context.WithoutCancel(ctx) // this is what an interruption is survived by
	args := []string{"commit-tree", "-F", "-"}
	if base != "" {
		args = append(args, "-p", base)
	}
	commit, err := w.do(ctx, gitCall{stdin: []byte(r.message), env: w.identity(ctx)}, append(args, tree)...)
	if err != nil || commit == r.commit {
		return err
	}
	if err := w.fault("keep the work"); err != nil {
		return err
	}
	if err := w.moveRescue(ctx, refChange{r.ref, r.commit, commit}); err != nil {
		return err
	}
	r.commit = commit
	return nil
}

// drop removes the ref, whose work is committed or not wanted.
func (r *rescue) drop(ctx context.Context, w *writable) error {
	if r.commit == "" {
		return nil
	}
	if err := w.moveRescue(context.WithoutCancel(ctx), refChange{r.ref, r.commit, ""}); err != nil {
		return err
	}
	r.commit = ""
	return nil
}

func (w *writable) moveRescue(ctx context.Context, change refChange) error {
	_, err := w.do(ctx, gitCall{stdin: []byte(refTransaction([]refChange{change}, w.OIDSize))}, "update-ref", "--stdin", "-z")
	return err
}

// rescueOverlay keeps an overlay that is not to be committed now.
func (w *writable) rescueOverlay(ctx context.Context, o overlay) error {
	ctx = context.WithoutCancel(ctx)
	index, err := w.overlayIndex(ctx, o.base, o.changes)
	if err != nil {
		return err
	}
	tree, err := w.do(ctx, gitCall{index: index}, "write-tree")
	if err != nil {
		return err
	}
	return o.rescue.keep(ctx, w, o.base, tree)
}

// openRescue finds a rescue by its ref, or the end of it; "" is the newest.
func (r *repository) openRescue(ctx context.Context, name string) (*rescue, error) {
	prefix := rescueRefs
	if name != "" {
		prefix += strings.TrimPrefix(name, rescueRefs)
	}
	out, err := r.git(ctx, "for-each-ref", "--sort=refname", "--format=%(refname) %(objectname)", prefix)
	if err != nil {
		return nil, err
	}
	var found *rescue
	for line := range strings.Lines(string(out)) {
		ref, commit, _ := strings.Cut(strings.TrimSpace(line), " ")
		found = &rescue{ref: ref, commit: commit}
	}
	switch {
	case found == nil && name == "":
		return nil, errors.New("there is no work to resume: no turn was left unfinished here")
	case found == nil:
		return nil, fmt.Errorf("%s: no such work is kept; git for-each-ref %s lists what is", rules.Display(name), rescueRefs)
	}
	text, err := r.git(ctx, "show", "-s", "--format=%B", found.commit)
	found.message = string(text)
	return found, err
}
