package facts

import (
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// ParseValue reads text as the value of a key on the same line, as a YAML
// loader does. The spans of the field are not set. The second result says why
// the text is no value, "" when it is one.
func ParseValue(text string) (Field, string) {
	var doc yaml.Node
	if err := unmarshal([]byte("k: "+text+"\n"), &doc); err != nil {
		_, reason := parserError(err)
		return Field{}, reason
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode || len(root.Content) != 2 {
		return Field{}, "more than one value"
	}
	var f Field
	f.describe(root.Content[1])
	return f, ""
}

// QuoteYAML writes s as a YAML double-quoted scalar on one line. JSON's
// string syntax is a subset of YAML's double quotes, but escapes more than
// people want to read, so only what must be escaped is.
func QuoteYAML(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20 || 0x7f <= r && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffe || r == 0xffff:
			b.WriteString(`\u` + hex4(r))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func hex4(r rune) string {
	s := strconv.FormatInt(int64(r), 16)
	return strings.Repeat("0", 4-len(s)) + s
}

// YAMLScalar writes s plainly where plain YAML loads as the same string, else
// in double quotes (spec, section 7).
func YAMLScalar(s string) string {
	var got map[string]any
	if s == strings.TrimSpace(s) && !strings.ContainsAny(s, "\n\r") && s != "" {
		if err := yaml.Unmarshal([]byte("k: "+s+"\n"), &got); err == nil && got["k"] == s {
			return s
		}
	}
	return QuoteYAML(s)
}
