package modeltest

import (
	"fmt"

	"github.com/memls/memls/agentcli/model"
)

var anthropicStops = map[model.Stop]string{
	model.StopLength:  "max_tokens",
	model.StopContext: "model_context_window_exceeded",
	model.StopRefusal: "refusal",
	model.StopPause:   "pause_turn",
}

func event(data object) string { return fmt.Sprintf("event: %s\ndata: %s\n\n", data["type"], data) }

// anthropic is the reply's events.
func (r Reply) anthropic() (events []string) {
	add := func(data object) { events = append(events, event(data)) }
	add(object{"type": "message_start", "message": object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "fake-1", "content": []any{}, "stop_reason": nil,
		"usage": object{"input_tokens": r.Usage.Input, "output_tokens": 1,
			"cache_read_input_tokens": r.Usage.CacheRead, "cache_creation_input_tokens": r.Usage.CacheWrite},
	}})
	index := 0
	block := func(start object, deltas ...object) {
		add(object{"type": "content_block_start", "index": index, "content_block": start})
		for _, delta := range deltas {
			add(object{"type": "content_block_delta", "index": index, "delta": delta})
		}
		add(object{"type": "content_block_stop", "index": index})
		index++
	}
	if len(r.Thinking) > 0 {
		deltas := each(r.Thinking, "thinking_delta", "thinking")
		block(object{"type": "thinking", "thinking": "", "signature": ""}, append(deltas, object{"type": "signature_delta", "signature": "c2ln"})...)
	}
	if len(r.Text) > 0 {
		block(object{"type": "text", "text": ""}, each(r.Text, "text_delta", "text")...)
	}
	stop := "end_turn"
	for i, call := range r.Calls {
		stop = "tool_use"
		block(object{"type": "tool_use", "id": r.id(i), "name": call.Name, "input": object{}}, each(call.Input, "input_json_delta", "partial_json")...)
	}
	if s, ok := anthropicStops[r.Stop]; ok {
		stop = s
	}
	add(object{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": r.Usage.Output}})
	if !r.has(NoLast) {
		add(object{"type": "message_stop"})
	}
	return events
}

func each(texts []string, kind, key string) (deltas []object) {
	for _, text := range texts {
		deltas = append(deltas, object{"type": kind, key: text})
	}
	return deltas
}

// id is that of the nth call.
func (r Reply) id(n int) string {
	switch {
	case r.has(NoIDs):
		return ""
	case r.has(SameIDs):
		return r.Calls[0].ID
	}
	return r.Calls[n].ID
}

func ping(format Format) string {
	if format == Anthropic {
		return ": keepalive\n\n" + event(object{"type": "ping"})
	}
	return ": keepalive\n\n"
}

func failed(format Format) string {
	failure := object{"type": "overloaded_error", "message": "Overloaded"}
	if format == Anthropic {
		return event(object{"type": "error", "error": failure})
	}
	return "data: " + object{"error": failure}.String() + "\n\n"
}
