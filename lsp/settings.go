package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/tree"
)

// settings are what a person sets in the editor under memls. They change what
// the editor shows and nothing of what the commit hook refuses. They are
// replaced, never modified; [SettingsSchema] describes them.
type settings struct {
	policy   config.Policy
	disabled map[string]bool
	severity map[string]rules.Severity
	trace    string
	memhook  string
	noLenses bool
	noHints  bool
}

// policyFor is the layout policy: the setting, else what the repository says.
func (s *settings) policyFor(state *repoState, t *tree.Tree) config.Policy {
	if s.policy != "" {
		return s.policy
	}
	return rules.PolicyFor(state.policy, state.policyFound, t)
}

// wants reports whether findings of a rule are shown.
func (s *settings) wants(rule string) bool { return !s.disabled[rule] }

// adjust gives what is shown the severity that a person chose for its rule.
func (s *settings) adjust(f *shown) {
	if sev, ok := s.severity[f.rule.ID]; ok {
		f.severity = sev
	}
}

//go:generate go test -run ^TestSchemas$ . -update

// A setting is one key under memls.
type setting struct {
	name   string
	schema map[string]any
	// read puts a value into the settings, or says what is wrong with it.
	read func(s *settings, raw json.RawMessage) error
}

var severityNames = map[string]rules.Severity{
	"error": rules.Error, "warning": rules.Warning, "information": rules.Info, "hint": rules.Hint,
}

// severityOff hides a rule's findings, as disabledRules does.
const severityOff = "off"

var allSettings = []setting{
	{"codeLens", boolean("Show code lenses: the budget of the core memory, and what an index lists.", true), func(s *settings, raw json.RawMessage) error {
		on := true
		err := json.Unmarshal(raw, &on)
		s.noLenses = !on
		return err
	}},
	{"disabledRules", map[string]any{
		"description": "Rules whose findings are not shown. The commit hook refuses what it refuses all the same.",
		"type":        "array", "items": map[string]any{"enum": ruleIDs()}, "uniqueItems": true, "default": []string{},
	}, readDisabled},
	{"inlayHints", boolean("Show the size of a file beside the link to it in an index.", true), func(s *settings, raw json.RawMessage) error {
		on := true
		err := json.Unmarshal(raw, &on)
		s.noHints = !on
		return err
	}},
	{"memhook", map[string]any{
		"description": "Path of the memhook program that \"Install the commit hook\" puts into a repository. Empty: the one beside memls.",
		"type":        "string", "default": "",
	}, func(s *settings, raw json.RawMessage) error { return json.Unmarshal(raw, &s.memhook) }},
	{"policy", map[string]any{
		"description": "Layout policy to judge by in this editor. Empty: what the repository says.",
		"enum":        []any{"", string(config.RootMarker), string(config.LegacyOnly), string(config.SharedMemory)}, "default": "",
	}, readPolicy},
	{"severity", map[string]any{
		"description": "Severity by which findings of a rule are shown, by the rule's id.",
		"type":        "object", "propertyNames": map[string]any{"enum": ruleIDs()},
		"additionalProperties": map[string]any{"enum": []string{"error", "warning", "information", "hint", severityOff}}, "default": map[string]any{},
	}, readSeverity},
	{"trace", map[string]any{
		"description": "How much of its log the server sends to the editor, for a bug report.",
		"enum":        []string{"off", "messages", "verbose"}, "default": "off",
	}, readTrace},
}

func boolean(description string, byDefault bool) map[string]any {
	return map[string]any{"description": description, "type": "boolean", "default": byDefault}
}

func ruleIDs() []string {
	var ids []string
	for _, r := range rules.All() {
		ids = append(ids, r.ID)
	}
	slices.Sort(ids)
	return ids
}

func readDisabled(s *settings, raw json.RawMessage) error {
	var ids []string
	if err := json.Unmarshal(raw, &ids); err != nil {
		return err
	}
	for _, id := range ids {
		if rules.Lookup(id) == nil {
			return fmt.Errorf("there is no rule %q: agentcli rules lists them", id)
		}
		s.disable(id)
	}
	return nil
}

func (s *settings) disable(rule string) {
	if s.disabled == nil {
		s.disabled = map[string]bool{}
	}
	s.disabled[rule] = true
}

func readPolicy(s *settings, raw json.RawMessage) error {
	var word string
	if err := json.Unmarshal(raw, &word); err != nil || word == "" {
		return err
	}
	policy, ok := config.ParsePolicy(word)
	if !ok {
		return fmt.Errorf("there is no policy %q: want %s, %s or %s", word, config.RootMarker, config.LegacyOnly, config.SharedMemory)
	}
	s.policy = policy
	return nil
}

