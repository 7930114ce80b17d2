package tree

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"sync"
	"sync/atomic"
)

// A Mode is a git file mode, as the index and tree objects hold it.
type Mode uint32

// The modes that git stores.
const (
	Regular    Mode = 0o100644
	Executable Mode = 0o100755
	Symlink    Mode = 0o120000
	Gitlink    Mode = 0o160000 // a submodule
)

// Type is the mode without its permission bits: two modes of one type differ
// at most in the executable bit.
func (m Mode) Type() Mode { return m & 0o170000 }

// IsRegular reports whether the mode is that of a regular file.
func (m Mode) IsRegular() bool { return m.Type() == 0o100000 }

// An OID is a git object id in raw bytes: 20 for SHA-1, 32 for SHA-256
// repositories, empty when not known.
type OID string

// String is the lower-case hexadecimal form that git prints.
func (o OID) String() string { return hex.EncodeToString([]byte(o)) }

// ParseOID reads a hexadecimal object id of either hash.
func ParseOID(s string) (OID, error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != sha1.Size && len(b) != sha256.Size {
		return "", fmt.Errorf("%q is not an object id", s)
	}
	return OID(b), nil
}

// HashBlob is the id that git gives content in a repository whose ids are
// size bytes long (20: SHA-1, 32: SHA-256).
func HashBlob(content []byte, size int) OID {
	var h hash.Hash
	if size == sha256.Size {
		h = sha256.New()
	} else {
		h = sha1.New()
	}
	fmt.Fprintf(h, "blob %d\x00", len(content))
	h.Write(content)
	return OID(h.Sum(nil))
}

// Content is where the bytes of a file come from: an object database, the
// working tree, an editor's buffer.
type Content interface {
	// Read returns the bytes as git stores (or would store) them. For a
	// symbolic link they are its target. The caller must not change them.
	Read(f *File) ([]byte, error)
}

// A File is one path of a tree. It never changes after it is in a Tree; what
// it caches (facts of its content) is computed at most once.
type File struct {
	// Path is relative to the repository, with '/', in git's raw bytes: it
	// may hold any byte but NUL and may not be valid UTF-8.
	Path string
	Mode Mode
	// OID is empty when the content was never hashed (an unsaved buffer).
	OID OID
	// Unmerged marks a path with conflict stages in the index; the content
	// is that of the side being merged into, if it has one.
	Unmerged bool
	// IntentToAdd marks a path added with `git add -N`: its blob is empty.
	IntentToAdd bool
	// Unsaved marks the content of an editor's buffer.
	Unsaved bool

	// characters is one more than the number of code points, where it was
	// learnt without reading the content.
	characters atomic.Int32
	content    Content
	memo       atomic.Pointer[memo]
}

// memo holds what was computed from a file's content. Facts are pure
// functions of the bytes, so files of several snapshots share them freely. It
// is made when it is first needed: of most files a hook wants to know nothing.
type memo struct {
	mu     sync.Mutex
	values []memoized // a handful at most
}

type memoized struct{ key, value any }

// NewFile returns a file whose bytes come from content, which may be nil for
// a file without any (a gitlink).
func NewFile(path string, mode Mode, oid OID, content Content) *File {
	return &File{Path: path, Mode: mode, OID: oid, content: content}
}

// Held returns the file with its content, which must be what Bytes returns, in
// memory.
func (f *File) Held(content []byte) *File {
	return &File{Path: f.Path, Mode: f.Mode, OID: f.OID, Unmerged: f.Unmerged, IntentToAdd: f.IntentToAdd, Unsaved: f.Unsaved, content: Buffer(content)}
}

// Name is the last segment of the path.
func (f *File) Name() string { return base(f.Path) }

// Bytes reads the content. It is not kept: callers that need it twice keep it.
func (f *File) Bytes() ([]byte, error) {
	if f.content == nil {
		return nil, fmt.Errorf("%s: has no content of its own", f.Path)
	}
	b, err := f.content.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	return b, nil
}

// Memo returns the value that compute gave for key the first time it
// succeeded; compute must not ask the same file for another one. Keys are of
// types private to their package.
func (f *File) Memo(key any, compute func() (any, error)) (any, error) {
	memos := f.memo.Load()
	if memos == nil {
		f.memo.CompareAndSwap(nil, &memo{})
		memos = f.memo.Load()
	}
	memos.mu.Lock()
	defer memos.mu.Unlock()
	if v := memos.get(key); v != nil {
		return v, nil
	}
	v, err := compute()
	if err != nil {
		return nil, err
	}
	memos.values = append(memos.values, memoized{key, v})
	return v, nil
}

// Known returns the value that Memo has for key, nil where nobody asked for it.
func (f *File) Known(key any) any {
	memos := f.memo.Load()
	if memos == nil {
		return nil
	}
	memos.mu.Lock()
	defer memos.mu.Unlock()
	return memos.get(key)
}

func (m *memo) get(key any) any {
	for _, v := range m.values {
		if v.key == key {
			return v.value
		}
	}
	return nil
}

// KnowCharacters notes the number of code points of the content, as a cache
// remembers it.
func (f *File) KnowCharacters(n int) { f.characters.Store(int32(n) + 1) }

// Characters is the number of code points noted by KnowCharacters.
func (f *File) Characters() (n int, known bool) {
	c := f.characters.Load()
	return int(c) - 1, c > 0
}

// SameContent reports whether two files hold the same bytes. It hashes the
// one whose id is not known rather than reading both.
func SameContent(a, b *File) (bool, error) {
	switch {
	case a.OID != "" && b.OID != "":
		return a.OID == b.OID, nil
	case a.OID == "" && b.OID == "":
		x, err := a.Bytes()
		if err != nil {
			return false, err
		}
		y, err := b.Bytes()
		return err == nil && string(x) == string(y), err
	case a.OID == "":
		a, b = b, a
	}
	content, err := b.Bytes()
	if err != nil {
		return false, err
	}
	return HashBlob(content, len(a.OID)) == a.OID, nil
}

// Buffer is Content held in memory.
type Buffer []byte

// Read returns the buffer itself.
func (b Buffer) Read(*File) ([]byte, error) { return b, nil }
