package agentcli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/tree"
)

// A pending record is what a command is about to change in several places that
// cannot change at once: refs, files, the index. It is on disk before the first
// of them changes. Whoever comes next carries out what a killed command did not,
// so that the repository is as it was before or as it is to be.
type pending struct {
	Command string      `json:"command"`
	Message string      `json:"message"` // for the reflog
	Refs    []refChange `json:"refs"`    // in one transaction
	Head    string      `json:"head"`    // what HEAD becomes: a ref, a commit, or "" for no change

	Files []fileChange `json:"files"`
	// Worktree is the tree to check out, "" for none; IndexTree what the index
	// then becomes.
	Worktree  string `json:"worktree"`
	IndexTree string `json:"indexTree"`
	Keep      string `json:"keep"` // where to keep the state before a check-out

	Index []indexChange `json:"index"`
}

// A refChange is a ref's move; "" stands for no such ref.
type refChange struct{ Ref, Old, New string }

// A fileChange is that of a plan's step. Before is a hash.
type fileChange struct {
	Path          string
	Before        string
	After         []byte
	Created, Gone bool
	Mode          fs.FileMode
}

// An indexChange is that of one path. "100644 <oid>" is an entry, "" none.
type indexChange struct{ Path, Old, New string }

func (r *repository) pendingFile() string {
	name := "pending.json"
	if r.GitDir != r.CommonDir {
		name = "pending-" + filepath.Base(r.GitDir) + ".json" // of a linked worktree
	}
	return filepath.Join(r.own(), name)
}

// notePending tells of a record, where a command that only looks finds one: what
// it shows may be half of a change.
func (a *app) notePending(r *repository) {
	if r.isPending() {
		a.note("a command that changes the repository is at work, or was interrupted; the next mv, commit or restore finishes it")
	}
}

func (r *repository) isPending() bool {
	_, err := os.Lstat(r.pendingFile())
	return err == nil
}

// save puts the record where it survives a crash.
func (w *writable) save(p *pending) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := w.fault("save the record"); err != nil {
		return err
	}
	name := filepath.Join(w.temp, "pending.json")
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(name, w.pendingFile())
}

func (w *writable) drop() error {
	if err := w.fault("drop the record"); err != nil {
		return err
	}
	return os.Remove(w.pendingFile())
}