func readSeverity(s *settings, raw json.RawMessage) error {
	var byRule map[string]string
	if err := json.Unmarshal(raw, &byRule); err != nil {
		return err
	}
	for id, name := range byRule {
		sev, ok := severityNames[name]
		switch {
		case rules.Lookup(id) == nil:
			return fmt.Errorf("there is no rule %q: agentcli rules lists them", id)
		case name == severityOff:
			s.disable(id)
		case !ok:
			return fmt.Errorf("there is no severity %q: want error, warning, information, hint or off", name)
		default:
			if s.severity == nil {
				s.severity = map[string]rules.Severity{}
			}
			s.severity[id] = sev
		}
	}
	return nil
}

func readTrace(s *settings, raw json.RawMessage) error {
	if err := json.Unmarshal(raw, &s.trace); err != nil {
		return err
	}
	if _, ok := traceLevels[s.trace]; !ok {
		return fmt.Errorf("there is no trace %q: want off, messages or verbose", s.trace)
	}
	return nil
}

// parseSettings reads settings as clients write them: the values themselves,
// or under the key memls. What is wrong with one does not touch the others.
func parseSettings(raw json.RawMessage) (s *settings, found bool, problems []error) {
	s = &settings{}
	var values map[string]json.RawMessage
	if json.Unmarshal(raw, &values) != nil || values == nil {
		return s, false, nil
	}
	if inner, ok := values["memls"]; ok {
		if values = nil; json.Unmarshal(inner, &values) != nil || values == nil {
			return s, false, nil
		}
	}
	for _, def := range allSettings {
		value, ok := values[def.name]
		if !ok || string(value) == "null" {
			continue
		}
		if err := def.read(s, value); err != nil {
			problems = append(problems, fmt.Errorf("setting memls.%s is not used: %w", def.name, err))
		}
	}
	return s, true, problems
}

// configure takes settings over; what holds none changes nothing.
func (s *Server) configure(raw json.RawMessage) {
	next, found, problems := parseSettings(raw)
	for _, err := range problems {
		s.log.Warn(err.Error())
		s.showMessage(protocol.MessageTypeWarning, "memls: "+err.Error())
	}
	if !found {
		return
	}
	s.settings.Store(next)
	s.trace.set(next.trace)
}

// SettingsSchema is the JSON Schema (draft 7) of the settings.
func SettingsSchema() ([]byte, error) {
	properties := map[string]any{}
	for _, def := range allSettings {
		properties["memls."+def.name] = def.schema
	}
	return json.MarshalIndent(map[string]any{
		"$schema": "http://json-schema.org/draft-07/schema#", "title": "Settings of memls", "type": "object", "properties": properties,
	}, "", "  ")
}

// didChangeConfiguration takes settings that the client sends, or asks for
// them: many send nothing here.
func (s *Server) didChangeConfiguration(ctx context.Context, p *configurationParams) error {
	if s.client.Capabilities.Workspace.Configuration {
		go s.fetchSettings(context.WithoutCancel(ctx))
		return nil
	}
	s.configure(p.Settings)
	s.settingsChanged(ctx)
	return nil
}

type configurationParams struct {
	Settings json.RawMessage `json:"settings"`
}

// settingsChanged shows what follows from new settings.
func (s *Server) settingsChanged(ctx context.Context) {
	s.engine.changed(changes{})
	s.refreshDecorations(context.WithoutCancel(ctx))
}

// startSettings asks for the settings after the handshake, and to be told of
// changes.
func (s *Server) startSettings(ctx context.Context) {
	if s.client.Capabilities.Workspace.DidChangeConfiguration.DynamicRegistration {
		err := s.conn.Call(ctx, protocol.MethodClientRegisterCapability, protocol.RegistrationParams{Registrations: []protocol.Registration{{
			ID: "memls/configuration", Method: protocol.MethodWorkspaceDidChangeConfiguration,
			RegisterOptions: map[string]string{"section": "memls"},
		}}}, nil)
		if err != nil {
			s.log.Warn("the client does not tell of changed settings", "error", err)
		}
	}
	if s.client.Capabilities.Workspace.Configuration {
		s.fetchSettings(ctx)
	}
}

// fetchSettings asks the client for the settings of the window.
func (s *Server) fetchSettings(ctx context.Context) {
	var answer []json.RawMessage
	err := s.conn.Call(ctx, protocol.MethodWorkspaceConfiguration, protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: "memls"}}}, &answer)
	if err != nil {
		s.log.Warn("the client does not tell its settings", "error", err)
		return
	}
	if len(answer) > 0 {
		s.configure(answer[0])
		s.settingsChanged(ctx)
	}
}

// refreshDecorations asks the client for lenses and hints again.
func (s *Server) refreshDecorations(ctx context.Context) {
	if s.client.Capabilities.Workspace.CodeLens.RefreshSupport {
		s.refresh(ctx, &s.engine.lensRefresh, protocol.MethodCodeLensRefresh)
	}
	if s.client.Capabilities.Workspace.InlayHint.RefreshSupport {
		s.refresh(ctx, &s.engine.hintRefresh, wire.MethodWorkspaceInlayHintRefresh)
	}
}
