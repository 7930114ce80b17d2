package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/memls/memls/agentcli/model"
	"github.com/memls/memls/agentcli/model/internal/transport"
)

// Parameters that some servers do without. OpenAI's newer models refuse
// max_tokens, which every other server knows.
const (
	noMaxTokens uint32 = 1 << iota
	noMaxCompletionTokens
	noStreamOptions
)

// parameters by name, the one first whose refusal may name the other as its
// successor.
var parameters = []struct {
	name string
	bit  uint32
}{
	{"'max_tokens'", noMaxTokens},
	{"max_completion_tokens", noMaxCompletionTokens},
	{"max_tokens", noMaxTokens},
	{"stream_options", noStreamOptions},
}

// unknown are words by which servers refuse a parameter, and not its value.
var unknown = []string{"not support", "unsupported", "unknown", "unrecognized", "unexpected", "extra"}

// unwanted is the parameter that a refusal names, 0 for none.
func unwanted(message string) uint32 {
	message = strings.ToLower(message)
	if !slices.ContainsFunc(unknown, func(word string) bool { return strings.Contains(message, word) }) {
		return 0
	}
	for _, p := range parameters {
		if strings.Contains(message, p.name) {
			return p.bit
		}
	}
	return 0
}

// A request is the body of one.
type request struct {
	Model               string         `json:"model"`
	Messages            []message      `json:"messages"`
	Tools               []tool         `json:"tools,omitempty"`
	MaxTokens           int            `json:"max_tokens,omitempty"`
	MaxCompletionTokens int            `json:"max_completion_tokens,omitempty"`
	Stream              bool           `json:"stream"`
	StreamOptions       *streamOptions `json:"stream_options,omitempty"`
}

type message struct {
	Role       string  `json:"role"`
	Content    *string `json:"content"` // null beside calls
	ToolCalls  []call  `json:"tool_calls,omitempty"`
	ToolCallID string  `json:"tool_call_id,omitempty"`
}

type call struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type tool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
	} `json:"function"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// completion is the request in the terms of chat completions. Caches of these
// servers need no marks: they know a conversation by its beginning.
func completion(name string, r model.Request, dialect uint32) request {
	q := request{Model: name, Stream: true}
	if dialect&noStreamOptions == 0 {
		q.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	switch {
	case dialect&noMaxTokens == 0:
		q.MaxTokens = r.MaxTokens
	case dialect&noMaxCompletionTokens == 0:
		q.MaxCompletionTokens = r.MaxTokens
	}
	if r.System != "" {
		q.Messages = append(q.Messages, message{Role: "system", Content: &r.System})
	}
	for _, m := range r.Messages {
		if m.Role == model.Assistant {
			q.Messages = append(q.Messages, assistant(m.Parts)...)
		} else {
			q.Messages = append(q.Messages, user(m.Parts)...)
		}
	}
	for _, t := range r.Tools {
		f := tool{Type: "function"}
		f.Function.Name, f.Function.Description, f.Function.Parameters = t.Name, t.Description, t.Schema
		q.Tools = append(q.Tools, f)
	}
	return q
}

// user puts results first: they must follow the calls at once.
func user(parts []model.Part) (messages []message) {
	for _, part := range parts {
		if part.Result != nil {
			messages = append(messages, message{Role: "tool", Content: &part.Result.Text, ToolCallID: part.Result.ID})
		}
	}
	if text := text(parts); text != "" {
		messages = append(messages, message{Role: "user", Content: &text})
	}
	return messages
}

// assistant is one message, or none where nothing is left of it.
func assistant(parts []model.Part) []message {
	m := message{Role: "assistant"}
	for _, part := range parts {
		if part.Call != nil {
			f := function{Name: part.Call.Name, Arguments: string(transport.Object(part.Call.Input))}
			m.ToolCalls = append(m.ToolCalls, call{ID: part.Call.ID, Type: "function", Function: f})
		}
	}
	if text := text(parts); text != "" {
		m.Content = &text
	}
	if m.Content == nil && m.ToolCalls == nil {
		return nil
	}
	return []message{m}
}

// text is one text: not every server takes a list.
func text(parts []model.Part) string {
	var texts []string
	for _, part := range parts {
		if part.Text != "" {
			texts = append(texts, part.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}
