package facts

import (
	"bytes"
	"unicode/utf8"
)

var utf8BOM = []byte("\xef\xbb\xbf")

// Encoding names what is wrong with a file as UTF-8 text.
type Encoding int

// The encodings that are told apart.
const (
	UTF8 Encoding = iota
	UTF16LE
	UTF16BE
	// NUL is text with NUL bytes in it.
	NUL
	// Invalid holds bytes that are not UTF-8.
	Invalid
)

// EncodingOf guesses the encoding from the bytes: a UTF-16 byte order mark, or
// for UTF-16 without one, NULs in most bytes of one parity.
func EncodingOf(src []byte) Encoding { return encodingOf(src, utf8.Valid(src)) }

func encodingOf(src []byte, valid bool) Encoding {
	switch {
	case bytes.HasPrefix(src, []byte("\xff\xfe")) && len(src) != 2:
		return UTF16LE
	case bytes.HasPrefix(src, []byte("\xfe\xff")) && len(src) != 2:
		return UTF16BE
	case bytes.IndexByte(src, 0) >= 0:
		return nulEncoding(src)
	case !valid:
		return Invalid
	}
	return UTF8
}

func nulEncoding(src []byte) Encoding {
	head := src[:min(len(src), 512)&^1]
	var nul [2]int
	for i, b := range head {
		if b == 0 {
			nul[i%2]++
		}
	}
	// ASCII text in UTF-16 has a NUL in every other byte.
	switch half := len(head) / 2; {
	case half >= 4 && nul[1] > half*3/4 && nul[0] == 0:
		return UTF16LE
	case half >= 4 && nul[0] > half*3/4 && nul[1] == 0:
		return UTF16BE
	}
	return NUL
}

// InvalidAt is the range of the first bytes that are not UTF-8 text: a NUL or
// an ill-formed sequence. It is empty when there are none.
func InvalidAt(src []byte) Span {
	for i := 0; i < len(src); {
		if src[i] == 0 {
			return Span{Start: i, End: i + 1}
		}
		r, size := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && size <= 1 {
			return Span{Start: i, End: i + illFormed(src[i:])}
		}
		i += size
	}
	return Span{}
}
