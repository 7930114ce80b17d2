package rules

import (
	"bytes"
	"math"
	"math/bits"
	"strings"
	"sync"
)

// Why not a library: gitleaks, the one in Go that is meant to be embedded,
// brings some sixty packages (a config reader, loggers, archive formats) and
// compiles two hundred regular expressions at each start, and its generic
// rule is made for source code, where a false alarm costs less than in notes.
// What is wanted here is the few shapes below, at the price of a substring
// search each.

// A secretShape is a kind of credential that is known by its prefix.
type secretShape struct {
	what   string // with its article
	prefix string
	// rest are the characters after the prefix, min to max of them.
	rest     *charset
	min, max int
}

// A charset tells by byte which ASCII characters belong to it.
type charset [256]bool

func chars(ranges string) *charset {
	var c charset
	for i := 0; i < len(ranges); i++ {
		if i+2 < len(ranges) && ranges[i+1] == '-' {
			for b := ranges[i]; b <= ranges[i+2]; b++ {
				c[b] = true
			}
			i += 2
			continue
		}
		c[ranges[i]] = true
	}
	return &c
}

var (
	alnum   = chars("A-Za-z0-9")
	wordish = chars("A-Za-z0-9_")
	urlSafe = chars("A-Za-z0-9_-")
	base64  = chars("A-Za-z0-9+/=_-")
	dotted  = chars("A-Za-z0-9_.-")
	base32  = chars("A-Z2-7")
	lowHex  = chars("0-9a-f")
)

const unbounded = math.MaxInt

// secretShapes follow the issuers' documentation. A longer prefix stands
// before a shorter one that it starts with.
var secretShapes = [...]secretShape{
	{"an AWS access key", "AKIA", base32, 16, 16},
	{"an AWS access key", "ASIA", base32, 16, 16},
	{"a GitHub token", "ghp_", alnum, 36, 36},
	{"a GitHub token", "gho_", alnum, 36, 36},
	{"a GitHub token", "ghu_", alnum, 36, 36},
	{"a GitHub token", "ghs_", alnum, 36, 36},
	{"a GitHub token", "ghr_", alnum, 36, 76},
	{"a GitHub token", "github_pat_", wordish, 82, 82},
	{"a GitLab token", "glpat-", dotted, 20, unbounded},
	{"a Slack token", "xoxb-", urlSafe, 24, unbounded},
	{"a Slack token", "xoxp-", urlSafe, 24, unbounded},
	{"a Slack token", "xoxa-", urlSafe, 24, unbounded},
	{"a Slack token", "xoxr-", urlSafe, 24, unbounded},
	{"a Slack token", "xoxs-", urlSafe, 24, unbounded},
	{"a Slack token", "xapp-", urlSafe, 40, unbounded},
	{"a Slack webhook", "hooks.slack.com/services/T", chars("A-Za-z0-9/"), 40, unbounded},
	{"an Anthropic key", "sk-ant-", urlSafe, 40, unbounded},
	{"an OpenAI key", "sk-proj-", urlSafe, 40, unbounded},
	{"an OpenAI key", "sk-svcacct-", urlSafe, 40, unbounded},
	{"an OpenAI key", "sk-admin-", urlSafe, 40, unbounded},
	{"an OpenRouter key", "sk-or-v1-", lowHex, 64, 64},
	{"a Letta key", "sk-let-", base64, 40, unbounded},
	{"an API key", "sk-", alnum, 32, 64},
	{"a Google API key", "AIza", urlSafe, 35, 35},
	{"a Google OAuth secret", "GOCSPX-", urlSafe, 28, 28},
	{"a Stripe key", "sk_live_", alnum, 24, unbounded},
	{"a Stripe key", "rk_live_", alnum, 24, unbounded},
	{"an npm token", "npm_", alnum, 36, 36},
	{"a PyPI token", "pypi-AgE", urlSafe, 60, unbounded},
	{"a Hugging Face token", "hf_", alnum, 34, 34},
	{"a JSON web token", "eyJ", dotted, 60, unbounded},
}

// A shapeSet is a set of secretShapes, by index.
type shapeSet uint64

const _ = uint(64 - len(secretShapes)) // they have to fit

// shapesBy are the sets of secretShapes by the first byte of the prefix, and by
// the second.
var shapesBy = sync.OnceValue(func() *[2][256]shapeSet {
	var by [2][256]shapeSet
	for i := range secretShapes {
		for at := range by {
			by[at][secretShapes[i].prefix[at]] |= 1 << i
		}
	}
	return &by
})

// shapesIn tells in one pass of which secretShapes there is a prefix in src: of
// none, as a rule.
func shapesIn(src []byte) (in shapeSet) {
	by := shapesBy()
	for at := 1; at < len(src); at++ {
		for some := by[0][src[at-1]] & by[1][src[at]] &^ in; some != 0; some &= some - 1 {
			i := bits.TrailingZeros64(uint64(some))
			if bytes.HasPrefix(src[at-1:], []byte(secretShapes[i].prefix)) {
				in |= 1 << i
			}
		}
	}
	return in
}

