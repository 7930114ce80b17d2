package lsp

import (
	"bufio"
	"bytes"
	"os"
	"sync"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/text"
	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/facts"
)

var byteOrderMark = []byte("\xef\xbb\xbf")

// A source is the text of a file as git would stage it, which the rules judge,
// beside the text that the client's positions are about. They differ in line
// ends (git may store LF where the editor has CRLF: the same lines and
// characters) and in a byte order mark, which editors keep but do not show.
type source struct {
	staged []byte
	hidden int // bytes at the start that the editor does not show
	crlf   bool
	opaque bool                // the texts have no places in common
	mapper func() *text.Mapper // of staged[hidden:]
}

// newSource is the source of a file that is staged with the bytes staged.
func newSource(staged []byte, crlf bool, enc wire.PositionEncoding) *source {
	hidden := 0
	if bytes.HasPrefix(staged, byteOrderMark) {
		hidden = len(byteOrderMark)
	}
	return &source{staged: staged, hidden: hidden, crlf: crlf, mapper: sync.OnceValue(func() *text.Mapper {
		return text.NewMapper(staged[hidden:], enc)
	})}
}

// bufferSource is the source of an open document; onDisk is the file that it
// will replace.
func bufferSource(d *document, staged, onDisk []byte, enc wire.PositionEncoding) *source {
	crlf := usesCRLF(d.text)
	switch {
	case isUTF16(onDisk):
		// The editor will write it as UTF-16 again, whatever the text is.
		return &source{staged: onDisk, opaque: true, mapper: d.mapper}
	case !utf8.Valid(onDisk) && facts.Decode(string(onDisk)) == string(staged):
		return newSource(onDisk, crlf, enc) // as it was before it was decoded
	case bytes.HasPrefix(onDisk, byteOrderMark) && !bytes.HasPrefix(staged, byteOrderMark):
		return newSource(append(bytes.Clone(byteOrderMark), staged...), crlf, enc)
	case bytes.Equal(staged, d.text):
		return plainSource(d)
	}
	return &source{staged: staged, crlf: crlf, mapper: sync.OnceValue(func() *text.Mapper { return text.NewMapper(staged, enc) })}
}

// plainSource is the source of a document that is taken as it is.
func plainSource(d *document) *source {
	return &source{staged: d.text, crlf: usesCRLF(d.text), mapper: d.mapper}
}

// usesCRLF reports whether the first line ends in CRLF, so that new lines
// should, too.
func usesCRLF(s []byte) bool {
	i := bytes.IndexByte(s, '\n')
	return i > 0 && s[i-1] == '\r'
}

func isUTF16(b []byte) bool {
	e := facts.EncodingOf(b)
	return e == facts.UTF16LE || e == facts.UTF16BE
}

// rangeOf converts a place in the staged text.
func (s *source) rangeOf(span rules.Span) protocol.Range {
	if s.opaque {
		return protocol.Range{End: protocol.Position{Character: 1}}
	}
	return s.mapper().Range(span.Start-s.hidden, span.End-s.hidden)
}

// offsets converts a range of the client's to one in the staged text.
func (s *source) offsets(r protocol.Range) rules.Span {
	start, end := s.mapper().Offsets(r)
	return rules.Span{Start: start + s.hidden, End: end + s.hidden}
}

// crlfOnDisk reports whether the first line of a file ends in CRLF on disk,
// whatever git would store.
func crlfOnDisk(path string) bool {
	// Opening a pipe would wait for its other end.
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	line, _ := bufio.NewReader(f).ReadSlice('\n')
	return usesCRLF(line)
}
