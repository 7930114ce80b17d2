package agentcli

import (
	"net/http"
	"strings"
	"testing"

	"github.com/memls/memls/agentcli/model"
	"github.com/memls/memls/agentcli/model/modeltest"
	"github.com/memls/memls/agentcli/turn"
)

// A turn over real HTTP, in both wire formats: what the loop says is what
// servers take, and the key is in the requests' headers and nowhere else, even
// where the server and the model repeat it.
func TestTurnOverHTTP(t *testing.T) {
	const key = "canary-of-a-key"
	for name, c := range map[string]struct {
		format modeltest.Format
		model  string
		env    map[string]string
	}{
		"anthropic": {modeltest.Anthropic, "anthropic/claude-test", map[string]string{"ANTHROPIC_API_KEY": key, "ANTHROPIC_BASE_URL": ""}},
		"openai":    {modeltest.OpenAI, "openai/gpt-test", map[string]string{"OPENAI_API_KEY": key, "OPENAI_BASE_URL": "/v1"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := modeltest.New(t, c.format,
				modeltest.Reply{Status: http.StatusTooManyRequests, Body: "slow down, " + key, Header: http.Header{"Retry-After": {"0"}}},
				modeltest.Reply{
					Text:  []string{"Noting ", key, "."},
					Calls: []modeltest.Call{{ID: "a", Name: "memory", Input: []string{`{"command": "create", "path": "x/y.md", "description": "y", `, `"file_text": "yes\n", "reason": "for ` + key + `"}`}}},
					Usage: model.Usage{Input: 10, Output: 3},
				},
				modeltest.Reply{Text: []string{"Done."}},
				modeltest.Reply{Calls: []modeltest.Call{
					{ID: "b", Name: "memory", Input: []string{`{"command": "create", "path": "x/MEMORY.md", "file_text": "- [Y](y.md)\n"}`}},
					{ID: "c", Name: "finish", Input: []string{`{"message": "Note y"}`}},
				}},
				modeltest.Reply{Status: http.StatusUnauthorized, Body: "no such key: " + key},
			)
			for name, value := range c.env {
				if value != key {
					value = server.URL + value
				}
				t.Setenv(name, value)
			}
			dir := cleanRepo(t)
			set := func(o *turnOptions) { o.model, o.session = c.model, t.TempDir()+"/talk.jsonl" }
			r, _, stderr := runTurn(t, dir, nil, set)
			if r.Outcome != turn.Done || git(t, dir, "log", "-1", "--format=%s") != "Note y" {
				t.Fatalf("%s, %v\n%s", r.Outcome, r.Err, stderr)
			}
			if r.Usage.Input != 10 || r.Usage.Output < 3 {
				t.Errorf("usage: %+v", r.Usage)
			}
			r, stdout, more := runTurn(t, dir, nil, set)
			if r.Outcome != turn.Failed {
				t.Errorf("%s without a key that is right", r.Outcome)
			}
			journal := read(t, dir+"/.git/memls")[turn.JournalFile]
			for what, text := range map[string]string{"stdout": stdout, "stderr": stderr + more, "the journal": journal, "the log": git(t, dir, "log", "--all", "--format=%B")} {
				if strings.Contains(text, key) {
					t.Errorf("the key is in %s: %s", what, text)
				}
			}
			for _, request := range server.Requests()[1:4] {
				if strings.Contains(request.Path, key) {
					t.Errorf("the key is in the path %s", request.Path)
				}
			}
		})
	}
}
