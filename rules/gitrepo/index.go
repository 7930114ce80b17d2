package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

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
	data, modTime, err := readIndexFile(r.index)
	if errors.Is(err, fs.ErrNotExist) && isGitDir(r.GitDir) {
		return &Index{}, nil
	}
	if err == nil {
		var entries []IndexEntry
		if entries, err = decodeIndex(data, r.OIDSize); err == nil {
			return &Index{Entries: entries, ModTime: modTime}, nil
		}
	}
	switch {
	case errors.Is(err, errIndexDamage):
		return nil, fmt.Errorf("%w %s: %w; move it away and run git reset (what was staged has to be staged again)", ErrIndex, r.index, err)
	case errors.Is(err, errNotAFile):
		return nil, fmt.Errorf("%w %s: %w; move it away", ErrIndex, r.index, err)
	}
	entries, gitErr := r.listIndex(ctx)
	if gitErr != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrIndex, r.index, gitErr)
	}
	return &Index{Entries: entries}, nil
}

// errNotAFile keeps git away from an index path whose opening may never
// return, such as a named pipe.
var errNotAFile = errors.New("it is not a regular file")

// maxIndex is far above the index of the largest known repositories.
const maxIndex = 1 << 30

func readIndexFile(name string) ([]byte, time.Time, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, time.Time{}, err
	}
	if !info.Mode().IsRegular() {
		return nil, time.Time{}, errNotAFile
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, time.Time{}, err
	}
	if info.Size() > maxIndex {
		return nil, time.Time{}, fmt.Errorf("%s is larger than %d MiB", name, maxIndex>>20)
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, time.Time{}, fmt.Errorf("%s: %w", name, err)
	}
	return data, info.ModTime(), nil
}

// Staged is the tree that the next commit will have. Of a path in conflict it
// has one file, marked Unmerged, with our side, else theirs, else the base.
// ctx bounds the reading of the index; contents are read later, when asked
// for, and stay readable when ctx is done.
func (r *Repo) Staged(ctx context.Context) (*tree.Tree, error) {
	index, err := r.Index(ctx)
	if err != nil {
		return nil, err
	}
	return r.IndexTree(index), nil
}

// stageRank orders the stages of a path by how well they stand for it.
var stageRank = [4]int{0: 0, 2: 1, 3: 2, 1: 3}

// IndexTree is the tree that Staged makes of an index that was read before.
func (r *Repo) IndexTree(x *Index) *tree.Tree {
	files := make([]*tree.File, 0, len(x.Entries))
	for i := 0; i < len(x.Entries); {
		e := &x.Entries[i]
		for i++; i < len(x.Entries) && x.Entries[i].Path == e.Path; i++ {
			if other := &x.Entries[i]; stageRank[other.Stage] < stageRank[e.Stage] {
				e = other
			}
		}
		f := tree.NewFile(e.Path, e.Mode, e.OID, r.content(e.Mode))
		f.Unmerged, f.IntentToAdd = e.Stage != 0, e.IntentToAdd
		files = append(files, f)
	}
	return tree.New(files)
}
