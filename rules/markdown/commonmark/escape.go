package commonmark

import (
	"bytes"
	"strconv"

	"github.com/yuin/goldmark/util"
)

// maxReference is the length of the longest character reference,
// "&CounterClockwiseContourIntegral;".
const maxReference = 33

// unescape resolves backslash escapes and character references in one pass, so
// that \&amp; stays &amp;. (goldmark's util functions take a pass for each.) The
// result shares no memory with raw.
func unescape(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 && bytes.IndexByte(raw, '&') < 0 {
		return string(raw)
	}
	out := make([]byte, 0, len(raw))
	for len(raw) > 0 {
		var n int
		out, n = appendOne(out, raw)
		raw = raw[n:]
	}
	return string(out)
}

// appendOne appends what the first escape, reference or byte of raw stands for
// and returns how many bytes of raw that took.
func appendOne(out, raw []byte) ([]byte, int) {
	switch {
	case raw[0] == '\\' && len(raw) > 1 && util.IsPunct(raw[1]):
		return append(out, raw[1]), 2
	case raw[0] == '&':
		if end := bytes.IndexByte(raw[:min(len(raw), maxReference)], ';'); end > 1 {
			if value, ok := reference(string(raw[1:end])); ok {
				return append(out, value...), end + 1
			}
		}
	}
	return append(out, raw[0]), 1
}

// reference resolves the inside of a character reference, such as "amp", "#35" or "#x23".
func reference(name string) (string, bool) {
	if name[0] != '#' {
		entity, ok := util.LookUpHTML5EntityByName(name)
		if !ok {
			return "", false
		}
		return string(entity.Characters), true
	}
	digits, radix, limit := name[1:], 10, 7
	if len(digits) > 0 && digits[0]|0x20 == 'x' {
		digits, radix, limit = digits[1:], 16, 6
	}
	if len(digits) > limit {
		return "", false
	}
	v, err := strconv.ParseUint(digits, radix, 32)
	if err != nil {
		return "", false
	}
	return string(util.ToValidRune(rune(v))), true
}

// fragmentAt finds the first # of a destination once escapes and references are
// resolved: it starts at offset at, and the fragment at offset after.
func fragmentAt(raw []byte) (at, after int, ok bool) {
	if bytes.IndexByte(raw, '\\') < 0 && bytes.IndexByte(raw, '&') < 0 {
		at = bytes.IndexByte(raw, '#')
		return at, at + 1, at >= 0
	}
	var buf [8]byte
	for at < len(raw) {
		one, n := appendOne(buf[:0], raw[at:])
		if string(one) == "#" {
			return at, at + n, true
		}
		at += n
	}
	return 0, 0, false
}
