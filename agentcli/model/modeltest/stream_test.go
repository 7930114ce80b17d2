package modeltest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memls/memls/agentcli/model"
	"github.com/memls/memls/agentcli/model/anthropic"
	"github.com/memls/memls/agentcli/model/internal/transport"
	"github.com/memls/memls/agentcli/model/modeltest"
	"github.com/memls/memls/agentcli/model/openai"
)

// canary is a key that no error may hold.
const canary = "sk-canary-0123456789"

var formats = []modeltest.Format{modeltest.Anthropic, modeltest.OpenAI}

// limits are for tests: nothing is waited for that does not come.
func limits() transport.Limits {
	l := transport.Defaults()
	l.Backoff = time.Millisecond
	l.MaxBackoff = 2 * time.Millisecond
	l.Bytes = 1 << 20
	return l
}

// provider speaks a format to an address.
func provider(t *testing.T, format modeltest.Format, url string, limits transport.Limits) model.Provider {
	t.Helper()
	endpoint := transport.Endpoint{Name: "fake/fake-1", BaseURL: url, URLVariable: "FAKE_BASE_URL", KeyVariable: "FAKE_API_KEY"}
	if format == modeltest.Anthropic {
		p, err := anthropic.New(anthropic.Config{Endpoint: endpoint, Limits: limits, Model: "fake-1", Key: canary})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	endpoint.BaseURL += "/v1"
	p, err := openai.New(openai.Config{Endpoint: endpoint, Limits: limits, Model: "fake-1", Key: canary})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func hello() model.Request {
	return model.Request{System: "You are an agent.", Messages: []model.Message{{Role: model.User, Parts: []model.Part{{Text: "Hello"}}}}}
}

// told is the events in one text each, in order.
type told struct{ Text, Thinking, Calling, Retries []string }

func (l *told) tell(e model.Event) {
	for _, c := range []struct {
		list *[]string
		text string
	}{{&l.Text, e.Text}, {&l.Thinking, e.Thinking}, {&l.Calling, e.Calling}} {
		if c.text != "" {
			*c.list = append(*c.list, c.text)
		}
	}
	if e.Retry != nil {
		l.Retries = append(l.Retries, e.Retry.Err.Error())
	}
}

var (
	text  = []string{"Grüße, ", "Welt 👋🏽", "\n\"quoted\" \\ </file>"}
	spoke = model.Part{Text: strings.Join(text, "")}
	view  = modeltest.Call{ID: "a1", Name: "memory", Input: []string{`{"command":`, `"view","path":"/mem`, `ories/ü.md"}`}}
	edit  = modeltest.Call{ID: "b2", Name: "memory", Input: []string{`{"command":"create","file_text":"`, `x\n\u00e9"}`}}
)

func part(c modeltest.Call, id string) model.Part {
	return model.Part{Call: &model.Call{ID: id, Name: c.Name, Input: strings.Join(c.Input, "")}}
}

// TestAnswers is about streams that end well, whatever the server's habits.
func TestAnswers(t *testing.T) {
	var (
		usage = model.Usage{Input: 40, Output: 7, CacheRead: 1000, CacheWrite: 20}
		two   = []modeltest.Call{view, edit}
		both  = []model.Part{spoke, part(view, "a1"), part(edit, "b2")}
	)
	for _, c := range []struct {
		name  string
		only  modeltest.Format // "" for both
		reply modeltest.Reply
		want  model.Response
	}{
		{name: "text", reply: modeltest.Reply{Text: text, Usage: usage}, want: model.Response{Message: model.Message{Parts: []model.Part{spoke}}, Usage: usage}},
		{name: "one call", reply: modeltest.Reply{Calls: two[:1]}, want: model.Response{Message: model.Message{Parts: both[1:2]}}},
		{name: "parallel calls", reply: modeltest.Reply{Text: text, Calls: two}, want: model.Response{Message: model.Message{Parts: both}}},
		{name: "a byte at a time", reply: modeltest.Reply{Text: text, Calls: two, Piece: 1}, want: model.Response{Message: model.Message{Parts: both}}},
		{name: "pings", reply: modeltest.Reply{Text: text, Quirks: []modeltest.Quirk{modeltest.Pings}}, want: model.Response{Message: model.Message{Parts: both[:1]}}},
		{name: "no input", reply: modeltest.Reply{Calls: []modeltest.Call{{ID: "c", Name: "finish"}}},
			want: model.Response{Message: model.Message{Parts: []model.Part{{Call: &model.Call{ID: "c", Name: "finish", Input: "{}"}}}}}},
		{name: "broken input", reply: modeltest.Reply{Calls: []modeltest.Call{{ID: "c", Name: "finish", Input: []string{`{"a": `}}}},
			want: model.Response{Message: model.Message{Parts: []model.Part{{Call: &model.Call{ID: "c", Name: "finish", Input: `{"a": `}}}}}},
		{name: "length", reply: modeltest.Reply{Text: text, Stop: model.StopLength}, want: model.Response{Message: model.Message{Parts: both[:1]}, Stop: model.StopLength}},
		{name: "refusal", reply: modeltest.Reply{Text: text, Stop: model.StopRefusal}, want: model.Response{Message: model.Message{Parts: both[:1]}, Stop: model.StopRefusal}},
		{name: "context", only: modeltest.Anthropic, reply: modeltest.Reply{Text: text, Stop: model.StopContext}, want: model.Response{Message: model.Message{Parts: both[:1]}, Stop: model.StopContext}},
		{name: "pause", only: modeltest.Anthropic, reply: modeltest.Reply{Text: text, Stop: model.StopPause}, want: model.Response{Message: model.Message{Parts: both[:1]}, Stop: model.StopPause}},
		{name: "huge", reply: modeltest.Reply{Text: []string{strings.Repeat("🙂", 100_000)}},
			want: model.Response{Message: model.Message{Parts: []model.Part{{Text: strings.Repeat("🙂", 100_000)}}}}},
		{name: "empty", reply: modeltest.Reply{}},

		{name: "no last event", reply: modeltest.Reply{Text: text, Calls: two, Quirks: []modeltest.Quirk{modeltest.NoLast}}, want: model.Response{Message: model.Message{Parts: both}}},
		{name: "no ids", reply: modeltest.Reply{Calls: two, Quirks: []modeltest.Quirk{modeltest.NoIDs}},
			want: model.Response{Message: model.Message{Parts: []model.Part{part(view, "call_1"), part(edit, "call_2")}}}},
		{name: "same ids", reply: modeltest.Reply{Calls: two, Quirks: []modeltest.Quirk{modeltest.SameIDs}},
			want: model.Response{Message: model.Message{Parts: []model.Part{part(view, "a1"), part(edit, "call_2")}}}},
		{name: "finish stop", only: modeltest.OpenAI, reply: modeltest.Reply{Calls: two, Quirks: []modeltest.Quirk{modeltest.FinishStop}}, want: model.Response{Message: model.Message{Parts: both[1:]}}},
		{name: "no finish reason", only: modeltest.OpenAI, reply: modeltest.Reply{Calls: two, Quirks: []modeltest.Quirk{modeltest.NoFinish}}, want: model.Response{Message: model.Message{Parts: both[1:]}}},
		{name: "index zero", only: modeltest.OpenAI, reply: modeltest.Reply{Calls: two, Quirks: []modeltest.Quirk{modeltest.IndexZero}}, want: model.Response{Message: model.Message{Parts: both[1:]}}},
		{name: "index zero, no ids", only: modeltest.OpenAI, reply: modeltest.Reply{Calls: two, Quirks: []modeltest.Quirk{modeltest.IndexZero, modeltest.NoIDs}},
			want: model.Response{Message: model.Message{Parts: []model.Part{part(view, "call_1"), part(edit, "call_2")}}}},
		{name: "chunk ids", only: modeltest.OpenAI, reply: modeltest.Reply{Text: text, Quirks: []modeltest.Quirk{modeltest.ChunkIDs}}, want: model.Response{Message: model.Message{Parts: both[:1]}}},
		{name: "object arguments", only: modeltest.OpenAI, reply: modeltest.Reply{Calls: two[:1], Quirks: []modeltest.Quirk{modeltest.ObjectArguments}}, want: model.Response{Message: model.Message{Parts: both[1:2]}}},
		{name: "repeated names", only: modeltest.OpenAI, reply: modeltest.Reply{Calls: two, Quirks: []modeltest.Quirk{modeltest.RepeatedNames}}, want: model.Response{Message: model.Message{Parts: both[1:]}}},
		{name: "usage alone", only: modeltest.OpenAI, reply: modeltest.Reply{Text: text, Usage: model.Usage{Input: 3, Output: 4, Cost: 0.25}, Quirks: []modeltest.Quirk{modeltest.UsageAlone}},
			want: model.Response{Message: model.Message{Parts: both[:1]}, Usage: model.Usage{Input: 3, Output: 4, Cost: 0.25}}},
	} {
		for _, format := range formats {
			if c.only != "" && c.only != format {
				continue
			}
			t.Run(c.name+string(format), func(t *testing.T) {
				server := modeltest.New(t, format, c.reply)
				var events told
				got, err := provider(t, format, server.URL, limits()).Stream(context.Background(), hello(), events.tell)
				if err != nil {
					t.Fatal(err)
				}
				want := c.want
				want.Model, want.Message.Role = "fake-1", model.Assistant
				if want.Stop == "" {
					want.Stop = model.StopEnd
				}
				if format == modeltest.Anthropic && want.Usage.Output == 0 {
					want.Usage.Output = 1 // its streams begin so
				}
				if diff := cmp.Diff(&want, got); diff != "" {
					t.Errorf("-want +got\n%s", diff)
				}
				var calling []string
				for _, call := range c.reply.Calls {
					calling = append(calling, call.Name)
				}
				if diff := cmp.Diff(told{Text: c.reply.Text, Calling: calling}, events); diff != "" {
					t.Errorf("events: -want +got\n%s", diff)
				}
			})
		}
	}
}

// TestReasoning is shown, and goes back to the one who signed it.
func TestReasoning(t *testing.T) {
	reply := modeltest.Reply{Thinking: []string{"hm, ", "so"}, Text: text[:1]}
	for format, want := range map[modeltest.Format][]model.Part{
		modeltest.Anthropic: {{Opaque: []byte(`{"signature":"c2ln","thinking":"hm, so","type":"thinking"}`)}, {Text: text[0]}},
		modeltest.OpenAI:    {{Text: text[0]}},
	} {
		server := modeltest.New(t, format, reply)
		var events told
		got, err := provider(t, format, server.URL, limits()).Stream(context.Background(), hello(), events.tell)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.Message.Parts); diff != "" {
			t.Errorf("%s: -want +got\n%s", format, diff)
		}
		if diff := cmp.Diff(reply.Thinking, events.Thinking); diff != "" {
			t.Errorf("%s: events: -want +got\n%s", format, diff)
		}
	}
}

// TestBrokenStreams: what is not complete is an error, and is asked for again
// only if nobody has seen any of it.
func TestBrokenStreams(t *testing.T) {
	well := modeltest.Reply{Text: text}
	const inText = 3 // events, after which both formats have sent text, and have more of it
	for _, c := range []struct {
		name  string
		reply modeltest.Reply
		want  string
		final bool // asking again would not help
	}{
		{name: "cut", reply: modeltest.Reply{Text: text, End: modeltest.Cut}, want: "the connection broke in the middle of the answer: unexpected EOF"},
		{name: "closed", reply: modeltest.Reply{Text: text, End: modeltest.Closed}, want: "the stream ended before the model finished"},
		{name: "failed", reply: modeltest.Reply{Text: text, End: modeltest.Failed}, want: "broke off the answer: Overloaded"},
		{name: "endless", reply: modeltest.Reply{Text: text, End: modeltest.Endless}, want: "sent an answer of more than 1 MiB; the rest was not read", final: true},
	} {
		for _, format := range formats {
			t.Run(c.name+string(format), func(t *testing.T) {
				reply := c.reply
				reply.After = inText
				server := modeltest.New(t, format, reply)
				_, err := provider(t, format, server.URL, limits()).Stream(context.Background(), hello(), nil)
				var failure *model.Error
				if !errors.As(err, &failure) || err.Error() != "fake/fake-1: "+c.want || failure.Temporary == c.final {
					t.Fatalf("got %v (%+v), want %s", err, failure, c.want)
				}

				if c.final {
					return
				}
				reply.After = 1
				server = modeltest.New(t, format, reply, well)
				var events told
				if _, err := provider(t, format, server.URL, limits()).Stream(context.Background(), hello(), events.tell); err != nil {
					t.Fatal(err)
				}
				if len(events.Retries) != 1 || !strings.HasSuffix(events.Retries[0], c.want) {
					t.Errorf("told of retries: %q", events.Retries)
				}
			})
		}
	}
}

// TestRetries is about answers that are no stream.
func TestRetries(t *testing.T) {
	well := modeltest.Reply{Text: text}
	failing := func(status int, body string, header ...string) modeltest.Reply {
		r := modeltest.Reply{Status: status, Body: body, Header: http.Header{}}
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		return r
	}
	const overloaded = `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`
	for _, c := range []struct {
		name    string
		replies []modeltest.Reply
		retries []string
		want    string // error; "" for an answer
	}{
		{name: "overloaded", replies: []modeltest.Reply{failing(529, overloaded), failing(500, ""), well},
			retries: []string{"Overloaded (529)", "Internal Server Error (500)"}},
		{name: "asked to wait", replies: []modeltest.Reply{failing(429, `{"error":{"message":"Slow down","code":"rate_limit_exceeded"}}`, "Retry-After", "0.01"), well},
			retries: []string{"Slow down (429)"}},
		{name: "asked to wait for long", replies: []modeltest.Reply{failing(429, `{"error":"Slow down"}`, "Retry-After", "3600")},
			want: "Slow down (429): try again in 1h0m0s"},
		{name: "told not to", replies: []modeltest.Reply{failing(500, `{"detail":"broken"}`, "X-Should-Retry", "false")}, want: "broken (500)"},
		{name: "never", replies: []modeltest.Reply{failing(503, "busy"), failing(408, "busy"), failing(409, "busy"), failing(502, "<html>busy</html>")},
			retries: []string{"busy (503)", "busy (408)", "busy (409)"}, want: "Bad Gateway (502)"},
		{name: "bad request", replies: []modeltest.Reply{failing(400, `{"error":{"message":"temperature must be\n\u001b[31m<= 1"}}`)},
			want: `temperature must be \x1b[31m<= 1 (400)`},
		{name: "key refused", replies: []modeltest.Reply{failing(401, `{"error":{"message":"Incorrect API key provided: `+canary+`"}}`)},
			want: "refuses the key: Incorrect API key provided: … (401): check FAKE_API_KEY"},
		{name: "no such model", replies: []modeltest.Reply{failing(404, `{"error":{"message":"model fake-1 not found"}}`)},
			want: "model fake-1 not found (404): check the model's name, and FAKE_BASE_URL"},
		{name: "redirect", replies: []modeltest.Reply{failing(307, "", "Location", "http://other.example/v1?key="+canary)},
			want: "redirects to http://other.example, where the key does not go: set FAKE_BASE_URL to the right address"},
		{name: "a page", replies: []modeltest.Reply{failing(200, "<html>", "Content-Type", "text/html; charset=utf-8")},
			want: "answered with text/html and not with a stream: check FAKE_BASE_URL"},
		{name: "an error in good order", replies: []modeltest.Reply{failing(200, `{"error":"no credit"}`, "Content-Type", "application/json")},
			want: "answered with application/json and not with a stream: no credit: check FAKE_BASE_URL"},
		{name: "no stream", replies: []modeltest.Reply{failing(200, "{}", "Content-Type", "application/json")},
			want: "answered with application/json and not with a stream: check FAKE_BASE_URL"},
		{name: "nonsense", replies: []modeltest.Reply{failing(200, "event: message_start\ndata: {{\n\n", "Content-Type", "text/event-stream")},
			want: "sent a stream that makes no sense: invalid character '{' looking for beginning of object key string"},
	} {
		for _, format := range formats {
			t.Run(c.name+string(format), func(t *testing.T) {
				server := modeltest.New(t, format, c.replies...)
				var events told
				_, err := provider(t, format, server.URL, limits()).Stream(context.Background(), hello(), events.tell)
				switch {
				case c.want == "" && err != nil:
					t.Error(err)
				case c.want != "" && (err == nil || err.Error() != "fake/fake-1: "+c.want):
					t.Errorf("got %v, want %s", err, c.want)
				}
				if got, want := len(events.Retries), len(c.retries); got != want {
					t.Fatalf("told of %d retries, want %d: %q", got, want, events.Retries)
				}
				for i, want := range c.retries {
					if events.Retries[i] != "fake/fake-1: "+want {
						t.Errorf("retry %d: %s, want %s", i+1, events.Retries[i], want)
					}
				}
				if got, want := len(server.Requests()), len(c.replies); got != want {
					t.Errorf("%d requests, want %d", got, want)
				}
			})
		}
	}
}

// TestNobodyThere is told of as such, not as a word of the net package alone.
func TestNobodyThere(t *testing.T) {
	for _, format := range formats {
		var events told
		_, err := provider(t, format, modeltest.Nowhere, limits()).Stream(context.Background(), hello(), events.tell)
		if err == nil || !strings.Contains(err.Error(), "fake/fake-1: cannot be reached: dial tcp ") ||
			!strings.Contains(err.Error(), "check that the server runs, and FAKE_BASE_URL") || len(events.Retries) != 3 {
			t.Errorf("%s: %v, %q", format, err, events.Retries)
		}
	}
}

// TestInterrupted ends at once with the caller's reason, before the answer,
// within it, and between two requests.
func TestInterrupted(t *testing.T) {
	for _, c := range []struct {
		name  string
		reply modeltest.Reply
		when  func(model.Event) bool
	}{
		{"in the answer", modeltest.Reply{Text: text, End: modeltest.Silent, After: 4}, func(e model.Event) bool { return e.Text != "" }},
		{"between requests", modeltest.Reply{Status: 429, Header: http.Header{"Retry-After": {"50"}}}, func(e model.Event) bool { return e.Retry != nil }},
	} {
		for _, format := range formats {
			t.Run(c.name+string(format), func(t *testing.T) {
				server := modeltest.New(t, format, c.reply)
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				_, err := provider(t, format, server.URL, limits()).Stream(ctx, hello(), func(e model.Event) {
					if c.when(e) {
						cancel()
					}
				})
				if !errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) {
					t.Error(err)
				}
			})
		}
	}
}
