package frontyaml

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/memls/memls/rules/facts"
)

// Value reads text as the value of a key on the same line, as a YAML
// loader does. The spans of the field are not set. The second result says why
// the text is no value, "" when it is one.
func Value(text string) (facts.Field, string) {
	var doc yaml.Node
	if err := unmarshal([]byte("k: "+text+"\n"), &doc); err != nil {
		_, reason := parserError(err)
		return facts.Field{}, reason
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode || len(root.Content) != 2 {
		return facts.Field{}, "more than one value"
	}
	var f facts.Field
	describe(&f, root.Content[1])
	return f, ""
}

// Scalar writes s plainly where plain YAML loads as the same string, else
// in double quotes (spec, section 7).
func Scalar(s string) string {
	var got map[string]any
	if s == strings.TrimSpace(s) && !strings.ContainsAny(s, "\n\r") && s != "" {
		if err := yaml.Unmarshal([]byte("k: "+s+"\n"), &got); err == nil && got["k"] == s {
			return s
		}
	}
	return facts.QuoteYAML(s)
}
