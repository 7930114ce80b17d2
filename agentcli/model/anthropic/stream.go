package anthropic

import (
	"encoding/json"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/memls/memls/agentcli/model"
)

// An answer grows with the events of a stream.
type answer struct {
	ids    *model.IDs
	tell   func(model.Event)
	blocks []*block // as they began
	stop   sdk.StopReason
	done   bool
	model  string
	usage  model.Usage
}

// A block is a part in the making.
type block struct {
	index     int64
	kind      string
	text      strings.Builder // or the reasoning, or a call's input
	id, name  string          // of a call
	input     string          // of a call that came whole
	signature string          // of reasoning
	data      string          // of reasoning that is not shown
}

var stops = map[sdk.StopReason]model.Stop{
	sdk.StopReasonMaxTokens:                  model.StopLength,
	sdk.StopReasonModelContextWindowExceeded: model.StopContext,
	sdk.StopReasonRefusal:                    model.StopRefusal,
	sdk.StopReasonPauseTurn:                  model.StopPause,
}

// complete tells an answer that ended from a stream that did. The reason to
// stop comes after the last block; servers that are not Anthropic's may leave
// out what follows it.
func (a *answer) complete() bool { return a.stop != "" }

func (a *answer) add(e sdk.MessageStreamEventUnion) {
	switch e.Type {
	case "message_start":
		a.model = e.Message.Model
		u := e.Message.Usage
		a.count(u.InputTokens, u.OutputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens)
	case "content_block_start":
		a.begin(e.Index, e.ContentBlock)
	case "content_block_delta":
		a.grow(e.Index, e.Delta)
	case "message_delta":
		if e.Delta.StopReason != "" {
			a.stop = e.Delta.StopReason
		}
		u := e.Usage
		a.count(u.InputTokens, u.OutputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens)
	case "message_stop":
		a.done = true
	}
}

// count takes numbers that are sums so far.
func (a *answer) count(input, output, read, write int64) {
	a.usage.Input = max(a.usage.Input, int(input))
	a.usage.Output = max(a.usage.Output, int(output))
	a.usage.CacheRead = max(a.usage.CacheRead, int(read))
	a.usage.CacheWrite = max(a.usage.CacheWrite, int(write))
}

func (a *answer) begin(index int64, start sdk.ContentBlockStartEventContentBlockUnion) {
	b := &block{index: index, kind: start.Type, id: start.ID, name: start.Name, signature: start.Signature, data: start.Data}
	a.blocks = append(a.blocks, b)
	switch b.kind {
	case "tool_use":
		b.input = start.JSON.Input.Raw()
		a.tell(model.Event{Calling: b.name})
	case "text":
		a.say(b, start.Text)
	case "thinking":
		a.think(b, start.Thinking)
	}
}

func (a *answer) grow(index int64, delta sdk.MessageStreamEventUnionDelta) {
	var b *block
	for _, candidate := range a.blocks {
		if candidate.index == index {
			b = candidate
		}
	}
	if b == nil {
		return
	}
	switch delta.Type {
	case "text_delta":
		a.say(b, delta.Text)
	case "thinking_delta":
		a.think(b, delta.Thinking)
	case "signature_delta":
		b.signature += delta.Signature
	case "input_json_delta":
		b.text.WriteString(delta.PartialJSON)
	}
}

func (a *answer) say(b *block, text string) {
	if text != "" {
		b.text.WriteString(text)
		a.tell(model.Event{Text: text})
	}
}

func (a *answer) think(b *block, text string) {
	if text != "" {
		b.text.WriteString(text)
		a.tell(model.Event{Thinking: text})
	}
}

func (a *answer) response() *model.Response {
	r := &model.Response{Message: model.Message{Role: model.Assistant}, Stop: model.StopEnd, Model: a.model, Usage: a.usage}
	if stop, ok := stops[a.stop]; ok {
		r.Stop = stop
	}
	for _, b := range a.blocks {
		if part, ok := a.part(b); ok {
			r.Message.Parts = append(r.Message.Parts, part)
		}
	}
	return r
}

// part leaves out what is empty, and what cannot be sent back: reasoning that
// nobody signed.
func (a *answer) part(b *block) (part model.Part, ok bool) {
	text := b.text.String()
	switch {
	case b.kind == "text" && text != "":
		part.Text = text
	case b.kind == "tool_use":
		if text == "" {
			text = b.input
		}
		if text == "" {
			text = "{}"
		}
		part.Call = &model.Call{ID: a.ids.Take(b.id), Name: b.name, Input: text}
	case b.kind == "thinking" && b.signature != "":
		part.Opaque = raw(map[string]string{"type": b.kind, "thinking": text, "signature": b.signature})
	case b.kind == "redacted_thinking":
		part.Opaque = raw(map[string]string{"type": b.kind, "data": b.data})
	default:
		return part, false
	}
	return part, true
}

func raw(block map[string]string) json.RawMessage {
	b, _ := json.Marshal(block) // texts always can be
	return b
}
