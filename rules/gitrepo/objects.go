package gitrepo

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/memls/memls/rules/tree"
)

// maxObject bounds an object that is read into memory: 256 MiB, far above
// any text.
const maxObject = 256 << 20

// An ObjectError names the object that could not be read, so that the caller
// can name its path.
type ObjectError struct {
	OID tree.OID
	Err error
}

func (e *ObjectError) Error() string { return fmt.Sprintf("object %v %v", e.OID, e.Err) }
func (e *ObjectError) Unwrap() error { return e.Err }

// blobs reads files from the object database of a repository.
type blobs struct{ r *Repo }

// Read returns the blob. Any number of files is read through at most one git
// process; Load is the faster way to read many.
func (b blobs) Read(f *tree.File) ([]byte, error) {
	return b.r.Blob(context.Background(), f.OID)
}

// content is where files of a mode have their bytes; a submodule's commit is
// not in this repository.
func (r *Repo) content(mode tree.Mode) tree.Content {
	if mode.Type() == tree.Gitlink {
		return nil
	}
	return blobs{r}
}

// Blob reads the content of one file. The error is an *ObjectError, also for
// a blob that a partial clone has not fetched: nothing is ever fetched.
func (r *Repo) Blob(ctx context.Context, oid tree.OID) ([]byte, error) {
	return r.object(ctx, oid, "blob")
}

// object reads an object of the wanted type, from its own file or else
// through the batch session.
func (r *Repo) object(ctx context.Context, oid tree.OID, want string) ([]byte, error) {
	kind, data, err := r.anyObject(ctx, oid)
	if err == nil && kind != want {
		err = fmt.Errorf("is a %s, not a %s", kind, want)
	}
	if err != nil {
		return nil, &ObjectError{oid, err}
	}
	return data, nil
}

func (r *Repo) anyObject(ctx context.Context, oid tree.OID) (kind string, data []byte, err error) {
	if len(oid) != r.OIDSize {
		return "", nil, errNoID
	}
	if kind, data, ok := r.loose(oid, nil); ok {
		return kind, data, nil
	}
	if kind, data, ok := r.kept(oid); ok {
		return kind, data, nil
	}
	kind, data, err = r.session.get(ctx, r, oid)
	if err == nil {
		r.keep(oid, kind, data)
	}
	return kind, data, err
}

// Load reads blobs in the order of oids and gives each to f, which may keep
// data. The first error, f's own included, ends it; those of objects are
// *ObjectError.
//
// Objects that have a file of their own are read directly; with the first one
// that has not, a single git process takes over for all the rest.
func (r *Repo) Load(ctx context.Context, oids []tree.OID, f func(oid tree.OID, data []byte) error) error {
	return r.load(ctx, oids, nil, f)
}

// load is Load; with buf, the data is in one buffer and valid only until f
// returns.
func (r *Repo) load(ctx context.Context, oids []tree.OID, buf *[]byte, f func(oid tree.OID, data []byte) error) error {
	for i, oid := range oids {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(oid) != r.OIDSize {
			return &ObjectError{oid, errNoID}
		}
		kind, data, ok := r.loose(oid, spare(buf))
		if !ok {
			return r.loadBatch(ctx, oids[i:], buf, f)
		}
		keep(buf, data)
		if kind != "blob" {
			return &ObjectError{oid, fmt.Errorf("is a %s, not a blob", kind)}
		}
		if err := f(oid, data); err != nil {
			return err
		}
	}
	return nil
}

// spare and keep hand a buffer from one object to the next, where there is one.
func spare(buf *[]byte) []byte {
	if buf == nil {
		return nil
	}
	return *buf
}

func keep(buf *[]byte, data []byte) {
	if buf != nil && cap(data) > cap(*buf) {
		*buf = data
	}
}

func (r *Repo) loadBatch(ctx context.Context, oids []tree.OID, buf *[]byte, f func(oid tree.OID, data []byte) error) (err error) {
	b, err := r.startBatch(ctx, "--buffer")
	if err != nil {
		return err
	}
	// After an error the process may be waiting for a reader that is gone:
	// it is killed, which also ends the writer below.
	defer b.stop()
	go func() {
		w := bufio.NewWriterSize(b.in, 64<<10)
		for _, oid := range oids {
			// An error shows on the reading side, as a missing answer.
			_, _ = w.WriteString(oid.String() + "\n")
		}
		_ = w.Flush()
		_ = b.in.Close()
	}()
	for _, oid := range oids {
		if len(oid) != r.OIDSize {
			return &ObjectError{oid, errNoID}
		}
		kind, data, err := readAnswer(b.out, spare(buf))
		if err != nil {
			return &ObjectError{oid, b.explain(ctx, err)}
		}
		keep(buf, data)
		if kind != "blob" {
			return &ObjectError{oid, fmt.Errorf("is a %s, not a blob", kind)}
		}
		if err := f(oid, data); err != nil {
			return err
		}
	}
	return nil
}

// errNoID is for a file that was never hashed, or not in this repository.
var errNoID = errors.New("has no id that this repository could know")

// errMissing is what the batch process says of an object that is not there.
// Other errors mean that its output can no longer be trusted.
var errMissing = errors.New("is missing from the repository or damaged; git fsck tells more, git fetch may bring it back")

// readAnswer reads one answer of `git cat-file --batch`: the line
// "oid SP type SP size", the object, a newline.
// buf is used for the data where it is large enough.
func readAnswer(r *bufio.Reader, buf []byte) (kind string, data []byte, err error) {
	header, err := r.ReadSlice('\n')
	if err != nil {
		return "", nil, io.ErrUnexpectedEOF
	}
	line := string(header)
	fields := strings.Fields(line)
	if len(fields) == 2 && fields[1] == "missing" {
		return "", nil, errMissing
	}
	if len(fields) != 3 {
		return "", nil, fmt.Errorf("cannot be read: git cat-file said %q", strings.TrimSpace(line))
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil || size < 0 {
		return "", nil, fmt.Errorf("cannot be read: git cat-file gave the size %q", fields[2])
	}
	if size > maxObject {
		return "", nil, tooLarge(size)
	}
	data = grow(buf, int(size)+1)
	if _, err := io.ReadFull(r, data); err != nil {
		return "", nil, io.ErrUnexpectedEOF
	}
	return fields[1], data[:size], nil
}

// grow returns n bytes, those of buf if it has as many.
func grow(buf []byte, n int) []byte {
	if cap(buf) >= n {
		return buf[:n]
	}
	return make([]byte, n, max(n, 2*cap(buf)))
}

func tooLarge(size int64) error {
	return fmt.Errorf("has %d bytes, more than the %d MiB that memls reads", size, maxObject>>20)
}
