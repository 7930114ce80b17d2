package agentcli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/tree"
)

// treeFile is one file of the JSON of tree. Sizes are nil where there is no
// text to measure: in a link, a submodule; characters also in other files than
// Markdown.
type treeFile struct {
	Path       string `json:"path"`
	Tier       string `json:"tier"`
	Bytes      *int   `json:"bytes"`
	Characters *int   `json:"characters"`
	Tokens     *int   `json:"tokens"`
	Limit      *int64 `json:"limit"`
}

func (a *app) treeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tree",
		Short: "Show the memory as a tree",
		Long: `Show every file with its tier, its size in characters (Unicode code points, as budgets
count them) and how much of its budget it uses. On a terminal, colours tell what is resident, what
is not allowed and what fills its budget; NO_COLOR turns them off.`,
		Example: `  agentcli tree
  agentcli tree --at head --format json`,
		Args: cobra.NoArgs,
	}
	at := atFlag(cmd)
	format := formatFlag(cmd)
	policy := policyFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		repo, err := a.open(cmd.Context())
		if err != nil {
			return err
		}
		defer repo.Close()
		t, err := a.look(cmd.Context(), repo, *at, policy.value)
		if errors.Is(err, errNoCommit) {
			err = fmt.Errorf("nothing to show: %w", err)
		}
		if err != nil {
			return withAt(err)
		}
		files, err := t.files(cmd.Context())
		if err != nil {
			return err
		}
		if format.value == "json" {
			return a.printTreeJSON(t, files)
		}
		return a.printTree(t, files)
	}
	return cmd
}

// files measures every file, in path order.
func (t *target) files(ctx context.Context) ([]treeFile, error) {
	if err := t.measure(ctx); err != nil {
		return nil, err
	}
	limits := t.view.Limits()
	out := []treeFile{}
	for f := range t.view.Tree.All() {
		row := treeFile{Path: f.Path, Tier: t.tierOf(f)}
		if f.Mode.IsRegular() {
			n, err := sizeOf(f)
			if err != nil {
				return nil, err
			}
			tokens := n.tokens()
			row.Bytes, row.Tokens = &n.bytes, &tokens
			if rules.IsMarkdown(f.Path) {
				row.Characters = &n.characters
			}
			if limits != nil && t.view.Constrained(f.Path) {
				if limit, _, ok := limits.FileLimit(f.Path); ok {
					row.Limit = &limit
				}
			}
		}
		out = append(out, row)
	}
	return out, t.view.Tree.Err()
}

func (a *app) printTreeJSON(t *target, files []treeFile) error {
	return a.printJSON(struct {
		Root         string     `json:"root"`
		Layout       string     `json:"layout"`
		Policy       string     `json:"policy"`
		PolicySource string     `json:"policySource"`
		At           string     `json:"at"`
		Core         coreBudget `json:"core"`
		Files        []treeFile `json:"files"`
	}{t.repo.root(), t.layout(), string(t.view.Policy), t.policySource, t.at, t.budget(nil).Core, files})
}

func (a *app) printTree(t *target, files []treeFile) error {
	if len(files) == 0 {
		_, err := a.out.WriteString("no files\n")
		return err
	}
	d := drawing{files: map[string]treeFile{}}
	for _, f := range files {
		d.files[f.Path] = f
	}
	d.dir(t.view.Tree.Root(), "")
	fmt.Fprintf(a.out, "%s\n", rules.Display(t.repo.root()))
	d.print(a.out, a.painter())
	_, err := fmt.Fprintf(a.out, "core memory: %s\n", t.budget(nil).Core)
	return err
}

// String is the size of the core in words.
func (c coreBudget) String() string {
	size := fmt.Sprintf("%d characters", c.Characters)
	if c.Limit != nil {
		size = fmt.Sprintf("%d of %d characters (%s)", c.Characters, *c.Limit, percent(c.Characters, *c.Limit))
	}
	return size + fmt.Sprintf(", about %s", plural(c.Tokens, "token"))
}

// percent is rounded down, so that 100 % is never less than full.
func percent(n int, limit int64) string {
	return fmt.Sprintf("%d %%", int64(n)*100/max(limit, 1))
}

// A drawing collects the lines of a tree, to align their columns.
type drawing struct {
	files map[string]treeFile
	lines []drawnLine
}

type drawnLine struct {
	name string
	file *treeFile // nil for a directory
}

func (d *drawing) dir(dir *tree.Dir, indent string) {
	type item struct {
		name string
		file *tree.File
		dir  *tree.Dir
	}
	var items []item
	for f := range dir.Files() {
		items = append(items, item{name: rules.Display(f.Name()), file: f})
	}
	for sub := range dir.Dirs() {
		items = append(items, item{name: rules.Display(sub.Name()) + "/", dir: sub})
	}
	for i, it := range items {
		branch, next := "├── ", "│   "
		if i == len(items)-1 {
			branch, next = "└── ", "    "
		}
		line := drawnLine{name: indent + branch + it.name}
		if it.file != nil {
			f := d.files[it.file.Path]
			line.file = &f
		}
		d.lines = append(d.lines, line)
		if it.dir != nil {
			d.dir(it.dir, indent+next)
		}
	}
}

// maxName is the width from which names push the other columns aside, so that
// one long name does not push them all out of sight.
const maxName = 56

func (d *drawing) print(w io.StringWriter, p painter) {
	width := 0
	for _, l := range d.lines {
		if n := utf8.RuneCountInString(l.name); n <= maxName {
			width = max(width, n)
		}
	}
	for _, l := range d.lines {
		line := p.paint(l.color(), l.name)
		if l.file != nil {
			line += strings.Repeat(" ", max(0, width-utf8.RuneCountInString(l.name))) + "  " + l.file.columns(p)
		}
		_, _ = w.WriteString(strings.TrimRight(line, " ") + "\n") // errors show at the flush
	}
}

// tierColors tell what every turn pays for, and what is wrong, from the rest.
var tierColors = map[string]string{tierRoot: colorGreen, tierCore: colorGreen, tierStray: colorRed, tierFile: colorFaint}

func (l *drawnLine) color() string {
	if l.file == nil {
		return colorBlue
	}
	return tierColors[l.file.Tier]
}

func (f *treeFile) columns(p painter) string {
	size, share := "", ""
	switch {
	case f.Characters != nil:
		size = fmt.Sprintf("%7d chars", *f.Characters)
	case f.Bytes != nil:
		size = fmt.Sprintf("%7d bytes", *f.Bytes)
	}
	if f.Limit != nil && f.Characters != nil {
		share = p.paint(shareColor(*f.Characters, *f.Limit), fmt.Sprintf("%6s of %d", percent(*f.Characters, *f.Limit), *f.Limit))
	}
	return fmt.Sprintf("%-11s %s%s", f.Tier, size, share)
}
