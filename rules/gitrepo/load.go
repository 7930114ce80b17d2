package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/memls/memls/rules/tree"
)

// LoadFiles reads many files of the object database, through at most one git
// process, and gives each with its bytes to one of several workers at a time.
// The error names the path of a blob that cannot be read.
func (r *Repo) LoadFiles(ctx context.Context, files []*tree.File, each func(*tree.File, []byte)) error {
	type loaded struct {
		file *tree.File
		data []byte
	}
	work := make(chan loaded, 64)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		wg.Go(func() {
			for l := range work {
				each(l.file, l.data)
			}
		})
	}
	oids := make([]tree.OID, len(files))
	for i, f := range files {
		oids[i] = f.OID
	}
	next := 0
	err := r.Load(ctx, oids, func(_ tree.OID, data []byte) error {
		work <- loaded{files[next], data}
		next++
		return nil
	})
	close(work)
	wg.Wait()
	return named(err, files, next)
}

// EachFile reads many files like LoadFiles, but one after the other in the
// caller's goroutine, and with one buffer: data is valid only until each
// returns. Where little is done with each file, that is the faster way.
func (r *Repo) EachFile(ctx context.Context, files []*tree.File, each func(*tree.File, []byte)) error {
	oids := make([]tree.OID, len(files))
	for i, f := range files {
		oids[i] = f.OID
	}
	var buf []byte
	next := 0
	err := r.load(ctx, oids, &buf, func(_ tree.OID, data []byte) error {
		each(files[next], data)
		next++
		return nil
	})
	return named(err, files, next)
}

// named adds the path of the file that could not be read.
func named(err error, files []*tree.File, next int) error {
	var object *ObjectError
	if errors.As(err, &object) && next < len(files) {
		return fmt.Errorf("%q: %w", files[next].Path, err)
	}
	return err
}
