package lsp

import (
	"maps"
	"path/filepath"
	"sync"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/fileuri"
	"github.com/memls/memls/lsp/text"
	"github.com/memls/memls/lsp/wire"
)

// A key identifies a document however its URI is spelled. For a file it is the
// path with symbolic links resolved, for anything else the URI.
type key string

// A document is one version of an open document. It is immutable.
type document struct {
	uri        protocol.DocumentURI // as the client wrote it: replies use it
	path       string               // cleaned, links as the client wrote them; "" when it is no file
	key        key
	languageID protocol.LanguageIdentifier
	version    int32
	text       []byte // must not be modified

	// mapper converts positions of this text; it is made on first use.
	mapper func() *text.Mapper

	seq    uint64 // grows with every change of any document
	opened uint64 // seq when it was opened
}

func newDocument(d document, enc wire.PositionEncoding) *document {
	d.mapper = sync.OnceValue(func() *text.Mapper { return text.NewMapper(d.text, enc) })
	return &d
}

// documents is the set of open documents, immutable and safe to share. A file
// that the client opened under several URIs is several documents with one key.
type documents struct {
	byURI map[protocol.DocumentURI]*document
	byKey map[key]*document // the one that changed last
	seq   uint64
}

// get returns the open document that uri names in this or another spelling, or
// nil.
func (ds *documents) get(uri protocol.DocumentURI) *document {
	if d := ds.byURI[uri]; d != nil {
		return d
	}
	_, k := identify(uri)
	return ds.byKey[k]
}

// at returns the open document of a key, or nil. Of several it is the one that
// changed last.
func (ds *documents) at(k key) *document { return ds.byKey[k] }

// with returns the set with d opened or replaced.
func (ds *documents) with(d document, enc wire.PositionEncoding) *documents {
	next := ds.clone()
	next.seq++
	d.seq = next.seq
	if d.opened == 0 {
		d.opened = d.seq
	}
	opened := newDocument(d, enc)
	next.byURI[d.uri], next.byKey[d.key] = opened, opened
	return next
}

// without returns the set with d closed.
func (ds *documents) without(d *document) *documents {
	next := ds.clone()
	delete(next.byURI, d.uri)
	delete(next.byKey, d.key)
	for _, other := range next.byURI {
		if other.key == d.key && (next.byKey[d.key] == nil || next.byKey[d.key].seq < other.seq) {
			next.byKey[d.key] = other
		}
	}
	return next
}

func (ds *documents) clone() *documents {
	next := &documents{byURI: maps.Clone(ds.byURI), byKey: maps.Clone(ds.byKey), seq: ds.seq}
	if next.byURI == nil {
		next.byURI, next.byKey = map[protocol.DocumentURI]*document{}, map[key]*document{}
	}
	return next
}

// identify returns the path that uri names ("" when it names no file) and its
// key.
func identify(uri protocol.DocumentURI) (path string, k key) {
	path, err := fileuri.Path(string(uri))
	if err != nil {
		return "", key(uri)
	}
	return path, key(resolve(path))
}

// resolve resolves the symbolic links of the part of path that exists: a file
// can be opened before it is written.
func resolve(path string) string {
	existing, rest := path, ""
	for {
		if real, err := filepath.EvalSymlinks(existing); err == nil {
			return filepath.Join(real, rest)
		}
		dir := filepath.Dir(existing)
		if dir == existing {
			return path
		}
		existing, rest = dir, filepath.Join(filepath.Base(existing), rest)
	}
}
