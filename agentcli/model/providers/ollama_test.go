package providers

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/memls/memls/agentcli/model/modeltest"
)

func TestOllamaAddress(t *testing.T) {
	for host, want := range map[string]string{
		"127.0.0.1":                 "http://127.0.0.1:11434/v1",
		"gpu":                       "http://gpu:11434/v1",
		"gpu:8080":                  "http://gpu:8080/v1",
		":8080":                     "http://127.0.0.1:8080/v1",
		"0.0.0.0":                   "http://127.0.0.1:11434/v1",
		"0.0.0.0:8080":              "http://127.0.0.1:8080/v1",
		"[::1]":                     "http://[::1]:11434/v1",
		"[::1]:8080":                "http://[::1]:8080/v1",
		" http://gpu:11434/ ":       "http://gpu:11434/v1",
		"https://ollama.example/up": "https://ollama.example/up/v1",
	} {
		if got := ollamaAddress(host); got != want {
			t.Errorf("%s: got %s, want %s", host, got, want)
		}
	}
}

// TestChoose is about an environment that speaks for nothing.
func TestChoose(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{"data":[]}`)) }))
	defer server.Close()
	none := func(string) string { return "" }
	for address, want := range map[string]string{server.URL: ollama, modeltest.Nowhere: ""} {
		list := []service{{name: "anthropic", needsKey: true, keys: []string{"KEY"}}, {name: ollama, keys: []string{"KEY"}, address: address}, {name: "vllm", address: server.URL}}
		got, err := choose(context.Background(), list, time.Hour, none)
		if got.name != want || (err == nil) != (want != "") {
			t.Errorf("with Ollama at %s: %q, %v", address, got.name, err)
		}
	}
}
