package script_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memls/memls/agentcli/model"
	"github.com/memls/memls/agentcli/model/script"
)

func user(text string) model.Message {
	return model.Message{Role: model.User, Parts: []model.Part{{Text: text}}}
}

func results(r ...model.Result) model.Message {
	m := model.Message{Role: model.User}
	for _, result := range r {
		m.Parts = append(m.Parts, model.Part{Result: &result})
	}
	return m
}

// open writes a scenario and opens it.
func open(t *testing.T, text string) (*script.Provider, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "scenario.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return script.Open(path)
}

func mustOpen(t *testing.T, text string) *script.Provider {
	t.Helper()
	p, err := open(t, text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestLearn plays a scenario in which a step is for one answer of the tools
// only, with and without that answer.
func TestLearn(t *testing.T) {
	const path = "testdata/learn.yaml"
	create := model.Call{ID: "call_1", Name: "memory", Input: `{"command":"create","file_text":"# Ada\n","path":"/memories/people/ada.md"}`}
	learns := model.Response{Stop: model.StopEnd, Model: "script/" + path, Message: model.Message{Role: model.Assistant,
		Parts: []model.Part{{Text: "I will remember that."}, {Call: &create}}}}
	mends := model.Response{Stop: model.StopEnd, Model: "script/" + path, Message: model.Message{Role: model.Assistant, Parts: []model.Part{
		{Call: &model.Call{ID: "call_2", Name: "memory", Input: `{"command":"create","file_text":"- [Ada](ada.md)\n","path":"/memories/people/MEMORY.md"}`}},
		{Call: &model.Call{ID: "call_3", Name: "finish", Input: `{"message": `}},
	}}}
	done := model.Response{Stop: model.StopEnd, Model: "script/" + path, Usage: model.Usage{Input: 30, Output: 2, Cost: 0.5},
		Message: model.Message{Role: model.Assistant, Parts: []model.Part{{Text: "Done."}}}}

	for _, c := range []struct {
		name string
		told []model.Message
		want []model.Response
	}{
		{
			"mended",
			[]model.Message{user("My name is Ada"), results(model.Result{ID: "call_1", Text: "missing required index"}), results(model.Result{ID: "call_2"})},
			[]model.Response{learns, mends, done},
		},
		{
			"nothing to mend",
			[]model.Message{user("My name is Ada"), results(model.Result{ID: "call_1", Text: "created"})},
			[]model.Response{learns, done},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := script.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			if p.Name() != "script/"+path {
				t.Errorf("the name is %q", p.Name())
			}
			request := model.Request{System: "You are an agent."}
			for i, told := range c.told {
				request.Messages = append(request.Messages, told)
				got, err := p.Stream(context.Background(), request, nil)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(&c.want[i], got); diff != "" {
					t.Errorf("answer %d: -want +got\n%s", i+1, diff)
				}
				request.Messages = append(request.Messages, got.Message)
			}
		})
	}
}

func TestEvents(t *testing.T) {
	p := mustOpen(t, `steps: [{think: hm, say: "Grüße, Ada", call: [{name: finish}], stop: pause}]`)
	var got []model.Event
	response, err := p.Stream(context.Background(), model.Request{}, func(e model.Event) { got = append(got, e) })
	if err != nil {
		t.Fatal(err)
	}
	want := []model.Event{{Thinking: "hm"}, {Text: "Grüße, "}, {Text: "Ada"}, {Calling: "finish"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if response.Stop != model.StopPause || response.Message.Parts[1].Call.Input != "{}" {
		t.Errorf("%+v", response)
	}
}

func TestFailures(t *testing.T) {
	for _, c := range []struct{ name, scenario, want string }{
		{"on purpose", `steps: [{say: I, fail: {status: 529, type: overloaded_error, message: overloaded, temporary: true}}]`, "overloaded"},
		{"not told", `steps: [{expect: {told: [Bob]}}]`, `step 1 expects that the model was told "Bob"; it was told "I am Ada"`},
		{"told too much", `steps: [{expect: {not: [Ada]}}]`, `step 1 expects that the model was not told "Ada"; it was told "I am Ada"`},
		{"prompt", `steps: [{expect: {system: [secret]}}]`, `step 1 expects "secret" in the system prompt`},
		{"over", `steps: [{when: {told: [Bob]}}]`, "the scenario has no answer left after step 1: write the next one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := mustOpen(t, c.scenario)
			_, err := p.Stream(context.Background(), model.Request{System: "s", Messages: []model.Message{user("I am Ada")}}, nil)
			var failure *model.Error
			if !errors.As(err, &failure) || failure.Message != c.want {
				t.Fatalf("got %v, want %s", err, c.want)
			}
			if onPurpose := c.name == "on purpose"; failure.Temporary != onPurpose || (failure.Status == 529) != onPurpose {
				t.Errorf("%+v", failure)
			}
		})
	}
}

func TestHangsUntilInterrupted(t *testing.T) {
	p := mustOpen(t, `steps: [{say: Wait, hang: true}]`)
	ctx, cancel := context.WithCancel(context.Background())
	_, err := p.Stream(ctx, model.Request{}, func(model.Event) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestBadScenarios(t *testing.T) {
	for _, c := range []struct{ name, scenario, want string }{
		{"empty", "", "has no steps"},
		{"no steps", "steps: []", "has no steps"},
		{"misspelt", "steps:\n  - says: Hello", "line 2: field says not found"},
		{"no name", "steps: [{call: [{input: {}}]}]", "step 1: a call has no name"},
		{"no message", "steps: [{fail: {status: 500}}]", "step 1: fail has no message"},
		{"odd stop", "steps: [{say: a}, {stop: never}]", `step 2: stop is "never": use end,`},
		{"input is a list", "steps: [{call: [{name: a, input: [b]}]}]", "step 1: input of the call of a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := open(t, c.scenario)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "scenario.yaml") {
				t.Errorf("got %v, want the file and %q", err, c.want)
			}
		})
	}
	if _, err := script.Open(filepath.Join(t.TempDir(), "none.yaml")); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "none.yaml") {
		t.Error(err)
	}
}
