package agentcli

import (
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/memls/memls/rules"
)

// SARIF 2.1.0, the part that we say something in. The libraries for it bring a
// dozen modules each, for these structs.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Bases       map[string]any    `json:"originalUriBaseIds"`
		ColumnKind  string            `json:"columnKind"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		URI     string      `json:"informationUri"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string         `json:"id"`
		Short   sarifText      `json:"shortDescription"`
		Full    sarifText      `json:"fullDescription"`
		Help    sarifText      `json:"help"`
		HelpURI string         `json:"helpUri"`
		Default map[string]any `json:"defaultConfiguration"`
	}
	sarifText struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId"`
	}
	// Columns are 1-based code points; the end is exclusive, as ours.
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}
)

const (
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	sarifBase   = "MEMORY"
	homepage    = "https://github.com/memls/memls"
)

var sarifLevel = [...]string{rules.Error: "error", rules.Warning: "warning", rules.Info: "note", rules.Hint: "note"}

func writeSARIF(w io.Writer, version string, r *result) error {
	root := url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(r.repo.root()), "/") + "/"}
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{Name: "agentcli", Version: version, URI: homepage, Rules: sarifRules()}},
		Invocations: []sarifInvocation{{Successful: true}},
		Bases:       map[string]any{sarifBase: map[string]string{"uri": root.String()}},
		ColumnKind:  "unicodeCodePoints",
		Results:     []sarifResult{},
	}
	if r.nothing != "" {
		run.Invocations[0].Notifications = []sarifNotification{{Level: "note", Message: sarifText{Text: "nothing to check: " + r.nothing}}}
	}
	index := map[string]int{}
	for i, rule := range rules.All() {
		index[rule.ID] = i
	}
	for i := range r.shown {
		run.Results = append(run.Results, r.shown[i].sarif(index))
	}
	return encodeJSON(w, sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}}, "  ")
}

func sarifRules() []sarifRule {
	out := make([]sarifRule, 0, len(rules.All()))
	for _, r := range rules.All() {
		out = append(out, sarifRule{
			ID: r.ID, Short: sarifText{Text: r.Summary}, Full: sarifText{Text: r.Doc.Checks}, HelpURI: r.URL(),
			Help:    sarifText{Text: r.Doc.Checks + "\n\n" + r.Doc.Why, Markdown: rulePage(r)},
			Default: map[string]any{"level": sarifLevel[r.Severity]},
		})
	}
	return out
}

func (f *shownFinding) sarif(index map[string]int) sarifResult {
	out := sarifResult{RuleID: f.Rule.ID, RuleIndex: index[f.Rule.ID], Level: sarifLevel[f.Severity], Message: sarifText{Text: f.Message}}
	if f.Help != "" {
		out.Message.Text += "\n" + f.Help
	}
	if f.Path != "" {
		out.Locations = []sarifLocation{{sarifPhysical{
			Artifact: sarifArtifact{URI: pathURI(f.Path), Base: sarifBase},
			Region:   sarifRegion{f.Start.Line, f.Start.Column, f.End.Line, f.End.Column},
		}}}
	}
	return out
}

// pathURI is the path as a relative URI reference, byte by byte where it has
// to be escaped.
func pathURI(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	// A colon in the first segment would make it a scheme.
	segments[0] = strings.ReplaceAll(segments[0], ":", "%3A")
	return strings.Join(segments, "/")
}
