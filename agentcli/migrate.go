package agentcli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/parsers"
	"github.com/memls/memls/rules/tree"
)

// migrate moves memory of the v1 layout to v2, in one commit of its repository.
func (a *app) migrate(ctx context.Context, opt initOptions) error {
	dir, err := filepath.Abs(a.from(opt.from))
	if err != nil {
		return err
	}
	repo, head, err := a.openClean(ctx, dir)
	if err != nil {
		return err
	}
	defer repo.Close()
	if err := isLegacyMemory(repo.Top, head); err != nil {
		return err
	}
	m := &migration{old: head, parsers: parsers.New()}
	p := &proposal{
		root: repo.Top, policy: config.RootMarker, before: head,
		message: "chore: move memory to the v2 layout",
		refused: "Mend these where they are now, in the v1 layout, and commit; then run this again. Limits that are too low are " +
			"raised in .memfs.config.json, by a commit with MEMLS_APPROVE_CONFIG=1.",
	}
	if p.after, err = m.run(ctx); err != nil {
		return fmt.Errorf("%w\nnothing was written", err)
	}
	p.moved, p.notes = m.origin(), m.notes
	return a.offer(ctx, p, opt, func() error { return a.amend(ctx, repo, p) })
}

func isLegacyMemory(top string, head *tree.Tree) error {
	if head.Has(rules.Index) {
		return fmt.Errorf("%s: has a root %s, so it is in the v2 layout already", rules.Display(top), rules.Index)
	}
	if head != nil {
		for f := range head.All() {
			if rules.IsLegacy(f.Path) {
				return nil
			}
		}
	}
	return fmt.Errorf("%s: has no committed memory of the v1 layout (no Markdown in system/ or reference/); to make memory of another repository use --adopt", rules.Display(top))
}

// A migration turns a tree of the v1 layout into one of v2.
type migration struct {
	old     *tree.Tree
	parsers *rules.Parsers
	// prefix is "memory/" where the memory lies in such a folder, else "".
	prefix string
	// to is the new path of every file, by its old one.
	to map[string]string
	// moved has every file at its new path with its old text, and the indexes
	// to be: what links are resolved in.
	moved *tree.Tree
	// indexes are the paths of the indexes that are created.
	indexes map[string]bool

	limits configFile
	notes  []string
}

func (m *migration) note(format string, args ...any) {
	m.notes = append(m.notes, fmt.Sprintf(format, args...))
}

// run works the new tree out.
func (m *migration) run(ctx context.Context) (*tree.Tree, error) {
	if err := m.readConfig(); err != nil {
		return nil, err
	}
	if err := m.assign(); err != nil {
		return nil, err
	}
	m.findIndexes()
	var files []*tree.File
	for f := range m.old.All() {
		converted, err := m.convert(f)
		if err != nil {
			return nil, err
		}
		files = append(files, converted)
	}
	if err := m.old.Err(); err != nil {
		return nil, err
	}
	t := tree.New(files)
	if content := m.renderConfig(); content != nil {
		t = t.With([]*tree.File{tree.NewFile(config.Path, tree.Regular, "", tree.Buffer(content))})
	}
	return m.complete(ctx, t)
}

// complete has fix mend what is left, and writes the indexes: files that had no
// frontmatter have a description only then.
func (m *migration) complete(ctx context.Context, t *tree.Tree) (*tree.Tree, error) {
	p := proposal{before: m.old, policy: config.RootMarker}
	withIndexes := func(text func(dir string) string) {
		var created []*tree.File
		for index := range m.indexes {
			dir := strings.TrimSuffix(strings.TrimSuffix(index, rules.Index), "/")
			created = append(created, tree.NewFile(index, tree.Regular, "", tree.Buffer(text(dir))))
		}
		p.after = t.With(created)
	}
	mend := func(want func(*rules.Finding) bool) error {
		mended, err := p.view().FixAll(ctx, want)
		if err == nil {
			t = mended.Tree
		}
		return err
	}
	withIndexes(func(string) string { return "" })
	if err := mend(func(f *rules.Finding) bool { return f.Severity == rules.Error }); err != nil {
		return nil, err
	}
	p.after = t
	v := p.view()
	withIndexes(func(dir string) string { return v.IndexText(dir, m.indexes) })
	err := mend(func(f *rules.Finding) bool { return f.Rule.ID == "index-unlisted" })
	return t, err
}

// assign gives every file its new path. No two may get the same.
func (m *migration) assign() error {
	for _, dir := range []string{"memory/system", "memory/reference", "memory/skills"} {
		if m.old.Dir(dir) != nil {
			m.prefix = "memory/"
		}
	}
	m.to = map[string]string{}
	taken := map[string]string{}
	var errs []error
	for f := range m.old.All() {
		to, err := m.newPath(f.Path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if other, clash := taken[tree.FoldName(to)]; clash {
			errs = append(errs, fmt.Errorf("%s and %s: both would be %s, at least where case does not count; rename one and commit", rules.Display(other), rules.Display(f.Path), rules.Display(to)))
			continue
		}
		taken[tree.FoldName(to)] = f.Path
		m.to[f.Path] = to
	}
	return errors.Join(errs...)
}

// newPath is where a file goes: what v1 keeps in the prompt to the root, as a
// block would; other memory keeps its place, below reference/ if it lay at the
// root, which is in the prompt now.
func (m *migration) newPath(path string) (string, error) {
	rest := strings.TrimPrefix(path, m.prefix)
	name, inSystem := strings.CutPrefix(rest, "system/")
	switch {
	case !rules.IsMarkdown(path) || rules.InSkills(rest):
		return rest, nil
	case !inSystem && !strings.Contains(rest, "/"):
		return "reference/" + rest, nil
	case !inSystem:
		return rest, nil
	}
	to := strings.ReplaceAll(name, "/", "_")
	switch {
	case tree.FoldName(to) == tree.FoldName(rules.Index):
		return "", fmt.Errorf("%s: would be the root index, which is made anew; rename it and commit", rules.Display(path))
	case len(to) > 255:
		return "", fmt.Errorf("%s: as a file at the root its name would have %d bytes, and 255 is the most; rename it and commit", rules.Display(path), len(to))
	}
	return to, nil
}

// findIndexes finds the directories that need an index, and sets moved.
func (m *migration) findIndexes() {
	m.indexes = map[string]bool{rules.Index: true}
	var files []*tree.File
	for f := range m.old.All() {
		to := m.to[f.Path]
		files = append(files, tree.NewFile(to, f.Mode, f.OID, onceContent(f.Bytes)))
		if !rules.IsMarkdown(to) || rules.InSkills(to) {
			continue
		}
		for i, c := range to {
			if c == '/' {
				m.indexes[to[:i]+"/"+rules.Index] = true
			}
		}
	}
	m.moved = tree.New(files)
	var coming []*tree.File
	for index := range m.indexes {
		if m.moved.Has(index) {
			delete(m.indexes, index)
			continue
		}
		coming = append(coming, tree.NewFile(index, tree.Regular, "", tree.Buffer(nil)))
	}
	m.moved = m.moved.With(coming)
}

// origin is the old path of each file that moves, by the new one.
func (m *migration) origin() map[string]string {
	moved := map[string]string{}
	for from, to := range m.to {
		if from != to {
			moved[to] = from
		}
	}
	return moved
}
