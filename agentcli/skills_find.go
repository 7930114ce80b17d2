package agentcli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memls/memls/compile"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/gitrepo"
	"github.com/memls/memls/rules/parsers"
	"github.com/memls/memls/rules/tree"
)

// A skillFinder looks for skills on disk. Trees do not do: in them a link is
// its target's name, and agents read the disk.
type skillFinder struct {
	ctx     context.Context
	top     string // of the repository, links resolved
	head    *tree.Tree
	parsers *rules.Parsers
	// seen maps folders, links resolved, to the path that they were looked at by.
	seen  map[string]string
	links []string // folders to look at after all that are no links
	found []listedSkill
}

// findSkills finds every skill of the working tree and everything that was
// meant to be one, in path order.
func findSkills(ctx context.Context, repo *repository) ([]listedSkill, error) {
	if repo.Top == "" {
		return nil, fmt.Errorf("%s: %w; run this where the files are checked out", repo.GitDir, gitrepo.ErrNoWorktree)
	}
	f := &skillFinder{ctx: ctx, top: resolved(repo.Top), parsers: parsers.New(), seen: map[string]string{}}
	var err error
	if f.head, err = repo.Head(ctx); err != nil {
		return nil, err
	}
	roots, err := f.roots(repo)
	if err != nil {
		return nil, err
	}
	for _, root := range roots {
		if err := f.root(root); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(f.found, func(x, y listedSkill) int { return strings.Compare(x.Path, y.Path) })
	f.duplicates()
	return f.found, nil
}

// roots are the folders of skills in the layout of the working tree.
func (f *skillFinder) roots(repo *repository) ([]string, error) {
	policy, _, err := repo.Policy()
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(f.abs(rules.Index)); err == nil || policy == config.SharedMemory {
		return []string{"skills"}, nil
	}
	return []string{"skills", "memory/skills"}, nil
}

func (f *skillFinder) abs(p string) string { return filepath.Join(f.top, filepath.FromSlash(p)) }

func (f *skillFinder) root(root string) error {
	switch info, err := os.Lstat(f.abs(root)); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		s := f.add(root, "is a symbolic link")
		s.problem(rules.Warning, "make it a folder", "is a symbolic link, which git does not follow: a clone has no skills")
		return nil
	case !info.IsDir():
		return nil
	}
	if err := f.folder(root, root); err != nil {
		return err
	}
	for len(f.links) > 0 {
		link := f.links[0]
		f.links = f.links[1:]
		if err := f.link(root, link); err != nil {
			return err
		}
	}
	return nil
}

// folder looks at a folder: it is a skill, or may hold some.
func (f *skillFinder) folder(root, dir string) error {
	if err := f.ctx.Err(); err != nil {
		return err
	}
	real := resolved(f.abs(dir))
	if first, ok := f.seen[real]; ok {
		f.add(dir, "leads to "+rules.Display(first)+", which was looked at")
		return nil
	}
	f.seen[real] = dir
	entries, err := os.ReadDir(f.abs(dir))
	if err != nil {
		f.unreadable(dir, err)
		return nil
	}
	if dir != root {
		if name := skillFileIn(entries); name != "" {
			f.skill(dir, name)
			return nil
		}
	}
	before := len(f.found) + len(f.links)
	for _, e := range entries {
		if err := f.entry(root, dir, e); err != nil {
			return err
		}
	}
	if path.Dir(dir) == root && len(f.found)+len(f.links) == before {
		s := f.add(dir, "no skill")
		s.problem(rules.Hint, "add "+rules.Display(dir)+"/"+rules.SkillFile, "has no %s: no agent finds it", rules.SkillFile)
	}
	return nil
}

func (f *skillFinder) entry(root, dir string, e fs.DirEntry) error {
	p := dir + "/" + e.Name()
	switch {
	case e.Name() == ".git":
	case e.IsDir():
		return f.folder(root, p)
	case dir == root && rules.IsMarkdown(p):
		f.flat(p)
	case e.Type()&fs.ModeSymlink != 0:
		f.links = append(f.links, p)
	}
	return nil
}

// skillFileIn is the name of the file that makes the folder a skill, "" for
// none: SKILL.md, else the same in other capitals.
func skillFileIn(entries []fs.DirEntry) string {
	found := ""
	for _, e := range entries {
		if e.Name() == rules.SkillFile {
			return e.Name()
		}
		if strings.EqualFold(e.Name(), rules.SkillFile) && !e.IsDir() {
			found = e.Name()
		}
	}
	return found
}

