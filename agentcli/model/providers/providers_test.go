package providers_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/memls/memls/agentcli/model/modeltest"
	"github.com/memls/memls/agentcli/model/providers"
)

// listing is a server that has models.
func listing(t *testing.T, names ...string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`{"object":"list","data":[`))
		for i, name := range names {
			if i > 0 {
				w.Write([]byte(","))
			}
			w.Write([]byte(`{"object":"model","id":"` + name + `"}`))
		}
		w.Write([]byte(`]}`))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestOpen(t *testing.T) {
	models, empty := listing(t, "qwen3:8b", "llama3.2"), listing(t)
	for _, c := range []struct {
		name, model string
		env         map[string]string
		want        string // the name, or what the error holds
	}{
		{name: "named", model: "anthropic/claude-x", env: map[string]string{"ANTHROPIC_API_KEY": "k"}, want: "anthropic/claude-x"},
		{name: "by a token", model: "anthropic/claude-x", env: map[string]string{"ANTHROPIC_AUTH_TOKEN": "k"}, want: "anthropic/claude-x"},
		{name: "slashes", model: "openrouter/meta/llama:free", env: map[string]string{"OPENROUTER_API_KEY": "k"}, want: "openrouter/meta/llama:free"},
		{name: "no key", model: "anthropic/claude-x", want: "anthropic wants a key: set ANTHROPIC_API_KEY"},
		{name: "blank key", model: "openai/gpt-x", env: map[string]string{"OPENAI_API_KEY": " "}, want: "openai wants a key: set OPENAI_API_KEY"},
		{name: "no key elsewhere", model: "openai/gpt-x", env: map[string]string{"OPENAI_BASE_URL": modeltest.Nowhere}, want: "openai/gpt-x"},
		{name: "no address", model: "openai/gpt-x", env: map[string]string{"OPENAI_BASE_URL": "localhost"}, want: "OPENAI_BASE_URL is no address of a model server"},
		{name: "provider alone", model: "openai", env: map[string]string{"OPENAI_API_KEY": "k"}, want: "openai/gpt-6.1-terra"},
		{name: "model by variable", model: "openai", env: map[string]string{"OPENAI_API_KEY": "k", "OPENAI_MODEL": "gpt-x"}, want: "openai/gpt-x"},
		{name: "server asked", model: "openai", env: map[string]string{"OPENAI_BASE_URL": models + "/v1"}, want: "openai/qwen3:8b"},
		{name: "unknown", model: "claude-x", want: `no provider is called "claude-x": a model is named provider/name, with anthropic, openai, openrouter, ollama,`},
		{name: "scenario", model: "script/../script/testdata/learn.yaml", want: "script/../script/testdata/learn.yaml"},
		{name: "no scenario", model: "script/none.yaml", want: "cannot read the scenario"},

		{name: "default by variable", env: map[string]string{"MEMLS_MODEL": "openai/gpt-x", "OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}, want: "openai/gpt-x"},
		{name: "default by key", env: map[string]string{"ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k"}, want: "anthropic/claude-sonnet-5-5"},
		{name: "default by second key", env: map[string]string{"OPENROUTER_API_KEY": "k"}, want: "openrouter/openrouter/auto"},
		{name: "default by address", env: map[string]string{"ANTHROPIC_BASE_URL": modeltest.Nowhere, "ANTHROPIC_MODEL": "claude-x"}, want: "anthropic/claude-x"},
		{name: "default by Ollama", env: map[string]string{"OLLAMA_HOST": models}, want: "ollama/qwen3:8b"},
		{name: "Ollama without models", env: map[string]string{"OLLAMA_HOST": empty}, want: "ollama has no model yet"},
		{name: "default by Ollama's address", env: map[string]string{"OLLAMA_HOST": modeltest.Nowhere}, want: "ollama: cannot be reached: dial tcp"},
		{name: "Ollama named, not there", model: "ollama", env: map[string]string{"OLLAMA_HOST": modeltest.Nowhere}, want: "ollama: cannot be reached: dial tcp"},
		{name: "Ollama's address", model: "ollama/x", env: map[string]string{"OLLAMA_HOST": "0.0.0.0"}, want: "ollama/x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := providers.Open(context.Background(), c.model, func(name string) string { return c.env[name] })
			switch {
			case err != nil && !strings.Contains(err.Error(), c.want):
				t.Errorf("got %v, want %s", err, c.want)
			case err == nil && p.Name() != c.want:
				t.Errorf("got %s, want %s", p.Name(), c.want)
			}
		})
	}
}
