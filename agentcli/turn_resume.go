package agentcli

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memls/memls/agentcli/memory"
	"github.com/memls/memls/agentcli/turn"
	"github.com/memls/memls/rules"
)

const turnResumeHelp = `Go on with a turn whose work was kept on a ref: the newest one, or that of REF.

Work that the model had finished is judged again and committed without asking it; where it is
refused, or the model was in the middle of it, the model goes on. When the work is committed the
ref is gone.`

func (a *app) turnResumeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "resume [REF]",
		Short: "Go on with a turn that was not finished",
		Long:  turnResumeHelp,
		Example: `  agentcli turn resume
  agentcli turn resume refs/agentcli/rescue/20260102T030405.678Z-1a2b3c4d`,
		Args: cobra.MaximumNArgs(1),
	}
	o := turnFlags(cmd, "text", "json", "stream-json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		name := strings.Join(args, "")
		return a.talkOnce(cmd.Context(), o, func(ctx context.Context, t *agentTurn) *turn.Result {
			told, err := t.takeUp(ctx, name)
			if err != nil {
				return &turn.Result{Outcome: turn.Failed, Err: err}
			}
			return t.run(ctx, told, t.finished)
		})
	}
	return cmd
}

// A rescued is what the message of a rescue's commit says in trailers.
type rescued struct{ request, message, model, why, finished string }

// text is the message of a rescue of somebody's work, with what turn resume
// needs on one line each.
func (r *rescued) text(whose string, mask *turn.Mask) string {
	quoted := func(text string) string {
		line, _ := json.Marshal(mask.Text(text)) // cannot fail for a text
		return string(line)
	}
	line := func(text string) string { return rules.Printable(strings.Join(strings.Fields(mask.Text(text)), " ")) }
	return fmt.Sprintf("%s%s that is not committed\n\nRequest: %s\nMessage: %s\nWhy: %s\nFinished: %s\nModel: %s\n",
		rescueSubject, whose, quoted(r.request), quoted(r.message), line(r.why), r.finished, line(r.model))
}

func (t *agentTurn) rescueMessage(why string) string {
	kept := rescued{t.request, t.said(), t.author(), why, strconv.FormatBool(t.finished)}
	return kept.text("turn "+t.id, t.mask)
}

func (r *rescue) read() (out rescued) {
	fields := map[string]*string{"Request": &out.request, "Message": &out.message, "Model": &out.model, "Why": &out.why, "Finished": &out.finished}
	for line := range strings.Lines(r.message) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if field := fields[key]; field != nil {
			*field = value
		}
	}
	for _, quoted := range []*string{&out.request, &out.message} {
		var text string
		if json.Unmarshal([]byte(*quoted), &text) == nil {
			*quoted = text
		}
	}
	return out
}

// takeUp lays the work of an earlier turn over the last commit, and returns
// what the model is to be told of it.
func (t *agentTurn) takeUp(ctx context.Context, name string) (string, error) {
	rescue, err := t.repo.openRescue(ctx, name)
	if err != nil {
		return "", err
	}
	t.kept = rescue.read()
	t.request = t.kept.request
	base, byMarker, err := t.snapshot(ctx, rescue.base)
	if err != nil {
		return "", fmt.Errorf("%s: %w", rescue.ref, err)
	}
	kept, _, err := t.repo.Revision(context.WithoutCancel(ctx), rescue.commit)
	if err != nil {
		return "", err
	}
	now, _, err := t.snapshot(ctx, t.base)
	if err != nil {
		return "", err
	}
	t.work = memory.New(base, memory.Options{Root: t.repo.root(), CreateIndexes: t.options.indexes, ByMarker: byMarker})
	var paths []string
	for _, c := range rules.Changes(t.work.Base(), kept) {
		if same, err := sameFile(c.Before, c.After); err != nil || same {
			if err != nil {
				return "", err
			}
			continue
		}
		paths = append(paths, c.Path)
		if err := t.work.Keep(memory.Conflict{Path: c.Path, Ours: c.After}); err != nil {
			return "", err
		}
	}
	if t.conflicts, err = t.work.Rebase(now); err != nil {
		return "", err
	}
	t.rescue, t.finished = rescue, t.kept.finished == "true"
	return tellResume + turn.Data(map[string]any{"request": t.kept.request, "changed": paths}), nil
}
