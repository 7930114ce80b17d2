package openai

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/memls/memls/agentcli/model"
	"github.com/memls/memls/agentcli/model/internal/transport"
)

// A chunk is one event of a stream. Texts are kept raw: a server that sends
// something else in their place is no reason to lose an answer.
type chunk struct {
	Model   string          `json:"model"`
	Error   json.RawMessage `json:"error"`
	Usage   *usage          `json:"usage"`
	Choices []struct {
		FinishReason string `json:"finish_reason"`
		Delta        struct {
			Content          json.RawMessage `json:"content"`
			Refusal          json.RawMessage `json:"refusal"`
			ReasoningContent json.RawMessage `json:"reasoning_content"`
			Reasoning        json.RawMessage `json:"reasoning"`
			ToolCalls        []piece         `json:"tool_calls"`
		} `json:"delta"`
	} `json:"choices"`
}

// A piece is one of a call.
type piece struct {
	Index    int    `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"` // a text, or an object
	} `json:"function"`
}

type usage struct {
	Prompt     int `json:"prompt_tokens"` // those of the cache included
	Completion int `json:"completion_tokens"`
	Details    struct {
		Read    int `json:"cached_tokens"`
		Written int `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	Cost float64 `json:"cost"` // in US dollars, OpenRouter's
}

// An answer grows with the chunks of a stream.
type answer struct {
	ids    *model.IDs
	tell   func(model.Event)
	text   strings.Builder
	calls  []*growing
	finish string // why the model stopped
	done   bool   // [DONE] came
	chunks int

	refused bool
	model   string
	usage   model.Usage
}

// A growing call is one in the making.
type growing struct {
	index    int
	id, name string
	input    strings.Builder
}

var stops = map[string]model.Stop{
	"length":         model.StopLength,
	"content_filter": model.StopRefusal,
}

// complete tells an answer that ended from a stream that did. Some servers give
// no reason to stop, others no [DONE].
func (a *answer) complete() bool { return a.finish != "" || a.done && a.chunks > 0 }

// event takes one event's data, whatever the ID in it: some servers give each
// chunk its own.
func (a *answer) event(data []byte) error {
	switch strings.TrimSpace(string(data)) {
	case "":
		return nil
	case "[DONE]":
		a.done = true
		return nil
	}
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return transport.Malformed(err.Error())
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return transport.Reported(c.Error)
	}
	a.add(c)
	return nil
}

func (a *answer) add(c chunk) {
	a.chunks++
	if c.Model != "" {
		a.model = c.Model
	}
	if c.Usage != nil {
		a.count(*c.Usage)
	}
	if len(c.Choices) == 0 { // usage alone
		return
	}
	delta := c.Choices[0].Delta
	// A server that sends reasoning by both names sends the same.
	if thinking := cmp.Or(unquote(delta.ReasoningContent), unquote(delta.Reasoning)); thinking != "" {
		a.tell(model.Event{Thinking: thinking})
	}
	refusal := unquote(delta.Refusal)
	a.refused = a.refused || refusal != ""
	for _, text := range []string{unquote(delta.Content), refusal} {
		if text != "" {
			a.text.WriteString(text)
			a.tell(model.Event{Text: text})
		}
	}
	for _, p := range delta.ToolCalls {
		a.call(p)
	}
	a.finish = cmp.Or(c.Choices[0].FinishReason, a.finish)
}

func (a *answer) count(u usage) {
	a.usage = model.Usage{
		Input:      max(0, u.Prompt-u.Details.Read-u.Details.Written),
		Output:     u.Completion,
		CacheRead:  u.Details.Read,
		CacheWrite: u.Details.Written,
		Cost:       u.Cost,
	}
}

// unquote is a text, "" for what is none.
func unquote(raw json.RawMessage) (text string) {
	if json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}

// call takes a piece of a call.
func (a *answer) call(p piece) {
	c := a.open(p)
	if c == nil {
		c = &growing{index: p.Index, name: p.Function.Name}
		a.calls = append(a.calls, c)
		a.tell(model.Event{Calling: c.name})
	}
	c.id = cmp.Or(p.ID, c.id)
	arguments := unquote(p.Function.Arguments)
	if raw := string(p.Function.Arguments); strings.HasPrefix(raw, "{") {
		arguments = raw
	}
	c.input.WriteString(arguments)
}

// open finds the call that a piece belongs to, nil for a new one. Servers that
// do not count calls send each of them whole, at the same index: another ID, or
// a name after a complete input, begins the next.
func (a *answer) open(p piece) *growing {
	for _, c := range slices.Backward(a.calls) {
		if c.index != p.Index {
			continue
		}
		switch named := p.Function.Name != ""; {
		case p.ID != "" && c.id != "":
			if p.ID != c.id {
				return nil
			}
		case named && (p.Function.Name != c.name || json.Valid([]byte(c.input.String()))):
			return nil
		}
		return c
	}
	return nil
}

func (a *answer) response() *model.Response {
	r := &model.Response{Message: model.Message{Role: model.Assistant}, Stop: model.StopEnd, Model: a.model, Usage: a.usage}
	if stop, ok := stops[a.finish]; ok {
		r.Stop = stop
	}
	if a.refused {
		r.Stop = model.StopRefusal
	}
	if a.text.Len() > 0 {
		r.Message.Parts = append(r.Message.Parts, model.Part{Text: a.text.String()})
	}
	for _, c := range a.calls {
		input := c.input.String()
		if input == "" {
			input = "{}"
		}
		r.Message.Parts = append(r.Message.Parts, model.Part{Call: &model.Call{ID: a.ids.Take(c.id), Name: c.name, Input: input}})
	}
	return r
}
