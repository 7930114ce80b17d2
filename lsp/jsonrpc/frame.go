package jsonrpc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"

	"go.lsp.dev/jsonrpc2"
)

const (
	// maxBody bounds one message, in bytes. A whole document of some megabytes,
	// escaped as a JSON string, stays far below it; a corrupt or hostile length
	// must not make the server allocate all memory.
	maxBody = 64 << 20

	// maxHeaderLine bounds one header line, in bytes.
	maxHeaderLine = 64 << 10
)

// contentLength finds the header at the end of a line, not only at its start:
// after a bad header the rest of the lost body, which has no line end, stands
// in front of the next header.
var contentLength = regexp.MustCompile(`(?i)content-length[ \t]*:[ \t]*([^:]*?)[ \t]*$`)

// A frameReader cuts the base protocol's frames ("Content-Length: N", blank
// line, N bytes) out of a byte stream. Header names are matched without case,
// unknown headers and stray blank lines are skipped.
type frameReader struct{ r *bufio.Reader }

func newFrameReader(r io.Reader) *frameReader {
	return &frameReader{bufio.NewReaderSize(r, maxHeaderLine)}
}

// next returns the body of the next frame. A [*badMessage] says that a frame
// was dropped and that reading can go on; any other error is final.
func (f *frameReader) next() ([]byte, error) {
	length, err := f.header()
	if err != nil {
		return nil, err
	}
	if length > maxBody {
		if _, err := io.CopyN(io.Discard, f.r, length); err != nil {
			return nil, err
		}
		return nil, badMessagef(jsonrpc2.InvalidRequest, nil, "message of %d bytes refused: the limit is %d bytes", length, maxBody)
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(f.r, body); err != nil {
		return nil, err
	}
	return body, nil
}

func (f *frameReader) header() (length int64, err error) {
	length = -1
	for {
		line, err := f.line()
		if err != nil {
			return 0, err
		}
		if len(line) == 0 {
			if length >= 0 {
				return length, nil
			}
			continue
		}
		value, usual := bytes.CutPrefix(line, []byte("Content-Length: "))
		if !usual {
			m := contentLength.FindSubmatch(line)
			if m == nil {
				continue
			}
			value = m[1]
		}
		length, err = strconv.ParseInt(string(bytes.TrimRight(value, " \t")), 10, 64)
		if err != nil || length < 0 {
			return 0, badMessagef(jsonrpc2.ParseError, nil, "bad header: Content-Length is %q, want a number of bytes", value)
		}
	}
}

// line returns the next line without its end. Of a line that is too long to be
// a header only the tail is kept.
func (f *frameReader) line() ([]byte, error) {
	for {
		line, err := f.r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return bytes.TrimRight(line, "\r\n"), nil
	}
}

// frame puts the header before body, ready for a single write.
func frame(body []byte) []byte {
	out := make([]byte, 0, len(body)+32)
	out = append(out, "Content-Length: "...)
	out = strconv.AppendInt(out, int64(len(body)), 10)
	out = append(out, "\r\n\r\n"...)
	return append(out, body...)
}
