package gitrepo

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing/format/objfile"
	"github.com/memls/memls/rules/tree"
)

// loose reads an object that has a file of its own, as what was just staged
// or committed has, without a git process. ok is false when it has none, and
// whenever git might see it differently or should explain what is wrong:
// then git is asked. buf is used for the data where it is large enough.
func (r *Repo) loose(oid tree.OID, buf []byte) (kind string, data []byte, ok bool) {
	if len(oid) != r.OIDSize || r.redirected() {
		return "", nil, false
	}
	hex := oid.String()
	f, err := os.Open(filepath.Join(r.CommonDir, "objects", hex[:2], hex[2:]))
	if err != nil {
		return "", nil, false
	}
	defer f.Close()
	reader, err := objfile.NewReader(bufio.NewReader(f))
	if err != nil {
		return "", nil, false
	}
	defer reader.Close()
	t, size, err := reader.Header()
	if err != nil || size < 0 || size > maxObject {
		return "", nil, false
	}
	data = grow(buf, int(size))
	if _, err := io.ReadFull(reader, data); err != nil {
		return "", nil, false
	}
	kind = string(t.Bytes())
	return kind, data, hashObject(kind, data, r.OIDSize) == oid
}

func hashObject(kind string, data []byte, size int) tree.OID {
	var h hash.Hash = sha1.New()
	if size == sha256.Size {
		h = sha256.New()
	}
	fmt.Fprintf(h, "%s %d\x00", kind, len(data))
	h.Write(data)
	return tree.OID(h.Sum(nil))
}

// redirected reports whether object ids may stand for something else than
// the files under objects: replace refs (git-replace(1)), or an object
// directory that the environment names. It is found out once; git reads
// replace refs once per process, too.
func (r *Repo) redirected() bool {
	r.redirect.once.Do(func() {
		_, env := lookup(r.env, "GIT_OBJECT_DIRECTORY")
		_, refs := os.Lstat(filepath.Join(r.CommonDir, "refs", "replace"))
		_, table := os.Lstat(filepath.Join(r.CommonDir, "reftable"))
		packed, err := os.ReadFile(filepath.Join(r.CommonDir, "packed-refs"))
		r.redirect.is = env || refs == nil || table == nil ||
			err == nil && bytes.Contains(packed, []byte(" refs/replace/"))
	})
	return r.redirect.is
}
