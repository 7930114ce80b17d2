package agentcli

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/parsers"
)

const commitHelp = `Commit all changes, as git add -A and git commit would, or those of PATH alone on top of the last
commit. The tree that would come of it is judged first, then the repository's own hooks run. If
anything refuses, nothing changes: not the history, not the index, not the files.

The author is the repository's user.name and user.email, else the agent that letta.agentId names,
else git's user. Nothing is signed, and nobody is asked anything. Files stay as they are, and what
is staged and not committed stays staged.`

func (a *app) commitCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "commit -m MESSAGE [PATH…]",
		Short: "Commit as the agent, if the memory is valid",
		Long:  commitHelp,
		Example: `  agentcli commit -m "Note the new address"
  agentcli commit -m "Sort notes" notes
  agentcli commit -m "By hand" --author "Ann <ann@example.org>"`,
	}
	message := cmd.Flags().StringP("message", "m", "", "the commit's `MESSAGE`")
	author := cmd.Flags().String("author", "", "author as `\"NAME <EMAIL>\"`")
	policy := policyFlag(cmd)
	format := formatFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if strings.TrimSpace(*message) == "" {
			return errors.New("a commit needs a message: -m MESSAGE")
		}
		c := commitRun{message: *message, policy: policy.value}
		if *author != "" {
			who, err := mail.ParseAddress(*author)
			if err != nil || who.Name == "" {
				return fmt.Errorf("--author %q: write it as NAME <EMAIL>", *author)
			}
			c.author = []string{"GIT_AUTHOR_NAME=" + who.Name, "GIT_AUTHOR_EMAIL=" + who.Address}
		}
		w, err := a.openToWrite(cmd.Context())
		if err != nil {
			return err
		}
		defer w.Close()
		c.writable = w
		err = c.run(cmd.Context(), args)
		if err != nil && !errors.Is(err, errFindings) {
			return err
		}
		return errors.Join(c.print(format.value), err)
	}
	return cmd
}

// A commitRun is one run of commit.
type commitRun struct {
	*writable
	message, policy string
	author          []string // GIT_AUTHOR_…, where the command line has it

	sel     selection
	base    string  // the last commit, "" for none
	rescue  *rescue // where the work is kept until it is committed; nil for nowhere
	tree    string  // what is to be committed
	changes []indexChange
	result  *result // the judgement; nil where there was nothing to judge
	refused *hookRefusal
	commit  string // what was made
}

func (c *commitRun) run(ctx context.Context, args []string) (err error) {
	if err := c.idle(ctx, "run agentcli commit again"); err != nil {
		return err
	}
	if c.sel, err = c.resolve(args); err != nil {
		return err
	}
	if c.base, err = c.refNow(ctx, "HEAD"); err != nil {
		return err
	}
	staged, err := c.entries(ctx)
	if err != nil {
		return err
	}
	index, err := c.stage(ctx)
	if err != nil {
		return err
	}
	if err := c.write(ctx, index); err != nil || len(c.changes) == 0 {
		return err
	}
	err = c.accept(ctx, index)
	c.noteOutcome(err)
	if err != nil {
		return err
	}
	if err := c.record(ctx, staged, nil); err != nil {
		return err
	}
	c.afterwards(ctx)
	return nil
}

// write makes the tree of the commit from its index.
func (c *commitRun) write(ctx context.Context, index string) (err error) {
	if c.tree, err = c.do(ctx, gitCall{index: index}, "write-tree"); err == nil {
		c.changes, err = c.changed(ctx)
	}
	return err
}

// accept judges the tree, then lets the repository's hooks decide too.
func (c *commitRun) accept(ctx context.Context, index string) error {
	if err := c.judge(ctx); err != nil {
		return err
	}
	err := c.runHook(ctx, index, "pre-commit")
	if err == nil {
		err = c.again(ctx, index)
	}
	if err == nil {
		err = c.messageHooks(ctx, index)
	}
	if refused, ok := errors.AsType[*hookRefusal](err); ok {
		c.refused = refused
		return errFindings
	}
	return err
}

// again judges what a hook has made of the index: formatters stage their work.
func (c *commitRun) again(ctx context.Context, index string) error {
	before := c.tree
	if err := c.write(ctx, index); err != nil || c.tree == before {
		return err
	}
	return c.judge(ctx)
}

// judge fails with errFindings where a rule refuses the tree.
func (c *commitRun) judge(ctx context.Context) error {
	t := &target{repo: c.repository, at: "commit"}
	s := rules.Snapshot{Parsers: parsers.New(), ApproveConfig: config.Approved(c.env.Getenv), Load: t.load}
	var err error
	if s.Tree, _, err = c.Revision(ctx, c.tree); err != nil {
		return err
	}
	if s.Head, err = c.Head(ctx); err != nil {
		return err
	}
	if s.Policy, t.policySource, err = c.repository.policy(c.policy, s); err != nil {
		return err
	}
	t.view = rules.NewView(s)
	if c.result, err = t.judge(ctx, nil, false); err != nil {
		return err
	}
	if c.result.counts[rules.Error] > 0 {
		c.result.keep(func(f *rules.Finding) bool { return f.Severity == rules.Error })
		return errFindings
	}
	return nil
}
