package agentcli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memls/memls/rules"
)

const mvHelp = `Move a file or a directory, and keep the memory whole: links to and from it are rewritten in the
style they have, items of indexes move along, indexes that are missing at the new place are
created, those with nothing left to list are removed, and a skill's name follows its folder. What
would break a rule or a link is refused by name, and nothing changes.

Files change, and nothing is committed. What is tracked is moved in the index too, as git mv does;
rewritten links and indexes are left to be staged, or to agentcli commit.`

func (a *app) mvCommand() *cobra.Command {
	return a.refactorCommand(&cobra.Command{
		Use:   "mv OLD NEW",
		Short: "Move a file or directory, with its links and indexes",
		Long:  mvHelp,
		Example: `  agentcli mv notes/idea.md projects/idea.md
  agentcli mv --dry-run notes archive/notes
  agentcli mv idea.md notes/               into a directory, under its name`,
		Args: cobra.ExactArgs(2),
	}, func(r *refactorRun, args []string) ([]rules.Op, error) {
		from, err := r.relative(strings.TrimRight(args[0], "/"))
		if err != nil {
			return nil, err
		}
		to, err := r.relative(args[1])
		if err != nil {
			return nil, err
		}
		// Into a directory, as with mv.
		if t := r.target.view.Tree; strings.HasSuffix(args[1], "/") || t.Dir(to) != nil && to != from || to == "" {
			to = strings.TrimPrefix(to+"/"+path.Base(from), "/")
		}
		return r.target.view.Move(from, to)
	})
}

// refactorCommand completes a command that moves memory; plan works its steps
// out.
func (a *app) refactorCommand(cmd *cobra.Command, plan func(*refactorRun, []string) ([]rules.Op, error)) *cobra.Command {
	dry := cmd.Flags().Bool("dry-run", false, "print a unified diff and change nothing")
	policy := policyFlag(cmd)
	format := formatFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		w, err := a.openToWrite(cmd.Context())
		if err != nil {
			return err
		}
		defer w.Close()
		r := &refactorRun{writable: w, command: cmd.Name(), dry: *dry}
		if r.target, err = a.look(cmd.Context(), w.repository, atWorktree, policy.value); err != nil {
			return err
		}
		ops, err := plan(r, args)
		if err != nil {
			return fmt.Errorf("%w; nothing was changed", err)
		}
		if err := r.run(cmd.Context(), ops); err != nil {
			return err
		}
		if format.value == "json" {
			return a.printJSON(r.json())
		}
		_, err = a.out.Write(r.text())
		return err
	}
	return cmd
}

// A refactorRun is one run of a command that moves memory.
type refactorRun struct {
	*writable
	command string
	dry     bool
	target  *target

	plan    *plan
	renames []rename
	staged  int // renames that the index has too
}

// A rename is that of one file.
type rename struct {
	From string `json:"from"`
	To   string `json:"to"`
}

func (r *refactorRun) run(ctx context.Context, ops []rules.Op) error {
	after, err := rules.Apply(r.target.view.Tree, ops)
	if err != nil {
		return err
	}
	for _, op := range ops {
		if op.Kind == rules.OpRename {
			r.renames = append(r.renames, rename{op.Path, op.To})
		}
	}
	if r.plan, err = r.target.plan(ctx, rules.Changes(r.target.view.Tree, after)); err != nil {
		return err
	}
	r.keepManner(ctx)
	if r.dry {
		return nil
	}
	return r.write(ctx)
}

// keepManner gives moved files the permissions and line ends that they have on
// disk.
func (r *refactorRun) keepManner(ctx context.Context) {
	steps := map[string]*step{}
	for i := range r.plan.steps {
		steps[r.plan.steps[i].path] = &r.plan.steps[i]
	}
	for _, move := range r.renames {
		from, to := steps[move.From], steps[move.To]
		if from == nil || to == nil {
			continue
		}
		to.mode = from.mode
		if stored := r.target.worktree.StageBytes(ctx, from.path, from.before); !bytes.Equal(stored, from.before) {
			to.after = bytes.ReplaceAll(to.after, []byte("\n"), []byte("\r\n"))
		}
	}
}

// write carries the plan out, so that a killed run can be finished.
func (r *refactorRun) write(ctx context.Context) error {
	p := &pending{Command: r.command, Files: r.plan.changes()}
	var err error
	if p.Index, err = r.indexMoves(ctx); err != nil {
		return err
	}
	if err := r.save(p); err != nil {
		return err
	}
	if err := r.carryOut(r.plan); err != nil {
		_ = os.Remove(r.pendingFile())
		return err
	}
	if err := r.updateIndex(ctx, p.Index); err != nil {
		return fmt.Errorf("the files are moved, but not yet in the index: %w; the next agentcli that writes does it", err)
	}
	r.staged = len(p.Index) / 2
	return r.drop()
}

// indexMoves are the moves of files that the index has, as git mv makes them:
// with what is staged of a file, not with what it is on disk.
func (r *refactorRun) indexMoves(ctx context.Context) ([]indexChange, error) {
	entries, err := r.entries(ctx)
	if err != nil {
		return nil, err
	}
	var changes []indexChange
	for _, move := range r.renames {
		if staged := entries[move.From]; staged != "" && staged != inConflict && entries[move.To] == "" {
			changes = append(changes, indexChange{move.From, staged, ""}, indexChange{move.To, "", staged})
		}
	}
	return changes, nil
}

func (r *refactorRun) isRename(p string) bool {
	return slices.ContainsFunc(r.renames, func(m rename) bool { return m.From == p || m.To == p })
}

func (r *refactorRun) text() []byte {
	var b bytes.Buffer
	if r.dry {
		b.WriteString(r.plan.diff())
		r.note("%s to change", plural(len(r.plan.steps), "file"))
		return b.Bytes()
	}
	for _, m := range r.renames {
		fmt.Fprintf(&b, "moved %s to %s\n", rules.Display(m.From), rules.Display(m.To))
	}
	for i := range r.plan.steps {
		if s := &r.plan.steps[i]; !r.isRename(s.path) {
			fmt.Fprintf(&b, "%s %s\n", s.action(), rules.Display(s.path))
		}
	}
	fmt.Fprintf(&b, "%s moved, %d in the index too\n", plural(len(r.renames), "file"), r.staged)
	return b.Bytes()
}

// A jsonMove is the JSON of mv, promote and demote.
type jsonMove struct {
	Root    string       `json:"root"`
	DryRun  bool         `json:"dryRun"`
	Moved   []rename     `json:"moved"`
	Staged  int          `json:"staged"` // moves that the index has too
	Changes []jsonChange `json:"changes"`
}

func (r *refactorRun) json() jsonMove {
	out := jsonMove{Root: r.root(), DryRun: r.dry, Moved: append([]rename{}, r.renames...), Staged: r.staged, Changes: []jsonChange{}}
	for i := range r.plan.steps {
		s := &r.plan.steps[i]
		out.Changes = append(out.Changes, jsonChange{s.path, s.action(), s.diff()})
	}
	return out
}
