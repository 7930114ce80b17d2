package agentcli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/memls/memls/agentcli/memory"
	"github.com/memls/memls/agentcli/turn"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/tree"
)

// defaultSubject is the message of a commit for which the model gave none.
const defaultSubject = "chore(memory): update after turn"

// maxCommitMessage bounds the model's part of a commit message, in bytes.
const maxCommitMessage = 8 << 10

// accept judges the work and commits it (see turn.Loop).
func (t *agentTurn) accept(ctx context.Context) (*turn.Refusal, error) {
	t.finished = true
	if open := t.unsettled(); len(open) > 0 {
		return refuseConflicts(open), nil
	}
	t.conflicts = nil
	if len(t.work.Changes()) > 0 { // else what is wrong is older than this turn
		findings, err := t.work.Findings(ctx)
		if err != nil || len(findings) > 0 {
			return t.refuseFindings(findings), err
		}
	} else if t.rescue.commit == "" {
		return nil, nil
	}
	if t.options.dry {
		return nil, nil
	}
	return t.commit(ctx)
}

// commit takes the work into the branch. What others committed meanwhile is
// merged under the lock, so that a turn gets in at its first try.
func (t *agentTurn) commit(ctx context.Context) (*turn.Refusal, error) {
	w, err := t.toWrite(ctx, t.repo)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	for {
		t.made, err = w.commitOverlay(ctx, t.overlay("interrupted while it was committed"))
		switch {
		case err == nil && t.made.commit == "":
			return nil, t.rescue.drop(ctx, w)
		case err == nil:
			t.rescue.commit = ""
			return nil, nil
		case errors.Is(err, errFindings):
			return t.refuseCommit(), nil
		case !errors.Is(err, errMoved):
			return nil, err
		}
		if refusal, err := t.merge(ctx, w); refusal != nil || err != nil {
			return refusal, err
		}
	}
}

