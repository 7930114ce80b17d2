package markdown

import (
	"unicode"
	"unicode/utf8"
)

// Slug is GitHub's heading-to-anchor rule: lower case, each space a hyphen, and of
// the rest only letters, marks, decimal digits, hyphens and connecting punctuation
// such as _ kept. The rule is that of the github-slugger package; numbering
// repeated slugs is up to the caller (Parse does it).
func Slug(text string) string {
	out := make([]byte, 0, len(text))
	for _, r := range text {
		switch {
		case r == ' ':
			out = append(out, '-')
		case r == '-' || inSlug(r):
			out = utf8.AppendRune(out, unicode.ToLower(r))
		}
	}
	return string(out)
}

func inSlug(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Other_Alphabetic, unicode.Pc)
}
