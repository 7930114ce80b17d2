package rules

import (
	"errors"
	"fmt"
)

var errNotV2 = errors.New("only the v2 layout (a MEMORY.md at the root) has core and deferred memory to move between")

// Demote moves a core file into a directory, behind its index: it is no longer
// in the prompt, but found through the index. See [View.Move].
func (v *View) Demote(path, dir string) ([]Op, error) {
	switch {
	case !v.V2:
		return nil, errNotV2
	case v.Tree.File(path) == nil:
		return nil, fmt.Errorf("%s: no such file in the tree", Display(path))
	case !IsCore(path) || IsIndex(path):
		return nil, fmt.Errorf("%s: is not core memory, which is Markdown at the root other than MEMORY.md", Display(path))
	case dir == "" || !validPath(dir):
		return nil, fmt.Errorf("%s: is no directory that memory can be moved to", Display(dir))
	case dir == "skills" || InSkills(dir):
		return nil, errors.New("skills: is for skills, which are no memory; choose another directory")
	}
	return v.Move(path, joinPath(dir, path))
}

// Promote moves a deferred file to the root, where it is core memory: in every
// prompt, whole. See [View.Move].
func (v *View) Promote(path string) ([]Op, error) {
	switch {
	case !v.V2:
		return nil, errNotV2
	case v.Tree.File(path) == nil:
		return nil, fmt.Errorf("%s: no such file in the tree", Display(path))
	case IsCore(path):
		return nil, fmt.Errorf("%s: is core memory already", Display(path))
	case !IsMarkdown(path) || InSkills(path) || IsIndex(path):
		return nil, fmt.Errorf("%s: only memory files (Markdown, no index, no skill) can be core memory", Display(path))
	}
	return v.Move(path, base(path))
}
