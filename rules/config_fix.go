package rules

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/tree"
)

// configFixes offers what can be mended without knowing what was meant: a
// field misspelt in its capitals, a version that is missing or wrong.
func configFixes(file *tree.File, problem config.Problem) []*Fix {
	edit := func(title string, e Edit) []*Fix {
		return []*Fix{newFix(fmt.Sprintf("edit:%s:%v", config.Path, e), title, func() ([]Op, error) {
			return []Op{{Kind: OpEdit, Path: config.Path, Edits: []Edit{e}}}, nil
		})}
	}
	span := Span{Start: problem.Start, End: problem.End}
	switch {
	case strings.HasSuffix(problem.Message, "version must be 1"):
		src, err := file.Bytes()
		if err != nil || span.End > len(src) {
			return nil
		}
		if src[span.Start] != '{' {
			return edit("Set version to 1", Edit{Span: span, New: "1"})
		}
		text := `"version": 1`
		if len(bytes.TrimSpace(src[span.Start+1:])) > 0 && bytes.TrimSpace(src[span.Start+1:])[0] != '}' {
			text += ","
		}
		return edit("Add version 1", Edit{Span: Span{Start: span.Start + 1, End: span.Start + 1}, New: text})
	case strings.Contains(problem.Message, "unknown field"):
		for _, known := range config.Fields() {
			if strings.EqualFold(known.Name, problem.Field) {
				name := known.Name[strings.LastIndexByte(known.Name, '.')+1:]
				return edit("Rename to "+name, Edit{Span: span, New: `"` + name + `"`})
			}
		}
	}
	return nil
}
