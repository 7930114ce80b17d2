package agentcli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/memls/memls/agentcli/memory"
	"github.com/memls/memls/agentcli/model"
	"github.com/memls/memls/agentcli/turn"
	"github.com/memls/memls/compile"
	"github.com/memls/memls/rules"
)

// An agentTurn is one turn on a repository. While the model thinks it holds no
// lock: others may commit.
type agentTurn struct {
	*talk
	id      string
	began   time.Time
	agent   string // letta.agentId
	repo    *repository
	base    string // the commit that the work is laid over
	prompt  string
	work    *memory.Workspace
	journal *turn.Journal
	noted   bool // that journal or session cannot be written

	request   string
	answered  bool // by the model: what is committed is of its doing
	finished  bool // the model was done; what is left is to commit
	conflicts []memory.Conflict
	settled   bool // the model has said that they are
	rescue    *rescue
	kept      rescued    // what is known of the turn that this one goes on with
	made      *commitRun // the last try to commit
	apiTime   time.Duration
}

// begin looks at the repository, finishes what others left, and takes the last
// commit as the base.
func (t *talk) begin(ctx context.Context) (*agentTurn, error) {
	turnID := strings.ToLower(newUUID()[:8])
	a := &agentTurn{talk: t, id: turnID, began: time.Now(), rescue: newRescue(time.Now(), turnID)}
	w, err := t.openToWrite(ctx)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	if err := t.settle(ctx, w); err != nil {
		return nil, err
	}
	if a.base, err = w.refNow(ctx, "HEAD"); err != nil {
		return nil, err
	}
	if a.base == "" {
		return nil, errors.New("the memory has no commit yet; make the first one with agentcli commit, or a new memory with agentcli init")
	}
	a.agent = w.config(ctx, "--get", "letta.agentId")
	a.repo = w.repository // which can be used when the lock is gone
	if err := a.prepare(ctx); err != nil {
		return nil, err
	}
	return a, nil
}

// Close lets go of the repository; the work is committed, kept, or gone.
func (t *agentTurn) Close() {
	_ = t.journal.Close()
	t.repo.Close()
}

func (t *agentTurn) prepare(ctx context.Context) error {
	s, byMarker, err := t.snapshot(ctx, t.base)
	if err != nil {
		return err
	}
	t.work = memory.New(s, memory.Options{Root: t.repo.root(), CreateIndexes: t.options.indexes, ByMarker: byMarker})
	options := compile.Options{System: t.system, Skills: true}
	if options.Layout, err = t.repo.promptLayout(s.Tree); err != nil {
		return err
	}
	prompt, err := compile.Compile(ctx, s.Tree, options)
	if err != nil {
		return err
	}
	t.prompt = prompt.Text
	t.journal, err = turn.OpenJournal(t.repo.own(), t.id, t.mask)
	return err
}

// snapshot is a commit, to be changed.
func (t *agentTurn) snapshot(ctx context.Context, commit string) (s rules.Snapshot, byMarker bool, err error) {
	return t.repo.snapshot(ctx, commit, t.options.policy.value)
}

// run asks the model. With judge the work is there already, and the request is
// what the model is told besides if it is asked at all.
func (t *agentTurn) run(ctx context.Context, request string, judge bool) *turn.Result {
	if limit := t.options.timeout; limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, fmt.Errorf("the turn was not done after %v", limit))
		defer cancel()
	}
	if !judge {
		if _, err := t.provider(ctx); err != nil {
			return &turn.Result{Outcome: turn.Failed, Err: err}
		}
	}
	if t.request == "" {
		t.request = request
	}
	t.finished, t.made = judge, nil
	t.writeJournal(turn.Entry{
		Event: "start", Model: t.modelName(), Base: t.base, Request: t.request,
		System: turn.Hash(t.system), Prompt: turn.Hash(t.prompt),
	})
	loop := &turn.Loop{
		Provider: lateModel{t}, Memory: t.work, Accept: t.accept, Finish: memory.FinishTool,
		System: t.prompt, History: t.history, MaxSteps: t.options.steps, Observe: t.observe,
	}
	return loop.Run(ctx, request, judge)
}

// lateModel opens the model when it is asked: resuming may do without.
type lateModel struct{ *agentTurn }

// Name is what the user calls the model.
func (l lateModel) Name() string { return l.modelName() }

// Stream asks the model, and takes the time.
func (l lateModel) Stream(ctx context.Context, request model.Request, events func(model.Event)) (*model.Response, error) {
	provider, err := l.provider(ctx)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	defer func() { l.apiTime += time.Since(begin) }()
	answer, err := provider.Stream(ctx, request, events)
	l.answered = l.answered || err == nil
	return answer, err
}

func (t *talk) modelName() string {
	if t.model != nil {
		return t.model.Name()
	}
	return t.options.model
}

// observe hands what happens to everybody who keeps or shows it.
func (t *agentTurn) observe(e turn.Event) {
	switch {
	case e.Step > 0:
		t.finished = false
	case e.Call != nil && e.Call.Name == memory.FinishTool && !e.Result.IsError:
		t.settled = true
	}
	err := t.journal.Observe(e)
	if e.Message != nil {
		t.history = append(t.history, *e.Message)
		if t.session != nil {
			err = errors.Join(err, t.session.Add(t.id, e.Message))
		}
	}
	t.noteOnce(err)
	t.show(e)
}

func (t *agentTurn) writeJournal(e turn.Entry) { t.noteOnce(t.journal.Write(e)) }

// noteOnce tells of a journal or session that cannot be written. The turn goes
// on: the memory is what counts.
func (t *agentTurn) noteOnce(err error) {
	if err != nil && !t.noted {
		t.noted = true
		t.note("%v", err)
	}
}
