// Package model is the conversation with a language model, whoever runs it:
// messages with parts, tools, and a stream of what the model says. What speaks
// a wire format is in the packages below this one.
package model

import (
	"context"
	"encoding/json"
	"time"
)

// A Provider is a model that answers.
type Provider interface {
	// Name is what the user calls it: "anthropic/claude-…".
	Name() string
	// Stream sends a request and tells of what comes while it comes. The answer
	// is complete, or there is an error: a stream that was cut is one. The error
	// is an *Error where the provider or the way to it is at fault, and that of
	// ctx when that ended first. Events may be nil.
	Stream(ctx context.Context, request Request, events func(Event)) (*Response, error)
}

// A Request is all that the model gets to see.
type Request struct {
	System   string // the compiled prompt
	Messages []Message
	Tools    []Tool
	// MaxTokens bounds the answer, in tokens; 0 leaves it to the provider.
	MaxTokens int
}

// A Role is who speaks.
type Role string

// Who speaks.
const (
	User      Role = "user" // results of tools are the user's, too
	Assistant Role = "assistant"
)

// A Message is one turn of the conversation.
type Message struct {
	Role  Role   `json:"role"`
	Parts []Part `json:"parts"`
}

// A Part is a piece of a message: one of its fields is set.
type Part struct {
	Text string `json:"text,omitempty"`
	// Opaque is what the provider wants back as it came (its reasoning, signed),
	// in its own wire format; other providers leave it out.
	Opaque json.RawMessage `json:"opaque,omitempty"`
	Call   *Call           `json:"call,omitempty"`
	Result *Result         `json:"result,omitempty"`
}

// A Call is what the model wants a tool to do.
type Call struct {
	ID   string `json:"id"` // unique in the conversation, made up where the provider gave none
	Name string `json:"name"`
	// Input is the arguments as the model wrote them. They may be no valid JSON:
	// the tool's result then says so.
	Input string `json:"input"`
}

// A Result answers the call of the same ID.
type Result struct {
	ID      string `json:"id"`
	Text    string `json:"text"`
	IsError bool   `json:"isError,omitempty"`
}

// A Tool is what the model may call.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the input
	// Native is the type by which Anthropic's models know the tool without a
	// description ("memory_20250818"); others get the description.
	Native string
}

// An Event is something that came: one of its fields is set.
type Event struct {
	Text     string // more text of the answer, whole characters
	Thinking string // more of the reasoning, where the provider shows it
	Calling  string // the name of a tool whose call begins
	Retry    *Retry // the request is about to be sent again
}

// A Retry says why a request is sent again, and when.
type Retry struct {
	Attempt int // of the next try, from 2
	After   time.Duration
	Err     error
}

// A Stop is why an answer ended. Whether tools are to run is told by the calls
// in it alone.
type Stop string

// Why an answer ended.
const (
	StopEnd     Stop = "end"     // the model was done, or calls tools
	StopLength  Stop = "length"  // MaxTokens, or the provider's own limit
	StopContext Stop = "context" // the conversation is too long for the model
	StopRefusal Stop = "refusal" // the model or a filter declined
	StopPause   Stop = "pause"   // the provider wants the same conversation again
)

// A Response is a complete answer.
type Response struct {
	Message Message
	Stop    Stop
	Model   string // as the provider names it
	Usage   Usage
}

// Usage is what an answer took, in tokens.
type Usage struct {
	Input      int `json:"input_tokens"` // without those read from or written to the cache
	Output     int `json:"output_tokens"`
	CacheRead  int `json:"cache_read_input_tokens"`
	CacheWrite int `json:"cache_creation_input_tokens"`
	// Cost is in US dollars where the provider tells it, else 0.
	Cost float64 `json:"cost_usd,omitempty"`
}

// Add sums two answers' usage.
func (u Usage) Add(v Usage) Usage {
	u.Input += v.Input
	u.Output += v.Output
	u.CacheRead += v.CacheRead
	u.CacheWrite += v.CacheWrite
	u.Cost += v.Cost
	return u
}

// An Error is a failure of the provider or of the way to it. Its text holds no
// secret.
type Error struct {
	Provider  string
	Status    int    // of HTTP, 0 where there was no answer
	Type      string // the provider's word for it: "overloaded_error"
	Message   string // what happened and what to do
	Temporary bool   // the same request may succeed later
	// RetryAfter is how long the provider wants to be left alone, 0 where it does
	// not say.
	RetryAfter time.Duration
	Err        error
}

func (e *Error) Error() string { return e.Provider + ": " + e.Message }

func (e *Error) Unwrap() error { return e.Err }