// merge lays the work over what others have committed.
func (t *agentTurn) merge(ctx context.Context, w *writable) (*turn.Refusal, error) {
	head, err := w.refNow(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	if head == t.base {
		return nil, fmt.Errorf("%s: another agentcli has taken this work up; nothing was committed by this one", t.rescue.ref)
	}
	s, _, err := t.snapshot(ctx, head)
	if err != nil {
		return nil, err
	}
	before := t.overlay("others have changed the same files")
	if t.conflicts, err = t.work.Rebase(s); err != nil {
		return nil, err
	}
	t.base, t.settled = head, false
	if len(t.conflicts) == 0 {
		return nil, nil
	}
	// Of these files the work has only their side now.
	return refuseConflicts(t.conflicts), w.rescueOverlay(ctx, before)
}

// unsettled are the conflicts of which the model has left theirs as it is, and
// has not said that it is right so.
func (t *agentTurn) unsettled() (open []memory.Conflict) {
	for _, c := range t.conflicts {
		if !t.settled && t.work.Tree().File(c.Path) == c.Theirs {
			open = append(open, c)
		}
	}
	return open
}

// overlay is the work, with what is to be said of it where it is kept.
func (t *agentTurn) overlay(why string) overlay {
	t.rescue.message = t.rescueMessage(why)
	return overlay{base: t.base, changes: t.work.Changes(), message: t.commitMessage(), policy: t.options.policy.value, rescue: t.rescue}
}

func (t *agentTurn) commitMessage() string {
	message := cmp.Or(cleanMessage(t.mask.Text(t.said())), defaultSubject)
	model := ""
	if name := t.author(); name != "" { // a client of the MCP server does not tell
		model = "Model: " + rules.Printable(name) + "\n"
	}
	return fmt.Sprintf("%s\n\nTurn-Id: %s\n%sBase: %s\n", message, t.id, model, t.base)
}

// cleanMessage is what a model says of its work as the message of a commit.
func cleanMessage(text string) string {
	message := strings.TrimSpace(printableLines(text))
	if len(message) > maxCommitMessage {
		message = strings.ToValidUTF8(message[:maxCommitMessage], "") + "…"
	}
	return message
}

// said is what the model says of the work, in this turn or the one that it was
// taken over from.
func (t *agentTurn) said() string { return cmp.Or(t.work.Message(), t.kept.message) }

// author is the model that did the work: of this turn if it has answered, else
// that of the turn that it was taken over from; "" where nobody knows.
func (t *agentTurn) author() string {
	if t.answered {
		return t.modelName()
	}
	return t.kept.model
}

// A toldFinding is a finding as a model gets it.
type toldFinding struct {
	Path    string `json:"path"` // "" for the memory as a whole
	Line    int    `json:"line,omitempty"`
	Rule    string `json:"rule"`
	Problem string `json:"problem"`
	Help    string `json:"help,omitempty"`
}

// refuseFindings is nil for none.
func (t *agentTurn) refuseFindings(findings []rules.Finding) *turn.Refusal {
	if len(findings) == 0 {
		return nil
	}
	told := make([]toldFinding, len(findings))
	var show strings.Builder
	for i := range findings {
		f := &findings[i]
		told[i] = toldFinding{Path: f.Path, Rule: f.Rule.ID, Problem: f.Message, Help: f.Help}
		if file := t.work.Tree().File(f.Path); file != nil {
			if src, err := file.Bytes(); err == nil {
				told[i].Line = f.RangeIn(src).Start.Line
			}
		}
		fmt.Fprintf(&show, "  %s\n", rules.Printable(f.Line))
	}
	return &turn.Refusal{By: "rules", Tell: tellRefused + turn.Data(told), Show: show.String()}
}

// refuseCommit is the refusal of a commit that was tried.
func (t *agentTurn) refuseCommit() *turn.Refusal {
	if hook := t.made.refused; hook != nil {
		told := map[string]string{"hook": hook.name, "printed": hook.output}
		return &turn.Refusal{By: hook.name, Tell: tellHook + turn.Data(told), Show: printableLines(hook.output) + "\n"}
	}
	var findings []rules.Finding
	for _, f := range t.made.result.shown {
		findings = append(findings, *f.Finding)
	}
	return t.refuseFindings(findings)
}

// A toldConflict is a file that others have changed, too.
type toldConflict struct {
	Path   string  `json:"path"`
	Yours  *string `json:"yours"`
	Theirs *string `json:"theirs"`
}

func refuseConflicts(conflicts []memory.Conflict) *turn.Refusal {
	var told []toldConflict
	var show strings.Builder
	for _, c := range conflicts {
		told = append(told, toldConflict{c.Path, toldText(c.Ours), toldText(c.Theirs)})
		fmt.Fprintf(&show, "  %s: changed by others meanwhile, too\n", rules.Display(c.Path))
	}
	return &turn.Refusal{By: "conflict", Tell: tellConflict + turn.Data(told), Show: show.String()}
}

// toldText is the text of a file, nil for none.
func toldText(f *tree.File) *string {
	if f == nil {
		return nil
	}
	src, err := f.Bytes()
	text := string(src)
	if err != nil {
		text = "cannot be read: " + err.Error()
	}
	return &text
}

// end keeps what was not committed, and closes the journal's account.
func (t *agentTurn) end(ctx context.Context, r *turn.Result) {
	if r.Outcome != turn.Done && !t.options.dry {
		if err := t.keep(ctx, r); err != nil {
			r.Err = errors.Join(r.Err, fmt.Errorf("the work could not be kept: %w; what the model asked for is in %s", err, filepath.Join(t.repo.own(), turn.JournalFile)))
		}
	}
	entry := turn.Entry{Event: "end", Outcome: r.Outcome, Usage: &r.Usage, Rescue: t.rescueRef()}
	if r.Err != nil {
		entry.Error = r.Err.Error()
	}
	if t.made != nil {
		entry.Commit = t.made.commit
	}
	t.writeJournal(entry)
}

// keep puts what was not committed on the rescue ref. While a conflict is open
// that has our side already, which the work has not.
func (t *agentTurn) keep(ctx context.Context, r *turn.Result) error {
	if len(t.work.Changes()) == 0 || len(t.unsettled()) > 0 {
		return nil
	}
	w, err := t.toKeep(context.WithoutCancel(ctx), t.repo)
	if err != nil {
		return err
	}
	defer w.Close()
	why := string(r.Outcome)
	if r.Err != nil {
		why = r.Err.Error()
	}
	return w.rescueOverlay(ctx, t.overlay(why))
}

// rescueRef is where work is kept that was not committed, "" for nowhere.
func (t *agentTurn) rescueRef() string {
	if t.rescue.commit == "" {
		return ""
	}
	return t.rescue.ref
}
