// Package turn is an agent's turn: a model is asked, its tools run, what comes
// of it is judged, and mended by the model until it is accepted or given up.
// It knows models and a memory by their interfaces; where the memory lies and
// how it is committed is its caller's.
package turn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memls/memls/agentcli/model"
)

// The limits of a turn, where its caller sets none.
const (
	// MaxSteps is how often the model is asked.
	MaxSteps = 24
	// MaxRepairs is how often it is asked to mend what was refused.
	MaxRepairs = 3
	// MaxSame is how often the same call may fail in the same way.
	MaxSame = 3
	// MaxResult bounds what a tool tells the model, in bytes.
	MaxResult = 300_000
)

// A Memory is what the model's tools work on.
type Memory interface {
	Tools() []model.Tool
	// Call runs a tool. What fails is told to the model as well.
	Call(ctx context.Context, name, input string) (text string, isError bool)
}

// A Loop is one turn.
type Loop struct {
	Provider model.Provider
	Memory   Memory
	// Accept judges what the tools made of the memory, and takes it: it is done
	// when there is neither refusal nor error.
	Accept func(ctx context.Context) (*Refusal, error)
	// Finish is the name of the tool by which the model says that it is done.
	Finish string
	// System is the prompt, History the conversation before this turn.
	System  string
	History []model.Message
	// MaxSteps is the limit; 0 is that of the package.
	MaxSteps int
	// Observe hears of what happens, in order; it must not be nil.
	Observe func(Event)

	messages []model.Message
	sent     int // messages that Observe has heard of
	result   Result
	failed   map[failure]int
}

// A failure is a call with what came of it.
type failure struct{ name, input, text string }

// Run asks the model until its work is accepted or given up. With judge the
// work is there already, and the model is asked only if it is refused. A
// deadline of ctx is a limit of the turn. The result is never nil; its Err says
// what went wrong, where something did.
func (l *Loop) Run(ctx context.Context, request string, judge bool) *Result {
	l.messages = append([]model.Message{}, l.History...)
	l.sent = len(l.messages)
	l.failed = map[failure]int{}
	if l.MaxSteps == 0 {
		l.MaxSteps = MaxSteps
	}
	l.tell(request)
	l.result.Outcome, l.result.Err = l.run(ctx, judge)
	if ctx.Err() != nil && l.result.Err != nil {
		l.result.Outcome, l.result.Err = stopped(ctx), context.Cause(ctx)
	}
	if l.result.Steps > 0 {
		l.publish() // what the model was to be told
	}
	return &l.result
}

func (l *Loop) run(ctx context.Context, judge bool) (Outcome, error) {
	for repairs := 0; ; {
		if !judge {
			if outcome, err := l.work(ctx); outcome != Done {
				return outcome, err
			}
		}
		judge = false
		refusal, err := l.Accept(ctx)
		if err != nil {
			return Failed, err
		}
		l.result.Refusal = refusal
		if refusal == nil {
			return Done, nil
		}
		l.Observe(Event{Refusal: refusal})
		if repairs == MaxRepairs {
			return Refused, fmt.Errorf("the model could not mend in %d rounds what was refused", MaxRepairs)
		}
		repairs++
		l.tell(refusal.Tell)
	}
}

// work asks the model and runs its tools until it is done.
func (l *Loop) work(ctx context.Context) (Outcome, error) {
	for {
		if l.result.Steps == l.MaxSteps {
			return Limited, fmt.Errorf("the model was not done after %d steps", l.MaxSteps)
		}
		answer, err := l.ask(ctx)
		if err != nil {
			return Failed, err
		}
		calls := callsOf(answer.Message)
		finished, err := l.runCalls(ctx, calls, answer.Stop)
		if err != nil {
			return Limited, err
		}
		switch {
		case ctx.Err() != nil:
			return stopped(ctx), context.Cause(ctx)
		case answer.Stop == model.StopRefusal:
			return Declined, errors.New("the model declined to answer")
		case answer.Stop == model.StopContext:
			return Limited, errors.New("the conversation has become too long for the model")
		case answer.Stop == model.StopPause, len(calls) > 0 && !finished:
		case answer.Stop == model.StopLength && !finished:
			l.tell(goOn)
		default:
			return Done, nil
		}
	}
}

