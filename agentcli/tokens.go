package agentcli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/memls/memls/compile"
	"github.com/memls/memls/rules"
)

const tokensHelp = `Show what each memory file and skill costs in a model's context, largest first, and the totals.

"estimate" is a quarter of the bytes, rounded up for each file, as harnesses of agents estimate.
"` + encodingName + `" is a real count by that byte pair encoding, which models of OpenAI use; those of
others cut text in other ways. It is counted for the files that are listed, for the core and the
prompt; --top 0 lists all files, --estimate leaves it out and is faster.

The prompt is the one that compile would make if this tree were committed, without base prompt
and skills.`

func (a *app) tokensCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tokens",
		Short: "Show what the memory costs in tokens",
		Long:  tokensHelp,
		Example: `  agentcli tokens --top 5
  agentcli tokens --at head --format json`,
		Args: cobra.NoArgs,
	}
	top := cmd.Flags().Int("top", 20, "list the `NUMBER` largest files (0: all)")
	estimate := cmd.Flags().Bool("estimate", false, "estimate only, do not count by an encoding")
	at := atFlag(cmd)
	format := formatFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *top < 0 {
			return fmt.Errorf("--top %d: use 0 for all, or a positive number", *top)
		}
		count := noCount
		if !*estimate {
			count = startCounter() // while files are read
		}
		repo, err := a.open(cmd.Context())
		if err != nil {
			return err
		}
		defer repo.Close()
		t, err := a.look(cmd.Context(), repo, *at, "")
		if errors.Is(err, errNoCommit) {
			err = fmt.Errorf("nothing to count: %w", err)
		}
		if err != nil {
			return withAt(err)
		}
		r, err := t.tokens(cmd.Context(), *top, count)
		if err != nil {
			return err
		}
		if format.value == "json" {
			return a.printJSON(r)
		}
		a.printTokens(r)
		return nil
	}
	return cmd
}

// A tokenReport is the JSON of tokens.
type tokenReport struct {
	Root     string      `json:"root"`
	At       string      `json:"at"`
	Encoding *string     `json:"encoding"` // of the counts, null without
	Files    []tokenFile `json:"files"`    // the largest, by estimate
	Omitted  int         `json:"omitted"`  // files that are smaller
	Core     cost        `json:"core"`
	Deferred cost        `json:"deferred"`
	Skills   cost        `json:"skills"`
	Prompt   cost        `json:"prompt"`
}

type tokenFile struct {
	Path string `json:"path"`
	Tier string `json:"tier"`
	cost
}

// A cost is what text costs.
type cost struct {
	Files      int         `json:"files"`
	Bytes      int         `json:"bytes"`
	Characters int         `json:"characters"`
	Tokens     tokenCounts `json:"tokens"`
}

type tokenCounts struct {
	Estimate int `json:"estimate"`
	// Counted is nil where the encoding was not asked, or not of all of it.
	Counted *int `json:"counted"`
}

// textCost is the cost of a text of one file.
func textCost(text string, n size, count counter) cost {
	return cost{Files: 1, Bytes: n.bytes, Characters: n.characters, Tokens: tokenCounts{n.tokens(), count(text)}}
}

// add adds the cost of one more file.
func (c *cost) add(other cost) {
	if c.Files == 0 {
		c.Tokens.Counted = new(int)
	}
	c.Files += other.Files
	c.Bytes += other.Bytes
	c.Characters += other.Characters
	c.Tokens.Estimate += other.Tokens.Estimate
	if c.Tokens.Counted != nil && other.Tokens.Counted != nil {
		sum := *c.Tokens.Counted + *other.Tokens.Counted
		c.Tokens.Counted = &sum
	} else {
		c.Tokens.Counted = nil
	}
}

