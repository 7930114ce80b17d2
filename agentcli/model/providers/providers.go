// Package providers finds the model that a user names, or that the environment
// speaks for.
package providers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/memls/memls/agentcli/model"
	"github.com/memls/memls/agentcli/model/anthropic"
	"github.com/memls/memls/agentcli/model/internal/transport"
	"github.com/memls/memls/agentcli/model/openai"
	"github.com/memls/memls/agentcli/model/script"
)

// A service is what stands before the slash of a model's name.
type service struct {
	name      string
	anthropic bool     // its interface, else chat completions
	keys      []string // environment variables, the first that is set counts
	needsKey  bool     // at its own address
	url       string   // environment variable of the address
	address   string   // its own
	model     string   // environment variable of the model to take where none is named
	fallback  string   // that model at its own address; "" asks the server
}

var services = []service{
	{
		name: "anthropic", anthropic: true, keys: []string{"ANTHROPIC_API_KEY", tokenVariable}, needsKey: true,
		url: "ANTHROPIC_BASE_URL", address: "https://api.anthropic.com", model: "ANTHROPIC_MODEL", fallback: anthropic.DefaultModel,
	},
	{
		name: "openai", keys: []string{"OPENAI_API_KEY"}, needsKey: true,
		url: "OPENAI_BASE_URL", address: "https://api.openai.com/v1", model: "OPENAI_MODEL", fallback: openai.DefaultModel,
	},
	{
		name: "openrouter", keys: []string{"OPENROUTER_API_KEY"}, needsKey: true,
		url: "OPENROUTER_BASE_URL", address: "https://openrouter.ai/api/v1", model: "OPENROUTER_MODEL", fallback: "openrouter/auto",
	},
	{
		name: ollama, keys: []string{"OLLAMA_API_KEY"},
		url: "OLLAMA_HOST", address: "http://127.0.0.1:11434/v1", model: "OLLAMA_MODEL",
	},
	{
		name: "llamacpp", keys: []string{"LLAMACPP_API_KEY"},
		url: "LLAMACPP_BASE_URL", address: "http://127.0.0.1:8080/v1", model: "LLAMACPP_MODEL",
	},
	{
		name: "vllm", keys: []string{"VLLM_API_KEY"},
		url: "VLLM_BASE_URL", address: "http://127.0.0.1:8000/v1", model: "VLLM_MODEL",
	},
	{
		name: "lmstudio", keys: []string{"LMSTUDIO_API_KEY"},
		url: "LMSTUDIO_BASE_URL", address: "http://127.0.0.1:1234/v1", model: "LMSTUDIO_MODEL",
	},
}

const (
	ollama = "ollama"
	// tokenVariable holds no key but a token, which goes into another header.
	tokenVariable = "ANTHROPIC_AUTH_TOKEN"
	// modelVariable names a model as the user does.
	modelVariable = "MEMLS_MODEL"
	// patience is for a server of this machine that may not be there.
	patience = time.Second
)

// Open finds a model by its name, "provider/name" or "provider" alone. Without
// a name it is the one of $MEMLS_MODEL, else one of the first service that the
// environment has a key or an address for, Ollama included, else Ollama's if it
// answers at its own address. The error says what to set.
func Open(ctx context.Context, name string, getenv func(string) string) (model.Provider, error) {
	if name == "" {
		name = getenv(modelVariable)
	}
	if name == "" {
		s, err := choose(ctx, services, patience, getenv)
		if err != nil {
			return nil, err
		}
		return s.open(ctx, "", getenv)
	}
	provider, name, _ := strings.Cut(name, "/")
	if provider == "script" {
		return script.Open(name)
	}
	var names []string
	for _, s := range services {
		if s.name == provider {
			return s.open(ctx, name, getenv)
		}
		names = append(names, s.name)
	}
	return nil, fmt.Errorf("no provider is called %q: a model is named provider/name, with %s or script", provider, strings.Join(names, ", "))
}

