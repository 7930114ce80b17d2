package rules

import (
	"bytes"
	"strings"
)

// secretNames end the name of a value that is a secret, letters only.
var secretNames = []string{"password", "passwd", "passphrase", "secret", "token", "apikey", "accesskey", "secretkey", "authkey"}

const (
	// nameLength bounds how far before a : or = a name is looked for, and
	// valueLength how long a secret may be, in bytes.
	nameLength  = 40
	valueLength = 200
	// minSecret is the shortest run of characters that can be told from a
	// word.
	minSecret = 12
)

// namedSecrets finds values that look random and whose name, before a : or
// =, says that they are secret.
func namedSecrets(src []byte) []Span {
	var found []Span
	for at := 0; at < len(src); at++ {
		if c := src[at]; c != ':' && c != '=' || !namesSecret(src[max(0, at-nameLength):at]) {
			continue
		}
		value := valueAt(src, at+1)
		if text := string(src[value.Start:value.End]); random(text) {
			found = append(found, value)
			at = value.End - 1
		}
	}
	return found
}

// longestName is the length of the longest of secretNames.
const longestName = len("passphrase")

// namesSecret reports whether the text before a : or = ends in a name of
// secretNames, written as code, in Markdown or in words.
func namesSecret(before []byte) bool {
	var letters [longestName]byte // the last ones of the line, in lower case
	at := len(letters)
	for i := len(before) - 1; i >= 0 && at > 0 && before[i] != '\n' && before[i] != '\r'; i-- {
		if c := before[i] | 0x20; 'a' <= c && c <= 'z' {
			at--
			letters[at] = c
		}
	}
	for _, name := range secretNames {
		if bytes.HasSuffix(letters[at:], []byte(name)) {
			return true
		}
	}
	return false
}

// valueAt is the word after a : or =, without quotes and other markup. All of
// it may stand in JSON, where quotes and line ends are escaped.
func valueAt(src []byte, at int) Span {
	rest := src[at:min(len(src), at+valueLength)]
	start := len(rest) - len(bytes.TrimLeft(rest, " \t\"'`*=\\"))
	end := start
	for end < len(rest) && bytes.IndexByte([]byte(" \t\r\n\"'`,;"), rest[end]) < 0 && !escapesEnd(rest[end:]) {
		end++
	}
	end = start + len(bytes.TrimRight(rest[start:end], ".*)"))
	return Span{Start: at + start, End: at + end}
}

// escapesEnd reports whether an escape follows of what ends a word.
func escapesEnd(rest []byte) bool {
	return len(rest) > 1 && rest[0] == '\\' && bytes.IndexByte([]byte(`nrt"`), rest[1]) >= 0
}

// urlPasswords finds passwords that look random in URLs like
// https://user:password@host.
func urlPasswords(src []byte) []Span {
	var found []Span
	for at := 0; ; {
		i := bytes.Index(src[at:], []byte("://"))
		if i < 0 {
			return found
		}
		at += i + len("://")
		rest := src[at:min(len(src), at+valueLength)]
		if end := bytes.IndexAny(rest, "/?# \t\r\n\"'`<>"); end >= 0 {
			rest = rest[:end]
		}
		host := bytes.LastIndexByte(rest, '@')
		user := bytes.IndexByte(rest[:max(0, host)], ':')
		if user < 0 {
			continue
		}
		if value := (Span{Start: at + user + 1, End: at + host}); random(string(src[value.Start:value.End])) {
			found = append(found, value)
		}
	}
}

// random reports whether a value looks like a secret rather than like words,
// an expression, a reference to a secret, or an id.
func random(s string) bool {
	if len(s) < minSecret || strings.ContainsAny(s, "(){}<>[]|") || strings.Contains(s, "://") || s[0] == '$' || fake(s) || isUUID(s) {
		return false
	}
	words := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("-_./:\\", r) })
	for _, w := range words {
		if len(w) >= minSecret && scrambled(w) {
			return true
		}
	}
	return false
}

// scrambled reports whether letters, digits and other characters are mixed as
// nobody would in a word: at least three digits, or one beside a special
// character, and three changes of kind.
func scrambled(w string) bool {
	digits, special, letters, changes := 0, 0, 0, 0
	last := byte(0)
	for i := range len(w) {
		kind := kindOf(w[i])
		switch kind {
		case 'd':
			digits++
		case 's':
			special++
		default:
			letters++
		}
		if last != 0 && kind != last {
			changes++
		}
		last = kind
	}
	return letters > 0 && changes >= 3 && (digits >= 3 || digits > 0 && special > 0) && entropy(w) >= 3
}

// kindOf is d for digits, l for letters, s for anything else.
func kindOf(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return 'd'
	case alnum[c] || c >= 0x80:
		return 'l'
	}
	return 's'
}

// isUUID reports whether s is a UUID: mostly an id, and not a secret.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (s[i] == '-') || !dash && !lowHex[s[i]|0x20] {
			return false
		}
	}
	return true
}