// tokens measures every memory file and skill of the tree.
func (t *target) tokens(ctx context.Context, top int, count counter) (*tokenReport, error) {
	files, err := t.tokenFiles(ctx)
	if err != nil {
		return nil, err
	}
	r := &tokenReport{Root: t.repo.root(), At: t.at, Files: []tokenFile{}}
	if count("") != nil {
		name := encodingName
		r.Encoding = &name
	}
	for i, f := range files {
		listed := top == 0 || i < top
		core := f.Tier == tierCore || f.Tier == tierRoot
		if listed || core {
			src, err := t.view.Tree.File(f.Path).Bytes()
			if err != nil {
				return nil, err
			}
			f.Tokens.Counted = count(string(src))
		}
		if listed {
			r.Files = append(r.Files, f)
		}
		r.total(f.Tier).add(f.cost)
	}
	r.Omitted = len(files) - len(r.Files)
	if r.Encoding == nil {
		return r, t.prompt(ctx, r, count)
	}
	for _, c := range []*cost{&r.Core, &r.Deferred, &r.Skills} {
		if c.Files == 0 {
			c.Tokens.Counted = new(int)
		}
	}
	return r, t.prompt(ctx, r, count)
}

// tokenFiles are the memory files and skills, largest first.
func (t *target) tokenFiles(ctx context.Context) ([]tokenFile, error) {
	if err := t.measure(ctx); err != nil {
		return nil, err
	}
	files := []tokenFile{}
	for f := range t.view.Tree.All() {
		if !rules.IsMarkdown(f.Path) || !f.Mode.IsRegular() {
			continue
		}
		n, err := sizeOf(f)
		if err != nil {
			return nil, err
		}
		if tier := t.tierOf(f); tier != tierStray {
			files = append(files, tokenFile{f.Path, tier, textCost("", n, noCount)})
		}
	}
	slices.SortStableFunc(files, func(x, y tokenFile) int { return cmp.Compare(y.Bytes, x.Bytes) })
	return files, t.view.Tree.Err()
}

// total is the total that files of the tier are in.
func (r *tokenReport) total(tier string) *cost {
	switch tier {
	case tierRoot, tierCore:
		return &r.Core
	case tierSkill:
		return &r.Skills
	}
	return &r.Deferred
}

// prompt measures the prompt of the tree.
func (t *target) prompt(ctx context.Context, r *tokenReport, count counter) error {
	layout, err := t.repo.promptLayout(t.view.Tree)
	if err != nil {
		return err
	}
	p, err := compile.Compile(ctx, t.view.Tree, compile.Options{Layout: layout})
	if err != nil {
		return err
	}
	r.Prompt = textCost(p.Text, measured([]byte(p.Text)), count)
	r.Prompt.Files = r.Core.Files
	return nil
}

func (a *app) printTokens(r *tokenReport) {
	if len(r.Files) == 0 {
		fmt.Fprintln(a.out, "no memory files")
		return
	}
	p := a.painter()
	counted := encodingName
	if r.Encoding == nil {
		counted = ""
	}
	row := func(c cost, tier, label string) {
		n := ""
		switch {
		case c.Tokens.Counted != nil:
			n = fmt.Sprint(*c.Tokens.Counted)
		case r.Encoding != nil:
			n = "-"
		}
		fmt.Fprintf(a.out, "%9d %*s %10d %10d  %-10s  %s\n", c.Tokens.Estimate, len(counted), n, c.Characters, c.Bytes, tier, label)
	}
	fmt.Fprintln(a.out, p.paint(colorFaint, fmt.Sprintf("%9s %s %10s %10s  %-10s  %s", "estimate", counted, "characters", "bytes", "tier", "path")))
	for _, f := range r.Files {
		row(f.cost, f.Tier, rules.Display(f.Path))
	}
	if r.Omitted > 0 {
		fmt.Fprintf(a.out, "%9s and %s; --top 0 lists all\n", "", plural(r.Omitted, "smaller file"))
	}
	fmt.Fprintln(a.out)
	row(r.Core, "core", "total of "+plural(r.Core.Files, "file"))
	row(r.Deferred, "deferred", "total of "+plural(r.Deferred.Files, "file"))
	if r.Skills.Files > 0 {
		row(r.Skills, "skill", "total of "+plural(r.Skills.Files, "file"))
	}
	row(r.Prompt, "prompt", "if this tree were committed")
}
