// Package script is a model that plays a written scenario: what it says and
// calls, step by step, whatever a program around it does. It is for demos, for
// tests, and for those who write such programs. README.md of the package above
// has the format.
package script

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/memls/memls/agentcli/model"
)

// A scenario is the file.
type scenario struct {
	Steps []step `yaml:"steps"`
}

// A step is one answer, or one failure to answer.
type step struct {
	When   told   `yaml:"when"`   // else the step is left out
	Expect told   `yaml:"expect"` // else the step fails
	Think  string `yaml:"think"`
	Say    string `yaml:"say"`
	Call   []call `yaml:"call"`
	Stop   string `yaml:"stop"`
	Usage  usage  `yaml:"usage"`
	Hang   bool   `yaml:"hang"`
	Fail   *fail  `yaml:"fail"`
}

// told is what the request must hold: texts in the system prompt, and texts in
// what the model was told since its last answer.
type told struct {
	System []string `yaml:"system"`
	Told   []string `yaml:"told"`
	Not    []string `yaml:"not"` // what it must not have been told
}

type call struct {
	ID    string    `yaml:"id"`
	Name  string    `yaml:"name"`
	Input yaml.Node `yaml:"input"`
}

type usage struct {
	Input      int     `yaml:"input_tokens"`
	Output     int     `yaml:"output_tokens"`
	CacheRead  int     `yaml:"cache_read_input_tokens"`
	CacheWrite int     `yaml:"cache_creation_input_tokens"`
	Cost       float64 `yaml:"cost_usd"`
}

type fail struct {
	Status    int    `yaml:"status"`
	Type      string `yaml:"type"`
	Message   string `yaml:"message"`
	Temporary bool   `yaml:"temporary"`
}

var stops = map[string]model.Stop{
	"":        model.StopEnd,
	"end":     model.StopEnd,
	"length":  model.StopLength,
	"context": model.StopContext,
	"refusal": model.StopRefusal,
	"pause":   model.StopPause,
}

// A Provider plays one scenario from its first step to its last.
type Provider struct {
	path  string
	steps []step

	mu   sync.Mutex
	next int // step
}

// Open reads a scenario. The error names the file, and the line where it can.
func Open(path string) (*Provider, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the scenario: %w", err)
	}
	var s scenario
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&s); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("scenario %s: %w", path, err)
	}
	if len(s.Steps) == 0 {
		return nil, fmt.Errorf("scenario %s has no steps: write what the model answers below \"steps:\"", path)
	}
	for i, step := range s.Steps {
		if err := step.check(); err != nil {
			return nil, fmt.Errorf("scenario %s, step %d: %w", path, i+1, err)
		}
	}
	return &Provider{path: path, steps: s.Steps}, nil
}

func (s step) check() error {
	if _, ok := stops[s.Stop]; !ok {
		return fmt.Errorf("stop is %q: use end, length, context, refusal or pause", s.Stop)
	}
	if s.Fail != nil && s.Fail.Message == "" {
		return errors.New("fail has no message: say what goes wrong")
	}
	for _, c := range s.Call {
		if c.Name == "" {
			return errors.New("a call has no name: say which tool it calls")
		}
		if _, err := c.input(); err != nil {
			return fmt.Errorf("input of the call of %s: %w", c.Name, err)
		}
	}
	return nil
}

// input is the arguments as JSON. A text stands for itself, so that a scenario
// can have a model that writes broken JSON.
func (c call) input() (string, error) {
	if c.Input.IsZero() {
		return "{}", nil
	}
	var text string
	if c.Input.Kind == yaml.ScalarNode && c.Input.Decode(&text) == nil {
		return text, nil
	}
	var value map[string]any
	if err := c.Input.Decode(&value); err != nil {
		return "", err
	}
	b, err := json.Marshal(value)
	return string(b), err
}

// Name is script/ and the file.
func (p *Provider) Name() string { return "script/" + p.path }

// Stream plays the next step.
func (p *Provider) Stream(ctx context.Context, request model.Request, events func(model.Event)) (*model.Response, error) {
	if events == nil {
		events = func(model.Event) {}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	step, number, err := p.choose(request)
	if err != nil {
		return nil, err
	}
	if missing := step.Expect.missing(request); missing != "" {
		return nil, p.failure("script_mismatch", fmt.Sprintf("step %d %s", number, missing))
	}
	if step.Think != "" {
		events(model.Event{Thinking: step.Think})
	}
	for _, piece := range strings.SplitAfter(step.Say, " ") {
		if piece != "" {
			events(model.Event{Text: piece})
		}
	}
	if step.Hang {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if f := step.Fail; f != nil {
		return nil, &model.Error{Provider: p.Name(), Status: f.Status, Type: f.Type, Message: f.Message, Temporary: f.Temporary}
	}
	return p.answer(step, model.NewIDs(request.Messages), events), nil
}

func (p *Provider) answer(s step, ids *model.IDs, events func(model.Event)) *model.Response {
	var parts []model.Part
	if s.Say != "" {
		parts = append(parts, model.Part{Text: s.Say})
	}
	for _, c := range s.Call {
		input, _ := c.input() // Open has looked at it
		events(model.Event{Calling: c.Name})
		parts = append(parts, model.Part{Call: &model.Call{ID: ids.Take(c.ID), Name: c.Name, Input: input}})
	}
	return &model.Response{
		Message: model.Message{Role: model.Assistant, Parts: parts},
		Stop:    stops[s.Stop],
		Model:   p.Name(),
		Usage:   model.Usage(s.Usage),
	}
}

// choose takes the next step that is for this request; number counts from 1.
func (p *Provider) choose(request model.Request) (s step, number int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.next < len(p.steps) {
		s = p.steps[p.next]
		p.next++
		if s.When.missing(request) == "" {
			return s, p.next, nil
		}
	}
	return step{}, 0, p.failure("script_over", fmt.Sprintf("the scenario has no answer left after step %d: write the next one", len(p.steps)))
}

func (p *Provider) failure(kind, message string) *model.Error {
	return &model.Error{Provider: p.Name(), Type: kind, Message: message}
}

// missing says what the request lacks, "" for nothing.
func (t told) missing(request model.Request) string {
	for _, want := range t.System {
		if !strings.Contains(request.System, want) {
			return fmt.Sprintf("expects %q in the system prompt", want)
		}
	}
	text := since(request.Messages)
	for _, want := range t.Told {
		if !strings.Contains(text, want) {
			return fmt.Sprintf("expects that the model was told %q; it was told %q", want, text)
		}
	}
	for _, unwanted := range t.Not {
		if strings.Contains(text, unwanted) {
			return fmt.Sprintf("expects that the model was not told %q; it was told %q", unwanted, text)
		}
	}
	return ""
}

// since is what the model was told after its last answer.
func since(messages []model.Message) string {
	first := len(messages)
	for first > 0 && messages[first-1].Role != model.Assistant {
		first--
	}
	var lines []string
	for _, m := range messages[first:] {
		for _, part := range m.Parts {
			lines = append(lines, part.Text)
			if part.Result != nil {
				lines = append(lines, part.Result.Text)
			}
		}
	}
	return strings.Join(lines, "\n")
}
