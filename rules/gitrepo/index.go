package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
	"unsafe"

	"github.com/memls/memls/rules/tree"
)

// An Index is what one reading of the index file gave.
type Index struct {
	// Entries are sorted by path, then stage.
	Entries []IndexEntry
	// ModTime is when the file was written, zero when git had to read it or
	// when there is none. A working-tree file whose time stamp is not older
	// may have changed since without a trace in its entry ("racily clean").
	ModTime time.Time
}

// An IndexEntry is one path and stage of the index.
type IndexEntry struct {
	Path string // raw bytes, relative to the top level
	Mode tree.Mode
	OID  tree.OID
	// Stage is 0, or in a conflict 1 (base), 2 (ours), 3 (theirs).
	Stage uint8
	// IntentToAdd marks `git add -N`; SkipWorktree a path that sparse
	// checkout leaves out of the working tree (false when git had to read
	// the index).
	IntentToAdd, SkipWorktree bool
	// HasStat says that Stat was read.
	HasStat bool
	Stat    Stat
}

// A Stat is what git noted of the working-tree file when it last knew that
// the file had the entry's content, as git truncates it: 32 bits each, times
// in nanoseconds since 1970. All zero when git knows nothing.
type Stat struct {
	CTime, MTime             int64
	Dev, Ino, UID, GID, Size uint32
}

// Index reads the index that git named, once, so that a writer at work does
// not mix two states. Kinds that our decoder does not know go through
// `git ls-files`. An index that is damaged, or that git cannot read either, is
// an error that wraps ErrIndex, never an empty list; a repository whose index
// was not yet written has an empty one.
func (r *Repo) Index(ctx context.Context) (*Index, error) {
	x := &Index{}
	var err error
	x.ModTime, err = r.eachEntry(ctx, func(n int) { x.Entries = make([]IndexEntry, 0, n) }, func(e *IndexEntry) {
		x.Entries = append(x.Entries, *e)
	})
	if err != nil {
		return nil, err
	}
	return x, nil
}

// eachEntry calls begin with the number of entries of the index, then yields
// them. It begins anew when git has to be asked after all.
func (r *Repo) eachEntry(ctx context.Context, begin func(n int), yield func(*IndexEntry)) (modTime time.Time, err error) {
	text, modTime, err := r.readIndex()
	if errors.Is(err, fs.ErrNotExist) && isGitDir(r.GitDir) {
		return time.Time{}, nil
	}
	if err == nil {
		if err = decodeIndex(text, r.OIDSize, begin, yield); err == nil {
			return modTime, nil
		}
	}
	switch {
	case errors.Is(err, errIndexDamage):
		return time.Time{}, fmt.Errorf("%w %s: %w; move it away and run git reset (what was staged has to be staged again)", ErrIndex, r.index, err)
	case errors.Is(err, errNotAFile):
		return time.Time{}, fmt.Errorf("%w %s: %w; move it away", ErrIndex, r.index, err)
	}
	entries, err := r.listIndex(ctx)
	if err != nil {
		return time.Time{}, fmt.Errorf("%w %s: %w", ErrIndex, r.index, err)
	}
	begin(len(entries))
	for i := range entries {
		yield(&entries[i])
	}
	return time.Time{}, nil
}

// errNotAFile keeps git away from an index path whose opening may never
// return, such as a named pipe.
var errNotAFile = errors.New("it is not a regular file")

// maxIndex is far above the index of the largest known repositories.
const maxIndex = 1 << 30

// errNoMapping is for systems and files that do not take to mapping.
var errNoMapping = errors.New("cannot be mapped")

// readIndex has the index as one string, mapped where the process is a hook.
func (r *Repo) readIndex() (text string, modTime time.Time, err error) {
	if r.hook {
		b, info, err := mapFile(r.index, maxIndex)
		if err == nil {
			return unsafe.String(unsafe.SliceData(b), len(b)), info.ModTime(), nil
		}
		if errors.Is(err, errNotAFile) {
			return "", time.Time{}, err
		}
	}
	return readIndexFile(r.index)
}

// readIndexFile reads the file into one string, which everything that is read
// of the index is a slice of.
func readIndexFile(name string) (text string, modTime time.Time, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return "", time.Time{}, err
	}
	if !info.Mode().IsRegular() {
		return "", time.Time{}, errNotAFile
	}
	f, err := os.Open(name)
	if err != nil {
		return "", time.Time{}, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return "", time.Time{}, err
	}
	if info.Size() > maxIndex {
		return "", time.Time{}, fmt.Errorf("it is larger than %d MiB", maxIndex>>20)
	}
	var b strings.Builder
	b.Grow(int(info.Size()))
	_, err = io.Copy(&b, io.LimitReader(f, maxIndex))
	return b.String(), info.ModTime(), err
}

// Staged is the tree that the next commit will have. Of a path in conflict it
// has one file, marked Unmerged, with our side, else theirs, else the base.
// ctx bounds the reading of the index; contents are read later, when asked
// for, and stay readable when ctx is done.
func (r *Repo) Staged(ctx context.Context) (*tree.Tree, error) {
	b := treeBuilder{r: r}
	if _, err := r.eachEntry(ctx, b.begin, b.add); err != nil {
		return nil, err
	}
	return tree.New(b.files), nil
}

// IndexTree is the tree that Staged makes of an index that was read before.
func (r *Repo) IndexTree(x *Index) *tree.Tree {
	b := treeBuilder{r: r}
	b.begin(len(x.Entries))
	for i := range x.Entries {
		b.add(&x.Entries[i])
	}
	return tree.New(b.files)
}

// A treeBuilder makes one file of the stages of each path. The hook's time is
// spent here, so entries are not collected on the way.
type treeBuilder struct {
	r     *Repo
	files []*tree.File
	stage uint8 // of the last file
}

// stageRank orders the stages of a path by how well they stand for it.
var stageRank = [4]int{0: 0, 2: 1, 3: 2, 1: 3}

// begin makes room at once: fresh pages cost more than all the decoding.
func (b *treeBuilder) begin(n int) { b.files = make([]*tree.File, 0, n) }

func (b *treeBuilder) add(e *IndexEntry) {
	last := len(b.files) - 1
	again := last >= 0 && b.files[last].Path == e.Path
	if again && stageRank[e.Stage] > stageRank[b.stage] {
		return
	}
	f := tree.NewFile(e.Path, e.Mode, e.OID, b.r.content(e.Mode))
	f.Unmerged, f.IntentToAdd = e.Stage != 0, e.IntentToAdd
	b.stage = e.Stage
	if again {
		b.files[last] = f
	} else {
		b.files = append(b.files, f)
	}
}
