package rules

import (
	"bytes"
	"slices"
	"strings"

	"github.com/memls/memls/rules/facts"
)

// frontRoles are the roles whose frontmatter is judged.
var frontRoles = []Role{RoleMemory, RoleLegacy}

// A frontFormat is what differs between the two frontmatter formats.
type frontFormat struct {
	allowed, required []string
}

var (
	v2Format = frontFormat{allowed: []string{"name", "description"}, required: []string{"name", "description"}}
	v1Format = frontFormat{allowed: []string{"description", "read_only", "limit"}, required: []string{"description"}}
)

func (p *Pass) format() frontFormat {
	if p.Role == RoleLegacy {
		return v1Format
	}
	return v2Format
}

func (f frontFormat) allows(key string) bool { return slices.Contains(f.allowed, key) }

// A frontKey is one `key: value` line as the format of the pass reads it.
type frontKey struct {
	facts.FrontLine
	key string
}

// frontKeys are the lines that count, nil unless the frontmatter is closed.
// v1 skips continuation lines and removes all spaces from a key; v2 does
// neither (spec, section 4). A v1 file that is locked has one finding of its
// own and none else.
func (p *Pass) frontKeys() []frontKey {
	front := &p.Facts().Front
	if front.State != facts.FrontClosed || p.locked() {
		return nil
	}
	keys := make([]frontKey, 0, len(front.Lines))
	for _, l := range front.Lines {
		k := frontKey{FrontLine: l, key: l.Key}
		if p.Role == RoleLegacy {
			if l.Indented {
				continue
			}
			k.key = strings.ReplaceAll(l.RawKey, " ", "")
		}
		keys = append(keys, k)
	}
	return keys
}

// empty reports whether the value counts as empty.
func (p *Pass) empty(k frontKey) bool {
	return k.Value == "" || p.Role != RoleLegacy && (k.Value == `""` || k.Value == "''")
}

// headText is the file's text at the last commit; nil when it was not there.
func (p *Pass) headText() []byte {
	if p.Committed {
		return nil
	}
	f := p.Head.File(p.File.Path)
	if f == nil || !f.Mode.IsRegular() {
		return nil
	}
	src, err := f.Bytes()
	if err != nil {
		p.fail(err)
	}
	return src
}

// locked reports whether the last commit has the v1 file marked read_only.
func (p *Pass) locked() bool {
	return p.Role == RoleLegacy && p.Enforced() && legacyValue(p.headText(), "read_only") == "true"
}

// legacyValue is the value of a key the way v1 compares it between commits:
// the lines that start with exactly "key:", whether or not the file starts
// with a fence.
func legacyValue(src []byte, key string) string {
	lines := bytes.Split(src, []byte("\n"))
	var values []string
	for i, line := range lines {
		if i == 0 {
			continue
		}
		if string(line) == "---" {
			return strings.Join(values, "\n")
		}
		if v, ok := bytes.CutPrefix(line, []byte(key+":")); ok {
			values = append(values, strings.Trim(string(v), " "))
		}
	}
	return ""
}

// deleteLine is the edit that takes the line with its line end out.
func deleteLine(src []byte, line Span) Edit {
	end := line.End
	if bytes.HasPrefix(src[end:], []byte("\r\n")) {
		end++
	}
	if end < len(src) && src[end] == '\n' {
		end++
	}
	return Edit{Span: Span{Start: line.Start, End: end}}
}