// finishPending carries out what a command that was interrupted left over.
func (w *writable) finishPending(ctx context.Context) error {
	text, err := os.ReadFile(w.pendingFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var p pending
	if err := json.Unmarshal(text, &p); err != nil {
		return fmt.Errorf("%s: the record of an interrupted command cannot be read (%w); look at git status, then remove it", w.pendingFile(), err)
	}
	taken, err := w.moveRefs(ctx, &p)
	if err != nil {
		return fmt.Errorf("finishing the interrupted %s: %w", p.Command, err)
	}
	if !taken {
		w.note("an interrupted %s was given up: the branch has moved since", p.Command)
		return w.drop()
	}
	odd, err := w.finishFiles(p.Files)
	if err == nil {
		err = w.checkOut(ctx, &p)
	}
	if err == nil {
		err = w.updateIndex(ctx, p.Index)
	}
	if err != nil {
		return fmt.Errorf("finishing the interrupted %s: %w", p.Command, err)
	}
	if len(odd) > 0 {
		kept := strings.TrimSuffix(w.pendingFile(), ".json") + ".conflict.json"
		w.note("an interrupted %s left files that were changed since: %s; they stay as they are, what was to be written is in %s", p.Command, strings.Join(odd, ", "), kept)
		return os.Rename(w.pendingFile(), kept)
	}
	w.note("finished a %s that was interrupted", p.Command)
	return w.drop()
}

// moveRefs moves the refs of a record in one transaction, unless they are where
// they are to be. It reports whether they are.
func (w *writable) moveRefs(ctx context.Context, p *pending) (bool, error) {
	if len(p.Refs) > 0 {
		done := true
		for _, r := range p.Refs {
			now, err := w.refNow(ctx, r.Ref)
			if err != nil {
				return false, err
			}
			done = done && now == r.New
			if now != r.New && now != r.Old {
				return false, nil
			}
		}
		if !done {
			if err := w.fault("move the refs"); err != nil {
				return false, err
			}
			if _, err := w.do(ctx, gitCall{stdin: []byte(refTransaction(p.Refs, w.OIDSize))}, "update-ref", "-m", p.Message, "--stdin", "-z"); err != nil {
				return false, err
			}
		}
	}
	if p.Head == "" {
		return true, nil
	}
	if err := w.fault("move HEAD"); err != nil {
		return false, err
	}
	if strings.HasPrefix(p.Head, "refs/") {
		_, err := w.do(ctx, gitCall{}, "symbolic-ref", "-m", p.Message, "HEAD", p.Head)
		return err == nil, err
	}
	_, err := w.do(ctx, gitCall{}, "update-ref", "--no-deref", "-m", p.Message, "HEAD", p.Head)
	return err == nil, err
}

// refNow is the commit that a ref names, "" where there is none.
func (w *writable) refNow(ctx context.Context, ref string) (string, error) {
	if ref == "HEAD" {
		out, err := w.do(ctx, gitCall{}, "rev-parse", "--quiet", "--verify", "HEAD")
		if failed, ok := errors.AsType[*gitFailure](err); ok && failed.stderr == "" {
			return "", nil
		}
		return out, err
	}
	out, err := w.do(ctx, gitCall{}, "for-each-ref", "--format=%(objectname) %(refname)", ref)
	for line := range strings.Lines(out) {
		if oid, name, _ := strings.Cut(strings.TrimSpace(line), " "); name == ref {
			return oid, err
		}
	}
	return "", err
}

// refTransaction is the input of git update-ref --stdin -z. The old value is
// compared, so that nobody's work is lost.
func refTransaction(refs []refChange, size int) string {
	zero := strings.Repeat("0", 2*size)
	var b strings.Builder
	for _, r := range refs {
		old, next := r.Old, r.New
		switch {
		case old == next:
			continue
		case next == "":
			fmt.Fprintf(&b, "delete %s\x00%s\x00", r.Ref, old)
			continue
		case old == "":
			old = zero
		}
		fmt.Fprintf(&b, "update %s\x00%s\x00%s\x00", r.Ref, next, old)
	}
	return b.String()
}

// updateIndex brings the index along: each path that is still as it was.
// What somebody has staged meanwhile stays.
func (w *writable) updateIndex(ctx context.Context, changes []indexChange) error {
	if len(changes) == 0 {
		return nil
	}
	if err := w.indexFree(ctx); err != nil {
		return err
	}
	now, err := w.entries(ctx)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, c := range changes {
		switch {
		case now[c.Path] != c.Old || c.Old == c.New:
		case c.New == "":
			fmt.Fprintf(&b, "0 %s\t%s\x00", strings.Repeat("0", 2*w.OIDSize), c.Path)
		default:
			fmt.Fprintf(&b, "%s\t%s\x00", c.New, c.Path)
		}
	}
	if b.Len() == 0 {
		return nil
	}
	if err := w.fault("update the index"); err != nil {
		return err
	}
	if _, err := w.do(ctx, gitCall{stdin: []byte(b.String())}, "update-index", "-z", "--index-info"); err != nil {
		return err
	}
	// Only speeds git up, and fails where files differ from the index.
	_, _ = w.do(ctx, gitCall{}, "update-index", "-q", "--refresh")
	return nil
}

// inConflict stands for the entries of a path that a merge has left in conflict.
const inConflict = "in conflict"

// entries are those of the index, in the form of an indexChange. A path in
// conflict has none that could be meant.
func (w *writable) entries(ctx context.Context) (map[string]string, error) {
	index, err := w.Index(ctx)
	if err != nil {
		return nil, err
	}
	entries := make(map[string]string, len(index.Entries))
	for i := range index.Entries {
		e := &index.Entries[i]
		entries[e.Path] = entry(e.Mode, e.OID)
		if e.Stage != 0 {
			entries[e.Path] = inConflict
		}
	}
	return entries, nil
}

func entry(mode tree.Mode, oid tree.OID) string { return fmt.Sprintf("%06o %s", mode, oid) }

// finishFiles writes the files that are not written yet. Those that are neither
// as before nor as they are to be, it returns.
func (w *writable) finishFiles(files []fileChange) (odd []string, err error) {
	if len(files) == 0 {
		return nil, nil
	}
	root, err := os.OpenRoot(w.Top)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	left := &plan{root: w.Top, fault: w.fault}
	for _, f := range files {
		cleanTemps(root, path.Dir(f.Path))
		now, err := readEntry(root, f.Path)
		absent := errors.Is(err, fs.ErrNotExist)
		if err != nil && !absent {
			return nil, err
		}
		s := step{path: f.Path, before: now, after: f.After, created: absent, gone: f.Gone, mode: f.Mode}
		switch before := !absent && hashOf(now) == f.Before; {
		case f.Gone && absent, !f.Gone && !absent && string(now) == string(f.After):
		case f.Gone && before, !f.Gone && before, f.Created && absent:
			left.steps = append(left.steps, s)
		default:
			odd = append(odd, rules.Display(f.Path))
		}
	}
	if err := left.write(); err != nil {
		return nil, err
	}
	removeEmptied(root, files)
	return odd, nil
}

// changes are the steps of a plan for a record; nil has none.
func (p *plan) changes() (files []fileChange) {
	if p == nil {
		return nil
	}
	for _, s := range p.steps {
		f := fileChange{Path: s.path, After: s.after, Created: s.created, Gone: s.gone, Mode: s.mode}
		if !s.created {
			f.Before = hashOf(s.before)
		}
		files = append(files, f)
	}
	return files
}

// carryOut writes the files of a plan that is on record; nil has none.
func (w *writable) carryOut(p *plan) error {
	if p == nil {
		return nil
	}
	p.fault = w.fault
	if err := p.write(); err != nil {
		return err
	}
	if root, err := os.OpenRoot(w.Top); err == nil {
		removeEmptied(root, p.changes())
		root.Close()
	}
	return nil
}

// cleanTemps removes what a killed plan left beside its files. What it had set
// aside is in the record.
func cleanTemps(root *os.Root, dir string) {
	d, err := root.Open(dir)
	if err != nil {
		return
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	for _, name := range names {
		if strings.HasPrefix(name, ".memls-") && strings.HasSuffix(name, ".tmp") {
			_ = root.Remove(path.Join(dir, name))
		}
	}
}

// removeEmptied removes the directories that files have left empty.
func removeEmptied(root *os.Root, files []fileChange) {
	for _, f := range files {
		for dir := path.Dir(f.Path); f.Gone && dir != "."; dir = path.Dir(dir) {
			if root.Remove(dir) != nil { // not one with something in it
				break
			}
		}
	}
}

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
