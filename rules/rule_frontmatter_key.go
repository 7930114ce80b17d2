package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memls/memls/rules/facts"
)

var ruleFrontmatterKey = &Rule{
	ID:       "frontmatter-key",
	Severity: Error,
	Refusal:  true,
	Summary:  "frontmatter has only the keys that the layout knows",
	Source:   "spec 4; letta-code 0.32.18",
	Doc: Doc{
		Checks: "Every line of the block that is not empty is read as `key: value`, indented or not. v2 allows exactly `name` and `description`; v1 allows `description`, `limit` and `read_only`, and skips indented lines. Comments, nested maps and values over several lines are unknown keys in v2.",
		Why:    "The block is read line by line, not as YAML, so that every tool reads it alike. The commit is refused.",
		Bad:    "---\nname: Deploy\ndescription: How we deploy\ntype: feedback\n---",
		Good:   "---\nname: Deploy\ndescription: How we deploy\n---",
		Fix:    "Deletes the line; takes quotes and capitals from a key that is allowed without them; folds a value over several lines into one; turns v1 frontmatter into v2.",
	},
	roles: frontRoles,
	text:  checkFrontmatterKey,
}

func checkFrontmatterKey(p *Pass) {
	format := p.format()
	keys := p.frontKeys()
	group := p.multiline(keys)
	for i, k := range keys {
		if format.allows(k.key) {
			continue
		}
		shownKey := shown(k.key)
		f := p.found(k.KeySpan, "unknown frontmatter key '%s' (allowed: %s)", shownKey, strings.Join(format.allowed, " "))
		f.Help = "delete the line, or move what it says into the text"
		f.Fixes = p.keyFixes(keys, k)
		switch {
		case isConflictMarker(k.RawKey):
			f.Help = "this is a line of an unresolved merge: resolve the conflict"
			f.Group, f.Fixes = p.conflictGroup(), nil
		case group != nil && i > group.first && i <= group.last:
			f.Help = "v2 memory frontmatter is one line per key"
			f.Group, f.Fixes = &group.Group, group.Fixes
		}
		p.emit(f)
	}
}

// keyFixes offers, in this order: the key as it must be written, v1 turned into
// v2, the line deleted.
func (p *Pass) keyFixes(keys []frontKey, k frontKey) []*Fix {
	drop := p.editFix(fmt.Sprintf("Delete key '%s'", shown(k.key)), deleteLine(p.Text(), k.Span))
	if plain := plainKey(k.key); p.format().allows(plain) {
		switch other := firstMeant(keys, plain); {
		case other.Span == k.Span:
			return []*Fix{p.editFix(fmt.Sprintf("Rename key to '%s'", plain), Edit{Span: k.KeySpan, New: plain})}
		case other.Value != k.Value:
			drop.asGuess()
		}
	}
	if p.Role == RoleMemory && (k.key == "limit" || k.key == "read_only") && !hasKey(keys, "name") {
		return []*Fix{p.convertV1(keys), drop}
	}
	return []*Fix{drop}
}

// plainKey is a key without what other readers forgive, and the text check does
// not: quotes, capitals, NUL bytes.
func plainKey(key string) string {
	return strings.ToLower(strings.Trim(strings.ReplaceAll(key, "\x00", ""), `"'`))
}

// firstMeant is the line that has the key, else the first that means to, else
// nil.
func firstMeant(keys []frontKey, key string) *frontKey {
	i := slices.IndexFunc(keys, func(k frontKey) bool { return k.key == key })
	if i < 0 {
		i = slices.IndexFunc(keys, func(k frontKey) bool { return plainKey(k.key) == key })
	}
	if i < 0 {
		return nil
	}
	return &keys[i]
}

// convertV1 turns v1 frontmatter into v2: a derived name, and v1's own keys
// gone. Their meaning belongs into .memfs.config.json, which only a person
// may change, so the title says what is dropped.
func (p *Pass) convertV1(keys []frontKey) *Fix {
	src := p.Text()
	edits := []Edit{{Span: Span{Start: p.Facts().Front.Open.End, End: p.Facts().Front.Open.End}, New: "\nname: " + p.derivedValue("name", "")}}
	var dropped []string
	for _, k := range keys {
		if k.key == "limit" || k.key == "read_only" {
			edits = append(edits, deleteLine(src, k.Span))
			dropped = append(dropped, k.key)
		}
	}
	return p.editFix(fmt.Sprintf("Convert v1 frontmatter to v2 (drops %s)", strings.Join(dropped, ", ")), edits...)
}

func hasKey(keys []frontKey, key string) bool {
	for _, k := range keys {
		if k.key == key {
			return true
		}
	}
	return false
}

// multilineGroup is a YAML value over several lines: one mistake that the
// text check counts once a line.
type multilineGroup struct {
	Group
	first, last int // the key with the value, the last continuation line
}

// multiline finds the first allowed key with a block scalar or a folded
// value, and the indented lines that continue it.
func (p *Pass) multiline(keys []frontKey) *multilineGroup {
	if p.Role != RoleMemory {
		return nil
	}
	for i, k := range keys {
		last := i
		for last+1 < len(keys) && keys[last+1].Indented {
			last++
		}
		if last == i || !p.format().allows(k.key) || !k.Colon {
			continue
		}
		g := &multilineGroup{first: i, last: last}
		g.Message, g.Span = "v2 memory frontmatter is one line per key", k.ValueSpan
		if k.Value == "" {
			g.Span = k.KeySpan
		}
		// Lines that YAML does not read as one value are keys gone astray,
		// not a value over several lines.
		if f := p.foldValue(k, keys[last].Span.End); f != nil {
			g.Fixes = []*Fix{f}
			return g
		}
	}
	return nil
}

// foldValue writes the value that YAML reads on one quoted line.
func (p *Pass) foldValue(k frontKey, end int) *Fix {
	src := p.Text()
	y := p.yaml()
	if y.Err != "" {
		return nil
	}
	field := y.Field(k.key)
	if field == nil || field.Value == "" {
		return nil
	}
	text := strings.Join(strings.Fields(field.Value), " ")
	if len(src) < end {
		return nil
	}
	return p.editFix("Fold into one quoted line", Edit{Span: Span{Start: k.KeySpan.End, End: end}, New: ": " + facts.QuoteYAML(text)})
}
