package providers

import "testing"

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
