package compile

import (
	"context"
	"slices"
	"strings"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/tree"
)

// skills writes the list of skills by name, nothing when there are none or they are
// not asked for. Of a skill's text nothing but its frontmatter counts, or the
// first paragraph where that has no description.
func (c *compiler) skills(ctx context.Context) (*draft, error) {
	d := &draft{}
	if !c.opt.Skills {
		return d, nil
	}
	found, err := c.findSkills(ctx)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, s := range found {
		line := "- `" + s.name + "`"
		if s.description != "" {
			line += ": " + s.description
		}
		lines = append(lines, line)
	}
	if len(lines) > 0 {
		d.part(PartSkills, "", slices.Concat([]string{"<available_skills>"}, lines, []string{"</available_skills>"})...)
	}
	return d, nil
}

// A listedSkill is a line of the list.
type listedSkill struct{ name, description string }

// findSkills reads the skills of the tree. Of those with one name the first in
// path order is listed.
func (c *compiler) findSkills(ctx context.Context) ([]listedSkill, error) {
	roots := []string{"skills"}
	if !c.v2 {
		roots = append(roots, "memory/skills")
	}
	var list []listedSkill
	first := map[string]string{}
	for _, root := range roots {
		for f := range c.tree.Dir(root).All() {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if !c.isSkill(f, root) {
				continue
			}
			skill, err := c.readSkill(f)
			if err != nil {
				return nil, err
			}
			if skill == nil {
				continue
			}
			name := oneLine(skill.Name)
			if other, ok := first[name]; ok {
				c.warn(f.Path, "has the name '%s' of %s: left out of the list of skills", name, rules.Display(other))
				continue
			}
			first[name] = f.Path
			list = append(list, listedSkill{name, oneLine(skill.FirstLine())})
		}
	}
	order := newCollation()
	slices.SortFunc(list, func(a, b listedSkill) int { return order.compare(a.name, b.name) })
	return list, nil
}

// isSkill reports whether f is the file of a skill that can be read. It warns
// of links that would be one, or the folder of one, if they were followed.
func (c *compiler) isSkill(f *tree.File, root string) bool {
	folder := f.Mode == tree.Symlink && !strings.Contains(f.Path[len(root)+1:], "/") && !rules.IsMarkdown(f.Path)
	return (rules.IsSkill(c.tree, f.Path) || folder) && c.regular(f)
}