// find returns the secrets of one shape in src.
func (s *secretShape) find(src []byte) []Span {
	var found []Span
	for at := 0; ; {
		i := bytes.Index(src[at:], []byte(s.prefix))
		if i < 0 {
			return found
		}
		start := at + i
		rest := start + len(s.prefix)
		end := rest
		for end < len(src) && s.rest[src[end]] {
			end++
		}
		at = end
		// A dot that ends a sentence is no part of it.
		for end > rest && src[end-1] == '.' {
			end--
		}
		if n := end - rest; n < s.min || n > s.max || s.prefix[0] != 'h' && !startsWord(src, start) {
			continue
		}
		if text := string(src[rest:end]); !fake(text) && s.fits(text) {
			found = append(found, Span{Start: start, End: end})
		}
	}
}

// startsWord reports whether a word can start at an offset. The letters before
// it may be those of an escape: of a line end in JSON, or a sign in a URL.
func startsWord(src []byte, at int) bool {
	if at == 0 || !urlSafe[src[at-1]] {
		return true
	}
	escape := func(length int) string { return string(src[max(0, at-length):at]) }
	if e := escape(2); e[0] == '\\' && strings.Contains("bfnrt", e[1:]) {
		return true
	}
	if e := escape(3); e[0] == '%' && isHex(e[1:]) {
		return true
	}
	hex, ok := strings.CutPrefix(escape(6), `\u`)
	return ok && isHex(hex)
}

func isHex(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 || !lowHex[byte(r)|0x20] })
}

// fits holds what a shape asks for besides length and characters.
func (s *secretShape) fits(rest string) bool {
	switch s.prefix {
	case "eyJ":
		// header.payload.signature, the first two JSON objects in base64;
		// the payload excluded is that of the example on everyone's page.
		parts := strings.Split(rest, ".")
		return len(parts) == 3 && strings.HasPrefix(parts[1], "eyJ") && len(parts[2]) >= 20 &&
			!strings.HasPrefix(parts[1], "eyJzdWIiOiIxMjM0NTY3ODkw")
	case "glpat-", "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "sk-":
		return strings.ContainsAny(rest, "0123456789")
	}
	return true
}

// privateKeys finds PEM blocks that have a key in them; the first line alone is
// what texts about keys quote. A line end may be written as \n, as in JSON.
func privateKeys(src []byte) []Span {
	const begin, tail = "-----BEGIN ", "PRIVATE KEY-----"
	var found []Span
	for at := 0; ; {
		i := bytes.Index(src[at:], []byte(begin))
		if i < 0 {
			return found
		}
		start := at + i
		at = start + len(begin)
		// Between the two stands the kind of key: "RSA ", "OPENSSH ".
		head := bytes.Index(src[at:min(len(src), at+len(tail)+20)], []byte(tail))
		if head < 0 {
			continue
		}
		if end, ok := keyMaterial(src, at+head+len(tail)); ok {
			found, at = append(found, Span{Start: start, End: end}), end
		}
	}
}

// keyMaterial reads lines of base64 and returns where they end, and whether
// they are long enough for a key.
func keyMaterial(src []byte, at int) (end int, ok bool) {
	const line, key = 16, 64 // the shortest line, but for the last, and key
	n, end := 0, at
	for {
		for at < len(src) && (bytes.IndexByte([]byte(" \t\r\n"), src[at]) >= 0 || bytes.HasPrefix(src[at:], []byte(`\n`))) {
			at++
			if src[at-1] == '\\' {
				at++
			}
		}
		start := at
		for at < len(src) && base64[src[at]] && !bytes.HasPrefix(src[at:], []byte("-----")) {
			at++
		}
		if at < len(src) && src[at] == ':' && n == 0 { // a header of the block
			if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
				at += i
				continue
			}
		}
		if at == start || n == 0 && at-start < line {
			return end, n >= key && !fake(string(src[end-min(n, key):end]))
		}
		n, end = n+at-start, at
	}
}

// fakeWords are in what people write where a secret would stand.
var fakeWords = []string{
	"example", "xxxx", "your", "placeholder", "changeme", "dummy", "sample", "redacted", "insert", "replace", "secret", "token", "fake", "...", "***", "1234567", "abcdefg",
}

// fake reports whether the text stands for a secret rather than being one.
func fake(s string) bool {
	lower := strings.ToLower(s)
	for _, w := range fakeWords {
		if strings.Contains(lower, w) {
			return true
		}
	}
	return entropy(s) < 2.8
}

// entropy is Shannon's, in bits per byte. Of 20 random letters and digits it
// is about 4, of a repeated pattern below 3.
func entropy(s string) float64 {
	var count [256]int
	for i := range len(s) {
		count[s[i]]++
	}
	var bits float64
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}