// ask sends the conversation, and takes the answer into it.
func (l *Loop) ask(ctx context.Context) (*model.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.publish()
	l.result.Steps++
	l.Observe(Event{Step: l.result.Steps})
	request := model.Request{System: l.System, Messages: alternating(l.messages), Tools: l.Memory.Tools()}
	answer, err := l.Provider.Stream(ctx, request, func(e model.Event) { l.Observe(Event{Delta: &e}) })
	if err != nil {
		return nil, err
	}
	l.result.Usage = l.result.Usage.Add(answer.Usage)
	if answer.Model != "" {
		l.result.Model = answer.Model
	}
	if text := textOf(answer.Message); strings.TrimSpace(text) != "" {
		l.result.Text = text
	}
	l.Observe(Event{Answer: answer})
	if len(answer.Message.Parts) > 0 { // no provider takes an empty message back
		l.messages = append(l.messages, answer.Message)
		l.publish()
	}
	return answer, nil
}

// runCalls runs an answer's calls in order. Each gets a result, whatever comes:
// providers refuse a conversation in which one has none.
func (l *Loop) runCalls(ctx context.Context, calls []*model.Call, stop model.Stop) (finished bool, err error) {
	for _, call := range calls {
		r := model.Result{ID: call.ID, IsError: true}
		switch {
		case ctx.Err() != nil, stop == model.StopRefusal:
			r.Text = notRun
		case stop == model.StopLength && !isObject(call.Input):
			r.Text = cutOff
		default:
			r.Text, r.IsError = l.Memory.Call(ctx, call.Name, call.Input)
			r.Text = bounded(r.Text)
			finished = finished || call.Name == l.Finish && !r.IsError
		}
		l.Observe(Event{Call: call, Result: &r})
		l.add(model.Part{Result: &r})
		if f := (failure{call.Name, call.Input, r.Text}); r.IsError {
			if l.failed[f]++; l.failed[f] == MaxSame {
				err = fmt.Errorf("the same call of %s failed %d times: %s", call.Name, MaxSame, firstLine(r.Text))
			}
		}
	}
	return finished, err
}

// stopped is the outcome of a turn whose context has ended: by a limit of time,
// or by somebody.
func stopped(ctx context.Context) Outcome {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return Limited
	}
	return Interrupted
}

// tell adds a text to what the model is told next.
func (l *Loop) tell(text string) { l.add(model.Part{Text: text}) }

// alternating joins what the user's side has said in several messages, after a
// turn that came to no answer: some providers want the two sides to take turns.
func alternating(messages []model.Message) (out []model.Message) {
	for _, m := range messages {
		if n := len(out); n > 0 && m.Role == model.User && out[n-1].Role == model.User {
			out[n-1].Parts = slices.Concat(out[n-1].Parts, m.Parts)
			continue
		}
		out = append(out, m)
	}
	return out
}

// add keeps what the user's side says in one message.
func (l *Loop) add(part model.Part) {
	if n := len(l.messages); n > l.sent && l.messages[n-1].Role == model.User {
		l.messages[n-1].Parts = append(l.messages[n-1].Parts, part)
		return
	}
	l.messages = append(l.messages, model.Message{Role: model.User, Parts: []model.Part{part}})
}

// publish tells of messages that will not change any more.
func (l *Loop) publish() {
	for ; l.sent < len(l.messages); l.sent++ {
		l.Observe(Event{Message: &l.messages[l.sent]})
	}
}

func callsOf(m model.Message) (calls []*model.Call) {
	for _, part := range m.Parts {
		if part.Call != nil {
			calls = append(calls, part.Call)
		}
	}
	return calls
}

func textOf(m model.Message) string {
	var b strings.Builder
	for _, part := range m.Parts {
		b.WriteString(part.Text)
	}
	return b.String()
}
