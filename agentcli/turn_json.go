package agentcli

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/memls/memls/agentcli/model"
	"github.com/memls/memls/agentcli/turn"
)

// newUUID is a random UUID (RFC 9562, version 4), by which programs that read
// the output of agents tell its lines apart.
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// inputText is a text in the input of a call, "" where there is none.
func inputText(input, field string) string {
	var fields map[string]any
	_ = json.Unmarshal([]byte(input), &fields) // the call's result tells of it
	text, _ := fields[field].(string)
	return text
}

// A jsonResult is the JSON of a turn. The names are those of Letta Code, with
// what became of the memory beside them.
type jsonResult struct {
	Type       string `json:"type"`    // result
	Subtype    string `json:"subtype"` // success or error
	IsError    bool   `json:"is_error"`
	DurationMS int64  `json:"duration_ms"`
	APIMS      int64  `json:"duration_api_ms"`
	NumTurns   int    `json:"num_turns"` // how often the model was asked
	Result     string `json:"result"`    // the last text of the model
	StopReason string `json:"stop_reason"`
	Error      string `json:"error,omitempty"`

	AgentID        string    `json:"agent_id"`
	ConversationID string    `json:"conversation_id"`
	SessionID      string    `json:"session_id"`
	UUID           string    `json:"uuid"`
	Model          string    `json:"model"`
	Usage          jsonUsage `json:"usage"`

	Base      string     `json:"base"`
	Commit    *string    `json:"commit"` // null for none
	Changed   []jsonPath `json:"changed"`
	RefusedBy string     `json:"refused_by"` // rules, the name of a hook, conflict, or ""
	RescueRef *string    `json:"rescue_ref"` // null for none
}

type jsonUsage struct {
	Prompt     int     `json:"prompt_tokens"` // with those of the cache
	Completion int     `json:"completion_tokens"`
	Total      int     `json:"total_tokens"`
	Steps      int     `json:"step_count"`
	Cached     int     `json:"cached_input_tokens"`
	CacheWrite int     `json:"cache_write_tokens"`
	Cost       float64 `json:"cost_usd,omitempty"` // where the provider tells it
}

// stopReasons are what programs that run agents know.
var stopReasons = map[turn.Outcome]string{
	turn.Done:        "end_turn",
	turn.Refused:     "refused",
	turn.Declined:    "refusal",
	turn.Limited:     "max_steps",
	turn.Interrupted: "cancelled",
	turn.Failed:      "error",
}

func (t *agentTurn) json(r *turn.Result) jsonResult {
	u := r.Usage
	prompt := u.Input + u.CacheRead + u.CacheWrite
	out := jsonResult{
		Type: "result", Subtype: "success", DurationMS: time.Since(t.began).Milliseconds(), APIMS: t.apiTime.Milliseconds(),
		NumTurns: r.Steps, Result: r.Text, StopReason: stopReasons[r.Outcome],
		AgentID: t.agent, ConversationID: t.talk.id, SessionID: t.talk.id, UUID: newUUID(), Model: cmp.Or(r.Model, t.author(), t.modelName()),
		Usage: jsonUsage{prompt, u.Output, prompt + u.Output, r.Steps, u.CacheRead, u.CacheWrite, u.Cost},
		Base:  t.base, Changed: []jsonPath{},
	}
	if r.Err != nil {
		out.Subtype, out.IsError, out.Error = "error", true, r.Err.Error()
	}
	if r.Refusal != nil {
		out.RefusedBy = r.Refusal.By
	}
	if t.made != nil && t.made.commit != "" {
		out.Commit = &t.made.commit
		for i := range t.made.changes {
			out.Changed = append(out.Changed, jsonPath{t.made.changes[i].Path, t.made.changes[i].action()})
		}
	}
	if ref := t.rescueRef(); ref != "" {
		out.RescueRef = &ref
	}
	return out
}

// A jsonTurn prints the result alone.
type jsonTurn struct{ *agentTurn }

func (p *jsonTurn) observe(turn.Event)       {}
func (p *jsonTurn) end(r *turn.Result) error { return p.printJSON(p.json(r)) }

// A streamTurn prints a line of JSON for each thing that happens.
type streamTurn struct {
	*agentTurn
	err error // the first of writing
}

// line prints one object, with the fields that all have.
func (p *streamTurn) line(fields map[string]any) {
	fields["session_id"], fields["uuid"] = p.talk.id, newUUID()
	p.write(fields)
}

func (p *streamTurn) write(v any) {
	err := encodeJSON(p.out, v, "")
	if err == nil {
		err = p.out.Flush()
	}
	if p.err == nil {
		p.err = err
	}
}

func newStreamTurn(t *agentTurn) *streamTurn {
	p := &streamTurn{agentTurn: t}
	tools := []string{}
	for _, tool := range t.work.Tools() {
		tools = append(tools, tool.Name)
	}
	cwd, _ := os.Getwd() // "" where it is gone
	p.line(map[string]any{
		"type": "system", "subtype": "init", "agent_id": t.agent, "conversation_id": t.talk.id, "model": t.modelName(),
		"tools": tools, "cwd": cwd, "memfs_enabled": true, "memory_dir": t.repo.root(), "base": t.base,
	})
	return p
}

func (p *streamTurn) observe(e turn.Event) {
	switch {
	case e.Answer != nil:
		p.answer(e.Answer.Message)
	case e.Result != nil:
		status := "success"
		if e.Result.IsError {
			status = "error"
		}
		p.message("tool_return_message", map[string]any{"status": status, "tool_call_id": e.Result.ID, "tool_return": e.Result.Text})
	case e.Refusal != nil:
		p.line(map[string]any{"type": "recovery", "recovery_type": "memory_refused", "refused_by": e.Refusal.By, "message": e.Refusal.Show})
	case e.Delta != nil && e.Delta.Retry != nil:
		r := e.Delta.Retry
		p.line(map[string]any{"type": "retry", "reason": r.Err.Error(), "attempt": r.Attempt, "delay_ms": r.After.Milliseconds()})
	}
}

func (p *streamTurn) answer(m model.Message) {
	for _, part := range m.Parts {
		switch {
		case part.Text != "":
			p.message("assistant_message", map[string]any{"content": part.Text})
		case part.Call != nil:
			call := map[string]string{"name": part.Call.Name, "tool_call_id": part.Call.ID, "arguments": part.Call.Input}
			p.message("tool_call_message", map[string]any{"tool_call": call})
		}
	}
}

func (p *streamTurn) message(kind string, fields map[string]any) {
	fields["type"], fields["message_type"] = "message", kind
	p.line(fields)
}

func (p *streamTurn) end(r *turn.Result) error {
	out := p.json(r)
	if out.IsError {
		p.line(map[string]any{"type": "error", "message": out.Error, "stop_reason": out.StopReason})
	}
	p.write(out)
	return p.err
}
