package turn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memls/memls/agentcli/model"
)

// An answer is what the model of a test says: a text, and calls of the tool
// named like their input: "ok", "fails", "done", or "stop", which interrupts
// the turn.
type answer struct {
	text  string
	calls []string
	stop  model.Stop
	err   error
}

type player struct {
	answers []answer
	asked   []model.Request
}

func (*player) Name() string { return "test/player" }

func (p *player) Stream(ctx context.Context, r model.Request, _ func(model.Event)) (*model.Response, error) {
	r.Messages = slices.Clone(r.Messages)
	p.asked = append(p.asked, r)
	a := p.answers[min(len(p.asked), len(p.answers))-1]
	if a.err != nil {
		return nil, a.err
	}
	m := model.Message{Role: model.Assistant}
	if a.text != "" {
		m.Parts = append(m.Parts, model.Part{Text: a.text})
	}
	for i, call := range a.calls {
		m.Parts = append(m.Parts, model.Part{Call: &model.Call{ID: fmt.Sprintf("%d.%d", len(p.asked), i), Name: call, Input: "{}"}})
	}
	return &model.Response{Message: m, Stop: a.stop, Usage: model.Usage{Output: 1}}, ctx.Err()
}

type tools struct {
	ran  []string
	stop context.CancelFunc
}

func (*tools) Tools() []model.Tool { return nil }

func (t *tools) Call(_ context.Context, name, _ string) (string, bool) {
	t.ran = append(t.ran, name)
	switch name {
	case "stop":
		t.stop()
	case "long":
		return strings.Repeat("é", MaxResult), false
	}
	return name, name == "fails"
}

// A deadline is a limit of the turn, and no interruption.
func TestLoopDeadline(t *testing.T) {
	ctx, cancel := context.WithDeadlineCause(t.Context(), time.Unix(0, 0), errors.New("too slow"))
	defer cancel()
	l := &Loop{Provider: &player{answers: []answer{{}}}, Memory: &tools{}, Observe: func(Event) {}}
	if r := l.Run(ctx, "Do it", false); r.Outcome != Limited || r.Err == nil || r.Err.Error() != "too slow" || r.Steps != 0 {
		t.Errorf("%s, %v after %d steps", r.Outcome, r.Err, r.Steps)
	}
}

func TestLoop(t *testing.T) {
	refused := &Refusal{By: "rules", Tell: "mend it", Show: "it is bad"}
	for name, c := range map[string]struct {
		answers  []answer
		refusals int // how often the work is refused
		judge    bool
		want     Outcome
		err      string
		steps    int
		ran      string
		text     string
	}{
		"an answer":             {answers: []answer{{text: "Hi"}}, want: Done, steps: 1, text: "Hi"},
		"nothing at all":        {answers: []answer{{}}, want: Done, steps: 1},
		"calls, then an answer": {answers: []answer{{text: "Wait", calls: []string{"ok", "fails"}}, {}}, want: Done, steps: 2, ran: "ok fails", text: "Wait"},
		"finishing":             {answers: []answer{{calls: []string{"ok", "done"}}}, want: Done, steps: 1, ran: "ok done"},
		"a stop that means nothing": {
			answers: []answer{{calls: []string{"ok"}, stop: model.StopEnd}, {text: "Hi", stop: model.StopEnd}},
			want:    Done, steps: 2, ran: "ok", text: "Hi",
		},
		"mended":                  {answers: []answer{{}}, refusals: 3, want: Done, steps: 4},
		"never mended":            {answers: []answer{{text: "Hm"}}, refusals: 4, want: Refused, err: "3 rounds", steps: 4, text: "Hm"},
		"judged first":            {judge: true, want: Done},
		"judged first and mended": {judge: true, answers: []answer{{calls: []string{"ok"}}, {}}, refusals: 1, want: Done, steps: 2, ran: "ok"},
		"a pause":                 {answers: []answer{{text: "a", stop: model.StopPause}, {text: "b"}}, want: Done, steps: 2, text: "b"},
		"cut short":               {answers: []answer{{text: "a", stop: model.StopLength}, {text: "b"}}, want: Done, steps: 2, text: "b"},
		"declined":                {answers: []answer{{text: "No", calls: []string{"ok"}, stop: model.StopRefusal}}, want: Declined, err: "declined", steps: 1, text: "No"},
		"too long":                {answers: []answer{{calls: []string{"ok"}, stop: model.StopContext}}, want: Limited, err: "too long", steps: 1, ran: "ok"},
		"too many steps":          {answers: []answer{{calls: []string{"ok"}}}, want: Limited, err: "after 5 steps", steps: 5, ran: "ok ok ok ok ok"},
		"the same failure":        {answers: []answer{{calls: []string{"fails"}}}, want: Limited, err: "failed 3 times", steps: 3, ran: "fails fails fails"},
		"the model is gone":       {answers: []answer{{calls: []string{"ok"}}, {err: errors.New("gone")}}, want: Failed, err: "gone", steps: 2, ran: "ok"},
		"interrupted":             {answers: []answer{{calls: []string{"ok", "stop", "ok"}}}, want: Interrupted, err: "canceled", steps: 1, ran: "ok stop"},
		"a long result":           {answers: []answer{{calls: []string{"long"}}, {}}, want: Done, steps: 2, ran: "long"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			p, memory := &player{answers: c.answers}, &tools{stop: cancel}
			var talked []model.Message
			l := &Loop{
				Provider: p, Memory: memory, Finish: "done", MaxSteps: 5,
				Accept: func(context.Context) (*Refusal, error) {
					if c.refusals--; c.refusals >= 0 {
						return refused, nil
					}
					return nil, nil
				},
				Observe: func(e Event) {
					if e.Message != nil {
						talked = append(talked, *e.Message)
					}
				},
			}
			r := l.Run(ctx, "Do it", c.judge)
			if r.Outcome != c.want || (r.Err == nil) != (c.err == "") || r.Err != nil && !strings.Contains(r.Err.Error(), c.err) {
				t.Errorf("%s, %v; want %s, %q", r.Outcome, r.Err, c.want, c.err)
			}
			if r.Steps != c.steps || r.Text != c.text || strings.Join(memory.ran, " ") != c.ran {
				t.Errorf("%d steps, %q, ran %v", r.Steps, r.Text, memory.ran)
			}
			checkConversation(t, talked)
		})
	}
}

