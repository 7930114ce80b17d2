package modeltest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/memls/memls/agentcli/model"
)

var openaiStops = map[model.Stop]string{
	model.StopLength:  "length",
	model.StopRefusal: "content_filter",
}

// A completion is a stream of chunks in the making.
type completion struct {
	reply  Reply
	events []string
}

// openai is the reply's events.
func (r Reply) openai() []string {
	c := &completion{reply: r}
	c.delta(object{"role": "assistant", "content": ""}, nil)
	for _, text := range r.Thinking {
		c.delta(object{"reasoning_content": text}, nil)
	}
	for _, text := range r.Text {
		c.delta(object{"content": text}, nil)
	}
	for i := range r.Calls {
		c.call(i)
	}
	if !r.has(NoFinish) {
		c.delta(object{}, r.finish())
	}
	if r.Usage != (model.Usage{}) {
		c.usage()
	}
	if !r.has(NoLast) {
		c.events = append(c.events, "data: [DONE]\n\n")
	}
	return c.events
}

func (r Reply) finish() string {
	if stop, ok := openaiStops[r.Stop]; ok {
		return stop
	}
	if len(r.Calls) > 0 && !r.has(FinishStop) {
		return "tool_calls"
	}
	return "stop"
}

func (c *completion) chunk(fields object) {
	id := "chatcmpl-1"
	if c.reply.has(ChunkIDs) {
		id = fmt.Sprintf("chatcmpl-%d", len(c.events)+1)
	}
	chunk := object{"id": id, "object": "chat.completion.chunk", "created": 1, "model": "fake-1"}
	for name, value := range fields {
		chunk[name] = value
	}
	c.events = append(c.events, "data: "+chunk.String()+"\n\n")
}

func (c *completion) delta(delta object, finish any) {
	fields := object{"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}}}
	if c.reply.has(UsageAlone) {
		fields["usage"] = nil
	}
	c.chunk(fields)
}

func (c *completion) usage() {
	u := c.reply.Usage
	usage := object{
		"prompt_tokens": u.Input + u.CacheRead + u.CacheWrite, "completion_tokens": u.Output, "total_tokens": u.Input + u.CacheRead + u.CacheWrite + u.Output,
		"prompt_tokens_details": object{"cached_tokens": u.CacheRead, "cache_write_tokens": u.CacheWrite},
	}
	if u.Cost != 0 {
		usage["cost"] = u.Cost
	}
	choices := []object{}
	if !c.reply.has(UsageAlone) {
		choices = append(choices, object{"index": 0, "delta": object{}, "finish_reason": nil})
	}
	c.chunk(object{"choices": choices, "usage": usage})
}

// call sends the nth call.
func (c *completion) call(n int) {
	r, call := c.reply, c.reply.Calls[n]
	index := n
	if r.has(IndexZero) {
		index = 0
	}
	send := func(first bool, arguments any) {
		function, piece := object{"arguments": arguments}, object{"index": index}
		if first || r.has(RepeatedNames) {
			function["name"], piece["type"] = call.Name, "function"
			if id := r.id(n); id != "" {
				piece["id"] = id
			}
		}
		piece["function"] = function
		c.delta(object{"tool_calls": []object{piece}}, nil)
	}
	whole := strings.Join(call.Input, "")
	switch {
	case r.has(ObjectArguments):
		send(true, json.RawMessage(whole))
	case r.has(IndexZero): // these servers send calls whole
		send(true, whole)
	default:
		send(true, "")
		for _, piece := range call.Input {
			send(false, piece)
		}
	}
}
