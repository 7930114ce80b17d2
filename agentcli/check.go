package agentcli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/parsers"
	"github.com/memls/memls/rules/tree"
)

const checkHelp = `Judge a memory repository by the rules of the commit hook, and by advice of our own.

The working tree is judged as "git add -A" would stage it. PATH limits what is shown, not what
it is judged against: files or directories, relative to the working directory (":/" starts at
the top). Exit code 1 means errors; with --strict, warnings as well.`

type checkOptions struct {
	at        string
	format    string
	policy    string
	stdinPath string
	strict    bool
}

func (a *app) checkCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check [PATH…]",
		Short: "Judge the memory",
		Long:  checkHelp,
		Example: `  agentcli check                              the working tree
  agentcli check --at staged                  what a commit would be judged by
  agentcli check --format github --strict     in CI
  agentcli check --stdin-path a.md < draft    a file before it is written`,
	}
	var opt checkOptions
	at := atFlag(cmd)
	format := formatFlag(cmd, "sarif", "github")
	policy := policyFlag(cmd)
	cmd.Flags().BoolVar(&opt.strict, "strict", false, "count warnings as failures")
	cmd.Flags().StringVar(&opt.stdinPath, "stdin-path", "", "judge standard input as the file `PATH`, and show its findings alone")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		opt.at, opt.format, opt.policy = *at, format.value, policy.value
		if cmd.Flags().Changed("stdin-path") && len(args) > 0 {
			return fmt.Errorf("--stdin-path judges one file; give no other paths")
		}
		return a.check(cmd.Context(), opt, args, cmd.Flags().Changed("stdin-path"))
	}
	return cmd
}

func (a *app) check(ctx context.Context, opt checkOptions, args []string, stdin bool) error {
	repo, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer repo.Close()
	var sel selection
	if stdin {
		args = []string{opt.stdinPath}
	}
	if sel, err = repo.resolve(args); err != nil {
		return err
	}
	t, err := a.look(ctx, repo, opt.at, opt.policy)
	if errors.Is(err, errNoCommit) {
		return a.printNothing(repo, opt, err.Error())
	}
	if err != nil {
		return withAt(err)
	}
	if stdin {
		if err := a.overlay(ctx, t, opt.stdinPath, sel[0]); err != nil {
			return err
		}
	}
	a.noteSkipped(t)
	r, err := t.judge(ctx, sel, stdin)
	if err == nil {
		err = r.mustExist()
	}
	if err != nil {
		return err
	}
	if err := render[opt.format](a.out, a.version, r); err != nil {
		return err
	}
	if r.nothing != "" && opt.format != "text" {
		a.note("nothing to check: %s", r.nothing)
	}
	if r.counts[rules.Error] > 0 || opt.strict && r.counts[rules.Warning] > 0 {
		return errFindings
	}
	return nil
}

// printNothing reports in every format that there is no tree to judge.
func (a *app) printNothing(repo *repository, opt checkOptions, why string) error {
	s := rules.Snapshot{Parsers: parsers.New(), Tree: tree.New(nil)}
	t := &target{repo: repo, at: opt.at}
	var err error
	if s.Policy, t.policySource, err = repo.policy(opt.policy, s); err != nil {
		return err
	}
	t.view = rules.NewView(s)
	if opt.format != "text" {
		a.note("nothing to check: %s", why)
	}
	return render[opt.format](a.out, a.version, &result{target: t, report: &rules.Report{}, nothing: why})
}

// noteSkipped mentions what is on disk and cannot be part of a commit.
func (a *app) noteSkipped(t *target) {
	if t.worktree == nil {
		return
	}
	for _, s := range t.worktree.Skipped {
		a.note("note: %s %s", rules.Display(s.Path), s.Reason)
	}
}

// maxStdin bounds a file on standard input: 256 MiB, as for every other file.
const maxStdin = 256 << 20

// overlay puts standard input over the file at path.
func (a *app) overlay(ctx context.Context, t *target, arg, path string) error {
	if err := checkStdinPath(t, arg, path); err != nil {
		return err
	}
	src, err := io.ReadAll(io.LimitReader(a.env.Stdin, maxStdin+1))
	if err == nil && len(src) > maxStdin {
		err = fmt.Errorf("more than %d MiB", maxStdin>>20)
	}
	if err != nil {
		return fmt.Errorf("reading standard input: %w", err)
	}
	if t.worktree != nil {
		src = t.worktree.StageBytes(ctx, path, src)
	}
	mode := tree.Regular
	if old := t.view.Tree.File(path); old != nil && old.Mode.IsRegular() {
		mode = old.Mode
	}
	f := tree.NewFile(path, mode, "", tree.Buffer(src))
	f.Unsaved = true
	s := t.view.Snapshot
	s.Tree, s.Load = s.Tree.With([]*tree.File{f}), nil
	t.view = rules.NewView(s)
	return nil
}

func checkStdinPath(t *target, arg, path string) error {
	bad := func(why string) error { return fmt.Errorf("--stdin-path %s: %s", rules.Display(arg), why) }
	for segment := range strings.SplitSeq(strings.ReplaceAll(arg, `\`, "/"), "/") {
		if segment == ".." {
			return bad("may not hold ..")
		}
	}
	switch {
	case path == "" || t.view.Tree.Dir(path) != nil:
		return bad("is a directory; name a file")
	case strings.EqualFold(path, ".git") || len(path) > 4 && strings.EqualFold(path[:5], ".git/"):
		return bad("is inside git's own directory")
	}
	for i, c := range path {
		if c == '/' && t.view.Tree.Has(path[:i]) {
			return bad(rules.Display(path[:i]) + " is no directory")
		}
	}
	return nil
}