// link looks at a link. One that leads out of the repository, to a home
// directory say, is not searched.
func (f *skillFinder) link(root, dir string) error {
	info, err := os.Stat(f.abs(dir))
	switch {
	case err != nil:
		s := f.add(dir, "cannot be followed")
		s.problem(rules.Warning, "remove the link, or make it lead to a folder", "is a symbolic link that leads nowhere")
		return nil
	case !info.IsDir():
		return nil
	}
	n := len(f.found)
	if isWithin(resolved(f.abs(dir)), f.top) {
		err = f.folder(root, dir)
	} else {
		f.outside(dir)
	}
	for i := range f.found[n:] {
		if s := &f.found[n+i]; s.Offered {
			s.problem(rules.Warning, "move the folder to "+rules.Display(dir), "lies behind the symbolic link %s, which git does not follow: compile leaves it out", rules.Display(dir))
		}
	}
	return err
}

// outside looks at a folder that is not in the repository.
func (f *skillFinder) outside(dir string) {
	real := resolved(f.abs(dir))
	if first, ok := f.seen[real]; ok {
		f.add(dir, "leads to the folder of "+rules.Display(first))
		return
	}
	f.seen[real] = dir
	entries, err := os.ReadDir(f.abs(dir))
	if err != nil {
		f.unreadable(dir, err)
		return
	}
	if name := skillFileIn(entries); name != "" {
		f.skill(dir, name)
		return
	}
	s := f.add(dir, "no skill")
	s.problem(rules.Hint, "link to the folder of one skill", "leads out of the repository to a folder without a %s", rules.SkillFile)
}

// add notes something that is not offered; skill makes more of it.
func (f *skillFinder) add(p, reason string) *listedSkill {
	f.found = append(f.found, listedSkill{Name: strings.TrimSuffix(path.Base(p), ".md"), Path: p, Reason: reason, Problems: []skillProblem{}})
	return &f.found[len(f.found)-1]
}

func (f *skillFinder) unreadable(p string, err error) {
	if inner := errors.Unwrap(err); inner != nil {
		err = inner
	}
	f.add(p, "cannot be read").problem(rules.Error, "", "cannot be read: %v", err)
}

// skill reads the skill's file.
func (f *skillFinder) skill(dir, name string) {
	p := dir + "/" + name
	src, err := readRegular(f.abs(p))
	if err != nil {
		f.unreadable(p, err)
		return
	}
	skill, err := rules.SkillOf(f.parsers, tree.NewFile(p, tree.Regular, "", tree.Buffer(src)))
	if err != nil {
		f.unreadable(p, err)
		return
	}
	s := f.add(p, "")
	s.Offered = true
	s.Name, s.Description = foldSpace(skill.Name), foldSpace(skill.FirstLine())
	if name != rules.SkillFile {
		s.problem(rules.Warning, "rename it to "+rules.SkillFile, "is named %s, and must be %s for agents that look at capitals", rules.Display(name), rules.SkillFile)
	}
	for _, problem := range skill.Problems {
		s.problem(problem.Severity, problem.Help, "%s", problem.Message)
	}
	if compile.OnlyForPeople(f.parsers, src) {
		s.skip("disable-model-invocation: only people start it")
	}
}

// readRegular reads a file that may be a link, but no pipe or device.
func readRegular(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no regular file")
	case info.Size() > maxStdin:
		return nil, fmt.Errorf("it is larger than %d MiB", maxStdin>>20)
	}
	return os.ReadFile(name)
}

// flat notes Markdown that lies in the folder of skills, with the words and
// the severity of rule skill-path: only a new one keeps a commit back.
func (f *skillFinder) flat(p string) {
	grade := rules.Error
	if old := f.head.File(p); old != nil {
		before, err := old.Bytes()
		now, readErr := readRegular(f.abs(p))
		if err == nil && readErr == nil && bytes.Equal(before, now) {
			grade = rules.Warning
		}
	}
	f.add(p, "a file, not a folder").problem(grade, "move it to "+rules.Display(strings.TrimSuffix(p, ".md")+"/"+rules.SkillFile),
		"invalid skill path (skills must be folders). Use skills/<name>/SKILL.md")
}

// duplicates keeps of the skills with one name the first in path order, as
// compile does.
func (f *skillFinder) duplicates() {
	first := map[string]string{}
	for i := range f.found {
		s := &f.found[i]
		if !s.Offered {
			continue
		}
		if other, ok := first[s.Name]; ok {
			s.problem(rules.Warning, "give one of them another name", "has the name '%s' of %s", s.Name, rules.Display(other))
			s.skip("another skill has its name")
			continue
		}
		first[s.Name] = s.Path
	}
}

// foldSpace folds all white space to single spaces.
func foldSpace(s string) string { return strings.Join(strings.Fields(s), " ") }
