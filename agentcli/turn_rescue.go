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
	base   string // what it is laid over, where it was found; "" for no commit
	commit string // what the ref names, "" before it was made
	// message says what was asked and why the work is not committed; it may
	// change until the ref is made or renewed.
	message string
}

// rescueSubject begins the message of each rescue, and of nothing else that
// lies below rescueRefs.
const rescueSubject = "memls: work of "

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

// rescues are what is kept below a prefix, the oldest first, and the refs there
// that are somebody else's.
func (r *repository) rescues(ctx context.Context, prefix string) (kept []*rescue, others []string, err error) {
	out, err := r.git(ctx, "for-each-ref", "--sort=refname", "--format=%(refname)%00%(objectname) %(parent)%00%(contents)%00", prefix)
	if err != nil {
		return nil, nil, err
	}
	for fields := strings.Split(string(out), "\x00"); len(fields) > 3; fields = fields[3:] {
		ref, message := strings.TrimSpace(fields[0]), fields[2]
		if !strings.HasPrefix(message, rescueSubject) {
			others = append(others, ref)
			continue
		}
		commit, base, _ := strings.Cut(strings.TrimSpace(fields[1]), " ")
		kept = append(kept, &rescue{ref: ref, commit: commit, base: base, message: message})
	}
	return kept, others, nil
}

// openRescue finds a rescue by its ref, or the end of it; "" is the newest.
func (r *repository) openRescue(ctx context.Context, name string) (*rescue, error) {
	prefix := rescueRefs
	if name != "" {
		prefix += strings.TrimPrefix(name, rescueRefs)
	}
	kept, others, err := r.rescues(ctx, prefix)
	switch {
	case err != nil:
		return nil, err
	case len(kept) > 0:
		return kept[len(kept)-1], nil
	case len(others) > 0:
		return nil, fmt.Errorf("%s: is no work of a turn, so that there is nothing to resume; git update-ref -d removes the ref, if nobody needs it", rules.Display(others[0]))
	case name == "":
		return nil, errors.New("there is no work to resume: no turn was left unfinished here")
	}
	return nil, fmt.Errorf("%s: no such work is kept; git for-each-ref %s lists what is", rules.Display(name), rescueRefs)
}
