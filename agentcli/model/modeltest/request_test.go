package modeltest_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memls/memls/agentcli/model"
	"github.com/memls/memls/agentcli/model/modeltest"
)

var update = flag.Bool("update", false, "write the requests that are sent to testdata")

// conversation has everything that a request can hold.
func conversation() model.Request {
	return model.Request{
		System:    "You are <agent> & keep a memory.",
		MaxTokens: 1000,
		Tools: []model.Tool{
			{Name: "memory", Description: "Keep a memory.", Schema: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}`), Native: "memory_20250818"},
			{Name: "finish", Description: "End the turn.", Schema: json.RawMessage(`{"type":"object","properties":{"message":{"type":"string"}},"additionalProperties":false}`)},
		},
		Messages: []model.Message{
			{Role: model.User, Parts: []model.Part{{Text: "Look at </file> & \"me\", ü"}}},
			{Role: model.Assistant, Parts: []model.Part{
				{Opaque: json.RawMessage(`{"type":"thinking","thinking":"hm","signature":"c2ln"}`)},
				{Opaque: json.RawMessage(`{"type":"of another provider"}`)},
				{Text: "I will."},
				{Text: ""},
				{Call: &model.Call{ID: "a1", Name: "memory", Input: `{"command":"view","path":"/memories"}`}},
				{Call: &model.Call{ID: "a2", Name: "memory", Input: `{"command": "vi`}},
			}},
			{Role: model.User, Parts: []model.Part{
				{Text: "Go on."},
				{Result: &model.Result{ID: "a1", Text: "4.0K\t/memories"}},
				{Result: &model.Result{ID: "a2", Text: "the input is no JSON", IsError: true}},
				{Text: "Please."},
			}},
		},
	}
}

// TestRequests compares the requests with testdata, their keys included.
func TestRequests(t *testing.T) {
	for _, c := range []struct {
		format     modeltest.Format
		file       string
		key, value string // header
	}{
		{modeltest.Anthropic, "anthropic.json", "X-Api-Key", canary},
		{modeltest.OpenAI, "openai.json", "Authorization", "Bearer " + canary},
	} {
		t.Run(c.file, func(t *testing.T) {
			server := modeltest.New(t, c.format, modeltest.Reply{Text: text})
			if _, err := provider(t, c.format, server.URL, limits()).Stream(context.Background(), conversation(), nil); err != nil {
				t.Fatal(err)
			}
			got := server.Requests()[0]
			if got.Header.Get(c.key) != c.value {
				t.Errorf("%s is %q", c.key, got.Header.Get(c.key))
			}
			if version := got.Header.Get("Anthropic-Version"); c.format == modeltest.Anthropic && version != "2023-06-01" {
				t.Errorf("the version is %q", version)
			}
			path := filepath.Join("testdata", c.file)
			if *update {
				if err := os.WriteFile(path, []byte(got.Body), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.Body); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestUnknownParameters are left out once a server refuses them by name, and
// not when it refuses their value.
func TestUnknownParameters(t *testing.T) {
	const format = modeltest.OpenAI
	refuse := func(message string) modeltest.Reply {
		return modeltest.Reply{Status: 400, Body: fmt.Sprintf(`{"error":{"message":%q}}`, message)}
	}
	well := modeltest.Reply{Text: text}
	server := modeltest.New(t, format,
		refuse("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."),
		refuse("Extra inputs are not permitted: stream_options"), well,
		refuse("max_completion_tokens is too large: this model supports at most 10"))
	p := provider(t, format, server.URL, limits())
	if _, err := p.Stream(context.Background(), conversation(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Stream(context.Background(), conversation(), nil); err == nil {
		t.Error("a value that is refused goes unnoticed")
	}
	var got []string
	for _, r := range server.Requests() {
		var names []string
		for _, name := range []string{"max_tokens", "max_completion_tokens", "stream_options"} {
			if strings.Contains(r.Body, `"`+name+`"`) {
				names = append(names, name)
			}
		}
		got = append(got, strings.Join(names, " "))
	}
	if diff := cmp.Diff([]string{"max_tokens stream_options", "max_completion_tokens stream_options", "max_completion_tokens", "max_completion_tokens"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestKeyStaysSecret looks for the key in everything that can be printed of
// every kind of failure.
func TestKeyStaysSecret(t *testing.T) {
	echo := "your key is " + canary
	quoted := fmt.Sprintf(`{"error":{"type":%q,"message":%q,"code":%q}}`, canary, echo, canary)
	replies := []modeltest.Reply{
		{Status: 400, Body: quoted},
		{Status: 401, Body: echo},
		{Status: 404, Body: quoted},
		{Status: 307, Body: echo, Header: map[string][]string{"Location": {"http://" + canary + "@other.example/" + canary}}},
		{Status: 429, Body: quoted, Header: map[string][]string{"Retry-After": {"3600"}}},
		{Status: 529, Body: quoted, Header: map[string][]string{"X-Should-Retry": {"false"}}},
		{Status: 200, Body: echo, Header: map[string][]string{"Content-Type": {"text/html"}}},
		{Status: 200, Body: "event: message_start\ndata: {" + canary + "\n\n", Header: map[string][]string{"Content-Type": {"text/event-stream"}}},
		{Status: 200, Body: "event: error\ndata: " + quoted + "\n\n", Header: map[string][]string{"Content-Type": {"text/event-stream"}}},
		{Text: text, End: modeltest.Cut, After: 4},
		{Text: text, End: modeltest.Closed, After: 4},
	}
	for _, format := range formats {
		for i, reply := range replies {
			server := modeltest.New(t, format, reply)
			_, err := provider(t, format, server.URL, limits()).Stream(context.Background(), hello(), nil)
			if err == nil {
				t.Fatalf("reply %d to %s is no failure", i, format)
			}
			noKey(t, err)
		}
		_, err := provider(t, format, modeltest.Nowhere, limits()).Stream(context.Background(), hello(), func(e model.Event) { noKey(t, e.Retry.Err) })
		noKey(t, err)
	}
}

func noKey(t *testing.T, err error) {
	t.Helper()
	for e := err; e != nil; {
		for _, verb := range []string{"%v", "%+v", "%#v"} {
			if text := fmt.Sprintf(verb, e); strings.Contains(text, canary) {
				t.Errorf("%s shows the key: %s", verb, text)
			}
		}
		unwrapped, ok := e.(interface{ Unwrap() error })
		if !ok {
			break
		}
		e = unwrapped.Unwrap()
	}
}
