package agentcli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/memls/memls/agentcli/blocks"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
)

// A configFile is .memfs.config.json while it is changed. What a migration has
// nothing to do with is kept as it is written.
type configFile struct {
	Version                 json.RawMessage `json:"version"`
	MaxDepth                json.RawMessage `json:"maxDepth,omitempty"`
	MaxFileCharacters       json.RawMessage `json:"maxFileCharacters,omitempty"`
	MaxCoreMemoryCharacters json.RawMessage `json:"maxCoreMemoryCharacters,omitempty"`
	FileCharacterLimits     []configLimit   `json:"fileCharacterLimits,omitempty"`
	ReadOnlyFiles           []string        `json:"readOnlyFiles,omitempty"`
	Formatting              json.RawMessage `json:"formatting,omitempty"`

	changed bool
}

type configLimit struct {
	Pattern       string `json:"pattern"`
	MaxCharacters *int64 `json:"maxCharacters"` // null lifts the cap
}

// add takes in what the frontmatter of a file said. What a config says of the
// file already comes first in it, and so goes on to hold.
func (c *configFile) add(path string, limit int64, readOnly bool) {
	if limit > 0 {
		c.FileCharacterLimits = append(c.FileCharacterLimits, configLimit{blocks.Pattern(path), &limit})
		c.changed = true
	}
	if readOnly {
		c.ReadOnlyFiles = append(c.ReadOnlyFiles, blocks.Pattern(path))
		c.changed = true
	}
}

func (m *migration) readConfig() error {
	m.limits.Version = json.RawMessage("1")
	f := m.old.File(config.Path)
	if f == nil {
		return nil
	}
	src, err := f.Bytes()
	if err != nil {
		return err
	}
	if _, problems := config.Parse(src); len(problems) > 0 {
		return fmt.Errorf("%s; mend it first", problems[0].Message)
	}
	return json.Unmarshal(src, &m.limits)
}

// renderConfig is the new config, nil where it stays as it is. The patterns that
// are there go on to hold for the files they hold for now.
func (m *migration) renderConfig() []byte {
	c := &m.limits
	m.deepen()
	m.followLimits()
	m.followReadOnly()
	if !c.changed {
		return nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	_ = e.Encode(c) // it was JSON before, or is strings and numbers
	return b.Bytes()
}

// deepen lets files lie as deep as they do: v1 has no limit of its own.
func (m *migration) deepen() {
	deepest := 0
	for _, to := range m.to {
		if rules.IsMarkdown(to) && !rules.InSkills(to) {
			deepest = max(deepest, strings.Count(to, "/"))
		}
	}
	if limit := *config.Defaults().MaxDepth; m.limits.MaxDepth == nil && int64(deepest) > limit {
		m.limits.MaxDepth = json.RawMessage(fmt.Sprint(deepest))
		m.limits.changed = true
		m.note("maxDepth is %d in %s, since files lie deeper than the %d directories that v2 allows unless told otherwise", deepest, config.Path, limit)
	}
}

// followLimits puts an entry for each moved file before the pattern that holds
// for it.
func (m *migration) followLimits() {
	var out []configLimit
	done := map[string]bool{}
	for _, l := range m.limits.FileCharacterLimits {
		for _, to := range m.matched(l.Pattern) {
			if !done[to] {
				done[to] = true
				out = append(out, configLimit{blocks.Pattern(to), l.MaxCharacters})
			}
		}
		out = append(out, l)
	}
	m.limits.FileCharacterLimits = out
}

func (m *migration) followReadOnly() {
	for _, pattern := range m.limits.ReadOnlyFiles {
		for _, to := range m.matched(pattern) {
			m.limits.ReadOnlyFiles = append(m.limits.ReadOnlyFiles, blocks.Pattern(to))
		}
	}
}

// matched are the new paths of the files that move and whose old paths the
// pattern matches, in order of the old ones.
func (m *migration) matched(pattern string) []string {
	glob, err := config.CompileGlob(pattern)
	if err != nil {
		return nil // not in a config that was read, nor among those made here
	}
	var out []string
	for f := range m.old.All() {
		if to := m.to[f.Path]; to != f.Path && glob.Match(f.Path) && !glob.Match(to) {
			m.limits.changed = true
			out = append(out, to)
		}
	}
	if len(out) > 0 {
		m.note("%s: the pattern %q names old paths; entries for the new ones stand beside it, and it may go", config.Path, pattern)
	}
	return out
}
