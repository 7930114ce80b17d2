package lsp

import (
	"strings"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
)

// configValues are the values of the config's fields beside their defaults.
var configValues = map[string][]string{
	"fileCharacterLimits":                 {`[]`},
	"fileCharacterLimits[].maxCharacters": {"20000", "null"},
	"readOnlyFiles":                       {`[]`},
	"formatting":                          {`{}`},
	"formatting.lineEndings":              {`"lf"`},
	"formatting.finalNewline":             {"true", "false"},
	"formatting.trailingWhitespace":       {"true", "false"},
}

// config offers the keys of the object that the cursor is in, or values of the
// key before it.
func (c *completer) config() {
	place := jsonAt(c.src, c.at)
	if place.isKey {
		for _, f := range config.Fields() {
			if name, ok := strings.CutPrefix(f.Name, place.prefix()); ok && !strings.ContainsAny(name, ".[") && !place.present[name] {
				c.configKey(f, name, place)
			}
		}
		return
	}
	for _, f := range config.Fields() {
		if f.Name != place.path {
			continue
		}
		for _, value := range valuesOf(f) {
			c.add(wire.CompletionItem{Label: value, Kind: protocol.CompletionItemKindValue, Detail: f.Name, FilterText: value,
				Documentation: &protocol.MarkupContent{Kind: protocol.PlainText, Value: plainText(f.Doc)}}, place.token, value)
		}
	}
	if place.path == "readOnlyFiles[]" || place.path == "fileCharacterLimits[].pattern" {
		c.patterns(place)
	}
}

func valuesOf(f config.Field) []string {
	if f.Default != "" {
		return append([]string{f.Default}, configValues[f.Name]...)
	}
	return configValues[f.Name]
}

func (c *completer) configKey(f config.Field, name string, place jsonPlace) {
	text := `"` + name + `"`
	item := wire.CompletionItem{Label: name, Kind: protocol.CompletionItemKindProperty, FilterText: text,
		Documentation: &protocol.MarkupContent{Kind: protocol.PlainText, Value: plainText(f.Doc)}}
	if f.Default != "" {
		item.Detail = "default " + f.Default
	}
	if values := valuesOf(f); !place.hasColon {
		value := `""`
		if len(values) > 0 {
			value = values[0]
		}
		text += ": " + value
		if c.snippets {
			text = `"` + name + `": ${1:` + strings.ReplaceAll(value, "}", `\}`) + "}"
			item.InsertTextFormat = protocol.InsertTextFormatSnippet
		}
	}
	c.add(item, place.token, text)
}

// patterns offers the directories and Markdown files of the repository.
func (c *completer) patterns(place jsonPlace) {
	seen := map[string]bool{}
	offer := func(pattern string) {
		if seen[pattern] || strings.ContainsAny(pattern, "\"\\") || rules.Display(pattern) != pattern {
			return
		}
		seen[pattern] = true
		if len(c.items) >= maxCompletions {
			c.incomplete = true
			return
		}
		text := `"` + pattern + `"`
		c.add(wire.CompletionItem{Label: pattern, Kind: protocol.CompletionItemKindFile, FilterText: text}, place.token, text)
	}
	for f := range c.view.Tree.All() {
		if c.ctx.Err() != nil || c.incomplete {
			return
		}
		if rules.IsMarkdown(f.Path) {
			if dir := parentDir(f.Path); dir != "" {
				offer(dir + "/**")
			}
			offer(f.Path)
		}
	}
}

func plainText(markdown string) string { return strings.ReplaceAll(markdown, "`", "") }

// A jsonPlace is where in a JSON text the cursor is.
type jsonPlace struct {
	// path names the value at the cursor, or the object whose key is there:
	// "fileCharacterLimits[].pattern".
	path     string
	isKey    bool
	hasColon bool            // after the key
	token    rules.Span      // the string, number or word at the cursor
	present  map[string]bool // keys of the object, but not the one at the cursor
}

func (p *jsonPlace) prefix() string {
	if p.path == "" {
		return ""
	}
	return p.path + "."
}

// A jsonFrame is an object or array that is open.
type jsonFrame struct {
	path  string
	array bool
	key   string // the last one read
	atKey bool   // a key is due
	keys  map[string]bool
}

func (f *jsonFrame) valuePath() string {
	switch {
	case f.array:
		return f.path + "[]"
	case f.path == "":
		return f.key
	}
	return f.path + "." + f.key
}

// jsonAt reads as much structure as a text that is being written has. (A
// parser for JSON stops at the first thing missing.)
func jsonAt(src []byte, at int) jsonPlace {
	place := jsonPlace{token: rules.Span{Start: at, End: at}, present: map[string]bool{}}
	stack := []*jsonFrame{{array: true, keys: map[string]bool{}}}
	var inside *jsonFrame
	settle := func(f *jsonFrame) {
		if inside == nil {
			inside, place.isKey = f, !f.array && f.atKey
			if place.path = f.path; !place.isKey && len(stack) > 1 {
				place.path = f.valuePath()
			}
		}
	}
	for i := 0; i < len(src); {
		top := stack[len(stack)-1]
		end := jsonToken(src, i)
		word := string(src[i:end])
		if i < at && at < end || isJSONWord(src[i]) && i <= at && at <= end && !(at == end && src[i] == '"' && end > i+1 && src[end-1] == '"') {
			settle(top)
			place.token = rules.Span{Start: i, End: end}
		} else if i >= at {
			settle(top)
		}
		switch src[i] {
		case '{', '[':
			path := top.valuePath()
			if len(stack) == 1 {
				path = ""
			}
			stack = append(stack, &jsonFrame{path: path, array: src[i] == '[', atKey: src[i] == '{', keys: map[string]bool{}})
		case '}', ']':
			if len(stack) > 1 {
				stack = stack[:len(stack)-1]
			}
		case ',':
			top.atKey = !top.array
		case ':':
			if inside == top && place.isKey && top.key == strings.Trim(string(src[place.token.Start:place.token.End]), `"`) && i >= place.token.End && !place.hasColon {
				place.hasColon = len(strings.TrimSpace(string(src[place.token.End:i]))) == 0
			}
			top.atKey = false
		case '"':
			if top.atKey {
				top.key = strings.Trim(word, `"`)
				if at < i || at > end {
					top.keys[top.key] = true
				}
			}
		}
		i = end
	}
	settle(stack[len(stack)-1])
	place.present = inside.keys
	return place
}

// jsonToken is the end of the token at i. A string that is not closed ends with
// its line.
func jsonToken(src []byte, i int) int {
	switch {
	case src[i] == '"':
		for j := i + 1; j < len(src) && src[j] != '\n' && src[j] != '\r'; j++ {
			switch src[j] {
			case '\\':
				j++
			case '"':
				return j + 1
			}
		}
		return i + 1 + strings.IndexAny(string(src[i+1:])+"\n", "\r\n")
	case isJSONWord(src[i]):
		j := i
		for j < len(src) && isJSONWord(src[j]) && src[j] != '"' {
			j++
		}
		return j
	}
	return i + 1
}

func isJSONWord(c byte) bool {
	return c == '"' || c == '-' || c == '.' || c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
