package lsp

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/memls/memls/rules/config"
)

// The schemas that editors and extensions read are what the code says; -update
// writes them.
func TestSchemas(t *testing.T) {
	settings, err := SettingsSchema()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{"settings.schema.json": settings, "memfs-config.schema.json": config.Schema()} {
		path := "schema/" + name
		want := strings.TrimRight(string(want), "\n") + "\n"
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s is not what the code says: run go generate ./lsp", path)
		}
	}
}

// Every setting has a default that the server reads, and a description.
func TestSettingsHaveDefaults(t *testing.T) {
	for _, def := range allSettings {
		value, ok := def.schema["default"]
		if !ok || def.schema["description"] == "" {
			t.Errorf("memls.%s has no default or description", def.name)
		}
		raw, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if err := def.read(&settings{}, raw); err != nil {
			t.Errorf("memls.%s: the default is refused: %v", def.name, err)
		}
	}
}
