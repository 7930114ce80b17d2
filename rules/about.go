package rules

import (
	"maps"

	"github.com/memls/memls/rules/facts"
	"github.com/memls/memls/rules/markdown"
	"github.com/memls/memls/rules/tree"
)

// An About is what a list shows of a file.
type About struct {
	// Name is never empty: without one in the file it is derived from the path.
	// Description may be empty; both are one line.
	Name, Description string
	// Bytes is the size, Characters its number of Unicode code points.
	Bytes, Characters int
}

// About reads what a memory file, an index or a skill says of itself. It costs
// one reading of the file, once.
func (v *View) About(f *tree.File) (About, error) {
	known, err := factsOf(f)
	if err != nil {
		return About{}, err
	}
	a := About{Bytes: known.Bytes, Characters: known.Characters}
	switch {
	case IsSkill(v.Tree, f.Path):
		skill, err := SkillOf(v.Parsers, f)
		if err != nil {
			return About{}, err
		}
		a.Name, a.Description = facts.Decode(skill.Name), facts.Decode(skill.FirstLine())
	case IsIndex(f.Path):
		a.Name = indexTitle(dirOf(f.Path))
	case IsMarkdown(f.Path):
		a.Name, a.Description = v.nameOf(f)
	default:
		a.Name = f.Name()
	}
	return a, nil
}

// DocOf returns the Markdown of a file, parsed once.
func (v *View) DocOf(f *tree.File) (*markdown.Doc, error) { return v.Parsers.docOf(f) }

// FrontKeys are the frontmatter keys that a role's format has, those that it
// asks for first; required says how many these are.
func FrontKeys(role Role) (keys []string, required int) {
	switch role {
	case RoleMemory:
		return v2Format.allowed, len(v2Format.required)
	case RoleLegacy:
		return v1Format.allowed, len(v1Format.required)
	case RoleSkill:
		return []string{"name", "description", "license", "compatibility", "metadata", "allowed-tools"}, 2
	}
	return nil, 0
}

// Linked is what the index of a directory ("" for the root) links to, by path;
// ok is false where there is no index that can be read. The map is the
// caller's.
func (v *View) Linked(dir string) (linked map[string]bool, ok bool) {
	if v.Tree.Dir(dir) == nil {
		return nil, false
	}
	l := v.listing(dir)
	if l == nil {
		return nil, false
	}
	return maps.Clone(l.linked), true
}

// Listable are the files that the index of a directory should link to: its
// memory files and the indexes of its sub-directories, in path order.
func (v *View) Listable(dir string) []*tree.File {
	d := v.Tree.Dir(dir)
	if d == nil {
		return nil
	}
	var files []*tree.File
	for f := range d.Files() {
		if IsMarkdown(f.Path) && !IsIndex(f.Path) && f.Mode.IsRegular() {
			files = append(files, f)
		}
	}
	for sub := range d.Dirs() {
		if index := sub.File(Index); index != nil && !InSkills(index.Path) && index.Mode.IsRegular() {
			files = append(files, index)
		}
	}
	return files
}