// checkConversation wants what providers want: every call answered by the next
// message, no message empty, no result too long.
func checkConversation(t *testing.T, messages []model.Message) {
	t.Helper()
	for i, m := range messages {
		if len(m.Parts) == 0 {
			t.Errorf("message %d is empty", i)
		}
		for at, call := range callsOf(m) {
			if i+1 == len(messages) || len(messages[i+1].Parts) <= at {
				t.Fatalf("call %s has no result", call.ID)
			}
			if r := messages[i+1].Parts[at].Result; r == nil || r.ID != call.ID || len(r.Text) > MaxResult+200 {
				t.Errorf("call %s has the result %+v", call.ID, r)
			}
		}
	}
}

// A turn that came to no answer leaves a question; the next one is asked beside
// it, because some providers want the two sides to take turns.
func TestLoopTakesTurns(t *testing.T) {
	history := []model.Message{{Role: model.User, Parts: []model.Part{{Text: "Before"}}}}
	p := &player{answers: []answer{{text: "Hi"}}}
	var talked []model.Message
	l := &Loop{
		Provider: p, Memory: &tools{}, History: history,
		Accept: func(context.Context) (*Refusal, error) { return nil, nil },
		Observe: func(e Event) {
			if e.Message != nil {
				talked = append(talked, *e.Message)
			}
		},
	}
	l.Run(t.Context(), "Now", false)
	if got := p.asked[0].Messages; len(got) != 1 || len(got[0].Parts) != 2 || got[0].Parts[1].Text != "Now" {
		t.Errorf("asked %+v", got)
	}
	if len(history[0].Parts) != 1 || len(talked) != 2 || talked[0].Parts[0].Text != "Now" {
		t.Errorf("kept %+v after %+v", talked, history)
	}
}

// What the model was told once is told in the same words every time, after the
// conversation that was there before: caches of providers live of that.
func TestLoopOnlyAdds(t *testing.T) {
	history := []model.Message{{Role: model.User, Parts: []model.Part{{Text: "Before"}}}, {Role: model.Assistant, Parts: []model.Part{{Text: "Yes"}}}}
	p := &player{answers: []answer{{calls: []string{"ok"}}, {calls: []string{"done"}}, {text: "Hi"}}}
	first := true
	l := &Loop{Provider: p, Memory: &tools{}, Finish: "done", History: history, Observe: func(Event) {}, Accept: func(context.Context) (*Refusal, error) {
		defer func() { first = false }()
		if first {
			return &Refusal{Tell: "mend it"}, nil
		}
		return nil, nil
	}}
	if r := l.Run(t.Context(), "Now", false); r.Outcome != Done {
		t.Fatal(r.Err)
	}
	for i, now := range p.asked[1:] {
		before := p.asked[i].Messages
		if len(now.Messages) <= len(before) || fmt.Sprint(now.Messages[:len(before)]) != fmt.Sprint(before) {
			t.Errorf("request %d does not begin with the one before", i+2)
		}
	}
	if got := p.asked[2].Messages; got[len(got)-1].Parts[1].Text != "mend it" {
		t.Errorf("the refusal is not told beside the result: %+v", got[len(got)-1])
	}
}
