package rules

import (
	"errors"
	"strings"
)

// Percent-encoding is that of net/url's PathEscape and PathUnescape, which a
// test holds it against. The package itself is not used because it brings
// tables that the hook would pay for at every commit.

var errPercent = errors.New("a % that two hexadecimal digits do not follow")

func unescapePath(s string) (string, error) {
	if strings.IndexByte(s, '%') < 0 {
		return s, nil
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			out = append(out, s[i])
			continue
		}
		if i+2 >= len(s) || unhex(s[i+1]) < 0 || unhex(s[i+2]) < 0 {
			return "", errPercent
		}
		out = append(out, byte(unhex(s[i+1])<<4|unhex(s[i+2])))
		i += 2
	}
	return string(out), nil
}

func unhex(c byte) int {
	if 'A' <= c && c <= 'F' {
		c += 'a' - 'A'
	}
	return strings.IndexByte("0123456789abcdef", c)
}

func escapePath(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		plain := 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
		if plain || strings.IndexByte("-_.~$&+=:@", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		const hex = "0123456789ABCDEF"
		b.Write([]byte{'%', hex[c>>4], hex[c&15]})
	}
	return b.String()
}
