package memory

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/memls/memls/compile"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/facts"
)

// maxResources bounds the list of a skill's other files.
const maxResources = 200

type skillInput struct {
	Name  string `json:"name"`
	Skill string `json:"skill"` // Letta's word for it
}

// skill loads a skill: what its file says, and what lies beside it.
func (w *Workspace) skill(_ context.Context, input []byte) (string, error) {
	var in skillInput
	if err := DecodeInput(input, &in); err != nil {
		return "", err
	}
	name := in.Name
	if name == "" {
		name = in.Skill
	}
	if name == "" {
		return "", errors.New("give the name of a skill")
	}
	skills, err := w.skills()
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(skills, func(s *rules.Skill) bool { return s.Name == name })
	if at < 0 {
		at = slices.IndexFunc(skills, func(s *rules.Skill) bool { return s.Folder == name })
	}
	if at < 0 {
		names := []string{}
		for _, s := range skills {
			names = append(names, rules.Printable(s.Name))
		}
		if len(names) == 0 {
			return "", errors.New("there are no skills in this memory")
		}
		return "", fmt.Errorf("there is no skill %s; there are %s", quoted(name), strings.Join(names, ", "))
	}
	return w.loadSkill(skills[at])
}

// skills are those that a model may start, by path.
func (w *Workspace) skills() ([]*rules.Skill, error) {
	var skills []*rules.Skill
	for f := range w.tree.All() {
		if !rules.IsSkill(w.tree, f.Path) || !f.Mode.IsRegular() {
			continue
		}
		text, err := f.Bytes()
		if err != nil {
			return nil, err
		}
		if compile.OnlyForPeople(w.base.Parsers, text) {
			continue
		}
		s, err := rules.SkillOf(w.base.Parsers, f)
		if err != nil {
			return nil, err
		}
		skills = append(skills, s)
	}
	return skills, nil
}

func (w *Workspace) loadSkill(s *rules.Skill) (string, error) {
	f, text, err := w.file(s.Path)
	if err != nil {
		return "", err
	}
	dir := dirOf(f.Path)
	where := spell(dir)
	if w.opt.Root != "" {
		where = path.Join(w.opt.Root, dir)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The skill %s is in %s", rules.Printable(s.Name), where)
	n := 0
	for other := range w.tree.Dir(dir).All() {
		if other == f {
			continue
		}
		switch n++; {
		case n == 1:
			b.WriteString(", with these other files:\n")
			fallthrough
		case n <= maxResources:
			b.WriteString("- " + rules.Display(strings.TrimPrefix(other.Path, dir+"/")) + "\n")
		}
	}
	if n > maxResources {
		fmt.Fprintf(&b, "- … and %d more\n", n-maxResources)
	}
	if n == 0 {
		b.WriteString(".\n")
	}
	body := strings.NewReplacer("<SKILL_DIR>", where, "${CLAUDE_SKILL_DIR}", where).Replace(string(text[facts.BodyStart(text):]))
	b.WriteString("Its instructions:\n\n" + strings.TrimLeft(body, "\r\n"))
	return b.String(), nil
}

type finishInput struct {
	Message string `json:"message"`
}

// finish ends the work, with a message for the commit.
func (w *Workspace) finish(_ context.Context, input []byte) (string, error) {
	var in finishInput
	if err := DecodeInput(input, &in); err != nil {
		return "", err
	}
	var lines []string
	for line := range strings.Lines(strings.TrimSpace(in.Message)) {
		lines = append(lines, rules.Printable(strings.TrimRight(line, " \t\r\n")))
	}
	w.message, w.finished = strings.Join(lines, "\n"), true
	if len(w.Changes()) == 0 {
		return "Finished. The memory is unchanged: there is nothing to commit.", nil
	}
	return "Finished. The changes are judged and committed when the turn ends.", nil
}