// choose takes what the environment speaks for, else Ollama if it answers within
// patience.
func choose(ctx context.Context, services []service, patience time.Duration, getenv func(string) string) (service, error) {
	for _, s := range services {
		spokenFor := getenv(s.url) != "" || s.needsKey && s.key(getenv).value != ""
		if s.isDefault() && (spokenFor || s.name == ollama && s.answers(ctx, patience, getenv)) {
			return s, nil
		}
	}
	return service{}, errors.New("no model to ask: set ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENROUTER_API_KEY, start Ollama, or name a model as provider/name")
}

// isDefault leaves out the servers that are for those who name them.
func (s service) isDefault() bool { return s.needsKey || s.name == ollama }

func (s service) answers(ctx context.Context, patience time.Duration, getenv func(string) string) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := s.models(ctx, getenv)
	return err == nil
}

// A variable of the environment.
type variable struct{ name, value string }

// key is the first of the service's keys that is set, else the first.
func (s service) key(getenv func(string) string) variable {
	for _, name := range s.keys {
		if value := strings.TrimSpace(getenv(name)); value != "" {
			return variable{name, value}
		}
	}
	return variable{name: s.keys[0]}
}

func (s service) endpoint(name string, getenv func(string) string) transport.Endpoint {
	address := s.address
	if set := getenv(s.url); set != "" {
		address = set
		if s.name == ollama {
			address = ollamaAddress(set)
		}
	}
	return transport.Endpoint{
		Name:        strings.TrimSuffix(s.name+"/"+name, "/"),
		BaseURL:     address,
		URLVariable: s.url,
		KeyVariable: s.key(getenv).name,
	}
}

func (s service) config(name string, getenv func(string) string) openai.Config {
	return openai.Config{Endpoint: s.endpoint(name, getenv), Limits: transport.Defaults(), Model: name, Key: s.key(getenv).value}
}

func (s service) open(ctx context.Context, name string, getenv func(string) string) (model.Provider, error) {
	key := s.key(getenv)
	ownAddress := s.endpoint(name, getenv).BaseURL == s.address
	if s.needsKey && ownAddress && key.value == "" {
		return nil, fmt.Errorf("%s wants a key: set %s", s.name, key.name)
	}
	if name == "" {
		name = getenv(s.model)
	}
	if name == "" && (ownAddress || s.anthropic) {
		name = s.fallback
	}
	if name == "" {
		first, err := s.first(ctx, getenv)
		if err != nil {
			return nil, err
		}
		name = first
	}
	if !s.anthropic {
		return openai.New(s.config(name, getenv))
	}
	c := anthropic.Config{Endpoint: s.endpoint(name, getenv), Limits: transport.Defaults(), Model: name}
	if key.name == tokenVariable {
		c.Token = key.value
	} else {
		c.Key = key.value
	}
	return anthropic.New(c)
}

// first is the model that the server names first.
func (s service) first(ctx context.Context, getenv func(string) string) (string, error) {
	names, err := s.models(ctx, getenv)
	if err != nil {
		return "", err
	}
	if len(names) == 0 {
		return "", fmt.Errorf("%s has no model yet: give it one, or name it as %s/name", s.name, s.name)
	}
	return names[0], nil
}

func (s service) models(ctx context.Context, getenv func(string) string) ([]string, error) {
	p, err := openai.New(s.config("", getenv))
	if err != nil {
		return nil, err
	}
	return p.Models(ctx)
}

// ollamaAddress reads OLLAMA_HOST as Ollama does: scheme and port may be left
// out, and a server that listens everywhere is here.
func ollamaAddress(host string) string {
	scheme, rest, ok := strings.Cut(strings.TrimRight(strings.TrimSpace(host), "/"), "://")
	if !ok {
		scheme, rest = "http", scheme
		if name, port, err := net.SplitHostPort(rest); err == nil {
			rest = net.JoinHostPort(cmp.Or(name, "127.0.0.1"), port)
		} else {
			rest = net.JoinHostPort(strings.Trim(rest, "[]"), "11434")
		}
	}
	return scheme + "://" + strings.Replace(rest, "0.0.0.0", "127.0.0.1", 1) + "/v1"
}
