// Package vscode has no Go in it but this test: what the parts of the
// extension say of each other must be true.
package vscode

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memls/memls/lsp"
)

type manifest struct {
	ActivationEvents []string
	Contributes      struct {
		Commands []struct {
			Command string
		}
		Menus map[string][]struct {
			Command string
		}
		Keybindings []struct {
			Args struct{ Commands []string }
		}
		Configuration struct {
			Properties map[string]map[string]any
		}
	}
}

func readJSON[T any](t *testing.T, name string) (value T) {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return value
}

// serverSettings are the settings that the build takes from the server.
func serverSettings(t *testing.T) map[string]any {
	t.Helper()
	raw, err := lsp.SettingsSchema()
	if err != nil {
		t.Fatal(err)
	}
	var schema struct{ Properties map[string]any }
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	return schema.Properties
}

// The build adds the server's settings; what is written here is the
// extension's own, or only adds to one of the server's.
func TestSettings(t *testing.T) {
	server := serverSettings(t)
	for name, property := range readJSON[manifest](t, "package.json").Contributes.Configuration.Properties {
		_, ofServer := server[name]
		_, typed := property["type"]
		switch {
		case !strings.HasPrefix(name, "memls."):
			t.Errorf("%s: settings are named memls.*", name)
		case ofServer && (typed || property["description"] != nil || property["default"] != nil):
			t.Errorf("%s: the server's schema says this, package.json must not", name)
		case !ofServer && (!typed || property["description"] == nil || property["scope"] == nil):
			t.Errorf("%s: the server has no such setting; one of the extension's own needs a type, a description and a scope", name)
		}
	}
}

// Other windows pay nothing: no start with each of them, and no search for
// files, which a pattern would be. Markdown starts a look at the directories above.
func TestActivation(t *testing.T) {
	for _, event := range readJSON[manifest](t, "package.json").ActivationEvents {
		name, isPath := strings.CutPrefix(event, "workspaceContains:")
		if isPath && strings.ContainsAny(name, "*?{[") || !isPath && event != "onLanguage:markdown" {
			t.Errorf("%s: windows without memory would pay for it", event)
		}
	}
}

// Every command is one of the sources' or the server's, every menu and key
// names one, and every request is one of the server's.
func TestCommands(t *testing.T) {
	contributes := readJSON[manifest](t, "package.json").Contributes
	known := map[string]bool{}
	text := sources(t)
	for _, c := range contributes.Commands {
		known[c.Command] = true
		if !strings.Contains(text, "'"+c.Command+"'") && !slices.Contains(lsp.CommandNames(), c.Command) {
			t.Errorf("%s: neither the sources nor the server have it", c.Command)
		}
	}
	for menu, entries := range contributes.Menus {
		for _, e := range entries {
			if !known[e.Command] {
				t.Errorf("%s: %s is no command", menu, e.Command)
			}
		}
	}
	for _, key := range contributes.Keybindings {
		for _, name := range key.Args.Commands {
			if strings.HasPrefix(name, "memls.") && !strings.Contains(text, "'"+name+"'") {
				t.Errorf("a key runs %s, which the sources do not have", name)
			}
		}
	}
	requests := regexp.MustCompile(`(?:request|change)(?:<[^(]*>)?\('([\w.]+)'`).FindAllStringSubmatch(text, -1)
	if len(requests) == 0 {
		t.Error("the sources have no requests: the pattern is wrong")
	}
	for _, match := range requests {
		if !slices.Contains(lsp.CommandNames(), match[1]) {
			t.Errorf("%s: the server has no such command", match[1])
		}
	}
}

// sources is all of src.
func sources(t *testing.T) string {
	t.Helper()
	names, err := filepath.Glob("src/*.ts")
	if err != nil || len(names) == 0 {
		t.Fatalf("no sources: %v", err)
	}
	var all strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

var placeholder = regexp.MustCompile(`%([\w.-]+)%`)

// Every string of package.json is there in each language, and nothing else.
func TestManifestStrings(t *testing.T) {
	text, err := os.ReadFile("package.json")
	if err != nil {
		t.Fatal(err)
	}
	var used, settings []string
	for _, match := range placeholder.FindAllStringSubmatch(string(text), -1) {
		used = append(used, match[1])
	}
	for name := range serverSettings(t) {
		settings = append(settings, "setting."+strings.TrimPrefix(name, "memls."))
	}
	for file, want := range map[string][]string{
		"package.nls.json":       used, // the build adds the settings' own English
		"package.nls.zh-cn.json": slices.Concat(used, settings),
	} {
		compareKeys(t, file, readJSON[map[string]string](t, file), want)
	}
}

// localized is a call of l10n.t with a string that is written out.
var (
	localized     = regexp.MustCompile(`l10n\.t\(\s*'((?:[^'\\]|\\.)*)'`)
	localizedCall = regexp.MustCompile(`l10n\.t\(`)
)

// Every string of the sources is translated, and nothing else.
func TestSourceStrings(t *testing.T) {
	text := sources(t)
	found := localized.FindAllStringSubmatch(text, -1)
	if calls := localizedCall.FindAllString(text, -1); len(calls) != len(found) {
		t.Errorf("%d of %d calls of l10n.t have their string in single quotes, as tools need it", len(found), len(calls))
	}
	var used []string
	for _, match := range found {
		used = append(used, strings.ReplaceAll(match[1], `\'`, `'`))
	}
	bundle := "l10n/bundle.l10n.zh-cn.json"
	translated := readJSON[map[string]string](t, bundle)
	compareKeys(t, bundle, translated, used)
	number := regexp.MustCompile(`\{\d\}`)
	for english, other := range translated {
		a, b := number.FindAllString(english, -1), number.FindAllString(other, -1)
		slices.Sort(a)
		slices.Sort(b)
		if !slices.Equal(a, b) {
			t.Errorf("%s: %q and its translation have other values in them: %v, %v", bundle, english, a, b)
		}
	}
}

func compareKeys(t *testing.T, file string, have map[string]string, want []string) {
	t.Helper()
	for _, key := range want {
		if have[key] == "" {
			t.Errorf("%s: %q is missing", file, key)
		}
	}
	for key := range have {
		if !slices.Contains(want, key) {
			t.Errorf("%s: %q is used nowhere", file, key)
		}
	}
}
