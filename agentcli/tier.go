package agentcli

import (
	"strings"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/tree"
)

// The tiers of the spec, section 1, as reports name them.
const (
	tierRoot     = "root index"
	tierCore     = "core"
	tierIndex    = "index"
	tierDeferred = "deferred"
	tierSkill    = "skill"
	tierStray    = "not allowed"
	tierFile     = "file"
)

// tierOf is the tier that the file's place gives it.
func (t *target) tierOf(f *tree.File) string {
	path := f.Path
	switch v2 := t.view.V2Front; {
	case rules.InSkills(path), !v2 && strings.HasPrefix(path, "memory/skills/"):
		return tierSkill
	case !rules.IsMarkdown(path):
		return tierFile
	case !f.Mode.IsRegular(), v2 && !t.view.Projected(path):
		return tierStray
	case v2 && path == rules.Index:
		return tierRoot
	case t.isCore(path):
		return tierCore
	case v2 && rules.IsIndex(path):
		return tierIndex
	}
	return tierDeferred
}

// isSystem reports whether v1 keeps the path resident.
func isSystem(path string) bool {
	return strings.HasPrefix(strings.TrimPrefix(path, "memory/"), "system/")
}
