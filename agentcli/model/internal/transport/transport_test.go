package transport

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memls/memls/agentcli/model"
)

func TestBackoff(t *testing.T) {
	l := Defaults()
	for n, most := range map[int]time.Duration{1: 500 * time.Millisecond, 2: time.Second, 5: 8 * time.Second, 40: 8 * time.Second} {
		for range 100 {
			if got := l.backoff(n); got > most || got < most*3/4 {
				t.Fatalf("%s after failure %d, want at most %s and not much less", got, n, most)
			}
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "2", 2 * time.Second},
		{"Retry-After", "0.5", 500 * time.Millisecond},
		{"Retry-After", "Fri, 02 Jan 2026 03:04:15 GMT", 10 * time.Second},
		{"Retry-After", "Fri, 02 Jan 2026 03:04:00 GMT", 0},
		{"Retry-After", "-1", 0},
		{"Retry-After", "1e300", 24 * time.Hour},
		{"Retry-After", "NaN", 0},
		{"Retry-After", "soon", 0},
		{"Retry-After-Ms", "20", 20 * time.Millisecond},
		{"X-Other", "20", 0},
	} {
		if got := retryAfter(http.Header{c.name: {c.value}}, now); got != c.want {
			t.Errorf("%s: %s is %s, want %s", c.name, c.value, got, c.want)
		}
	}
}

func TestDescribe(t *testing.T) {
	type described struct {
		Kind   string
		Status int
		Text   string
	}
	for _, c := range []struct {
		body string
		want described
	}{
		{`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, described{"overloaded_error", 0, "Overloaded"}},
		{`{"error":{"message":"too long","type":"invalid_request_error","code":"context_length_exceeded"}}`, described{"context_length_exceeded", 0, "too long"}},
		{`{"error":{"message":"gone","code":502}}`, described{"", 502, "gone"}},
		{`{"error":"no such model"}`, described{"", 0, "no such model"}},
		{`{"detail":"Not Found"}`, described{"", 0, "Not Found"}},
		{`{"message":"no","error":null}`, described{"", 0, "no"}},
		{`upstream timed out`, described{"", 0, "upstream timed out"}},
		{`<html>`, described{}},
		{`{"error":`, described{}},
		{``, described{}},
		{`[1]`, described{"", 0, "[1]"}},
	} {
		var got described
		got.Kind, got.Status, got.Text = describe([]byte(c.body))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.body, diff)
		}
	}
}

func TestReported(t *testing.T) {
	for body, want := range map[string]bool{
		`{"error":{"type":"overloaded_error"}}`: true,
		`{"error":{"code":502}}`:                true,
		`{"error":{"code":429}}`:                true,
		`{"error":{"code":400}}`:                false,
		`{"error":{"type":"invalid_request"}}`:  false,
	} {
		if got := Reported([]byte(body)); got.Temporary != want || got.Message == "" {
			t.Errorf("%s: %+v", body, got)
		}
	}
}

func TestObject(t *testing.T) {
	for input, want := range map[string]string{
		`{"a":1}`: `{"a":1}`,
		`{}`:      `{}`,
		``:        `{"invalid_json":""}`,
		`null`:    `{"invalid_json":"null"}`,
		`[1]`:     `{"invalid_json":"[1]"}`,
		`{"a": `:  `{"invalid_json":"{\"a\": "}`,
	} {
		if got := string(Object(input)); got != want {
			t.Errorf("%s: got %s, want %s", input, got, want)
		}
	}
}

// TestClean: a message is one line of bounded length, without the key.
func TestClean(t *testing.T) {
	const key = "sk-0123456789"
	c, err := New(Endpoint{Name: "fake/m", BaseURL: "https://ada:hunter2hunter2@models.example/v1", Secrets: []string{key, "none", ""}}, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"key " + key + " at hunter2hunter2\n is\twrong, none other": "key … at … is wrong, none other",
		"\x1b]0;x\a":               `\x1b]0;x\a`,
		strings.Repeat("ü", 10000): strings.Repeat("ü", errorRunes) + "…",
	} {
		if got := c.finish(&model.Error{Message: text}).Error(); got != "fake/m: "+want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestNoAddress(t *testing.T) {
	for _, address := range []string{"", "localhost:8080", "ftp://models.example", "http://", "http://a b", "://"} {
		_, err := New(Endpoint{BaseURL: address, URLVariable: "FAKE_BASE_URL"}, Defaults())
		if err == nil || !strings.HasPrefix(err.Error(), "FAKE_BASE_URL is no address of a model server: ") {
			t.Errorf("%q: %v", address, err)
		}
	}
}
