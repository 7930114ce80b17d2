package lsp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
)

// The requests of marker tests about what differs between clients, and about a
// whole memory.
func init() {
	maps.Copy(markerRequests, map[string]func(p *markerPlay, words []string) []string{
		"announced":   (*markerPlay).announced,   // what the server offers this client
		"diagnostics": (*markerPlay).diagnostics, // PATH
		"report":      (*markerPlay).report,      // of the workspace
		"actions":     (*markerPlay).actions,     // MARK
		"choose":      (*markerPlay).choose,      // MARK TITLE
		"run":         (*markerPlay).run,         // COMMAND [PATH]
		"write":       (*markerPlay).writeFile,   // PATH TEXT: another process does
		"create":      (*markerPlay).createFile,  // PATH TEXT: the editor does
		"delete":      (*markerPlay).deleteFile,  // PATH
		"settings":    (*markerPlay).configure,   // JSON
	})
}

// announced are the parts of the server's capabilities that depend on the client.
func (p *markerPlay) announced([]string) []string {
	var can struct {
		PositionEncoding   string          `json:"positionEncoding"`
		DiagnosticProvider json.RawMessage `json:"diagnosticProvider"`
		CodeActionProvider any             `json:"codeActionProvider"`
		RenameProvider     any             `json:"renameProvider"`
		DocumentLink       struct {
			ResolveProvider bool `json:"resolveProvider"`
		} `json:"documentLinkProvider"`
		Workspace struct {
			FileOperations map[string]any `json:"fileOperations"`
		} `json:"workspace"`
	}
	var result struct{ Capabilities json.RawMessage }
	p.decode(p.e.initialized, &result)
	p.decode(result.Capabilities, &can)
	diagnostics := "pushed"
	if can.DiagnosticProvider != nil {
		diagnostics = "pulled"
	}
	option := func(provider any, name string) bool {
		options, _ := provider.(map[string]any)
		return options[name] == true
	}
	return []string{
		"positions in " + can.PositionEncoding,
		"diagnostics are " + diagnostics,
		fmt.Sprintf("resolves actions: %v, links: %v", option(can.CodeActionProvider, "resolveProvider"), can.DocumentLink.ResolveProvider),
		fmt.Sprintf("prepares renames: %v", option(can.RenameProvider, "prepareProvider")),
		fmt.Sprintf("hears of files: %v", slices.Sorted(maps.Keys(can.Workspace.FileOperations))),
	}
}

func (p *markerPlay) diagnostics(words []string) (lines []string) {
	p.e.settle()
	uri := uriOf(p.m.path(words[0]))
	for _, d := range p.e.shown[uri].Diagnostics {
		message, _, _ := strings.Cut(d.Message, "\n")
		lines = append(lines, fmt.Sprintf("%s %s %s: %s", p.snippet(uri, d.Range), strings.ToLower(d.Severity.String()), d.Code, message))
		for _, r := range d.RelatedInformation {
			lines = append(lines, "  "+p.place(string(r.Location.URI), r.Location.Range)+" "+r.Message)
		}
	}
	return lines
}

func (p *markerPlay) report([]string) (lines []string) {
	for _, item := range p.e.pullWorkspace(nil, nil) {
		if item.URI == p.e.sync {
			continue
		}
		for _, d := range item.Items {
			lines = append(lines, p.relative(item.URI)+" "+d.Code)
		}
	}
	slices.Sort(lines)
	return lines
}

func (p *markerPlay) actionsAt(mark string) []offered {
	at := p.at(mark)
	position := at["position"].(protocol.Position)
	return p.e.actions(at["textDocument"].(map[string]any)["uri"].(string), protocol.Range{Start: position, End: position})
}

func (p *markerPlay) actions(words []string) (lines []string) {
	for _, a := range p.actionsAt(words[0]) {
		line := fmt.Sprintf("%s (%s)", a.Title, a.Kind)
		if a.IsPreferred {
			line += " preferred"
		}
		switch {
		case a.Command != nil:
			line += ", a command"
		case a.Edit == nil:
			line += ", to be resolved"
		}
		lines = append(lines, line)
	}
	return lines
}

// choose carries out an action and shows what the files are afterwards.
func (p *markerPlay) choose(words []string) (lines []string) {
	p.t.Helper()
	a := named(p.t, p.actionsAt(words[0]), strings.Join(words[1:], " "))
	if a.Edit != nil {
		lines = append(lines, "as "+formOf(p.t, a.Edit))
	}
	return append(lines, p.changes(func() string { return p.e.choose(a) })...)
}

// changes are what something does to the files.
func (p *markerPlay) changes(do func() (failure string)) []string {
	p.t.Helper()
	before := p.m.all()
	if failure := do(); failure != "" {
		return []string{"error: " + p.message(failure)}
	}
	return describeChanges(before, p.m.all(), nil)
}

func (p *markerPlay) run(words []string) (lines []string) {
	p.t.Helper()
	args := []any{}
	if len(words) > 1 {
		args = append(args, uriOf(p.m.path(words[1])))
	}
	var raw json.RawMessage
	lines = p.changes(func() (failure string) {
		raw, failure = p.e.try("workspace/executeCommand", map[string]any{"command": words[0], "arguments": args})
		return failure
	})
	if len(raw) == 0 || string(raw) == "null" {
		return lines
	}
	text := strings.ReplaceAll(strings.ReplaceAll(string(raw), uriOf(p.m.dir), "ROOT"), p.m.dir, "ROOT")
	var answer any
	p.decode(json.RawMessage(text), &answer)
	pretty, err := json.MarshalIndent(answer, "", "  ")
	if err != nil {
		p.t.Fatal(err)
	}
	return append(lines, strings.Split(string(pretty), "\n")...)
}

func (p *markerPlay) writeFile(words []string) []string {
	p.m.write(files{words[0]: strings.Join(words[1:], " ") + "\n"})
	if p.e.server.watches() {
		p.e.event(p.m.path(words[0]))
	}
	return nil
}

func (p *markerPlay) createFile(words []string) []string {
	p.m.write(files{words[0]: strings.Join(words[1:], " ") + "\n"})
	p.e.notify("workspace/didCreateFiles", map[string]any{"files": []any{map[string]any{"uri": uriOf(p.m.path(words[0]))}}})
	return nil
}

func (p *markerPlay) deleteFile(words []string) []string {
	p.m.remove(words[0])
	p.e.notify("workspace/didDeleteFiles", map[string]any{"files": []any{map[string]any{"uri": uriOf(p.m.path(words[0]))}}})
	return nil
}

// configure sends settings; a client that is asked for them answers some time.
func (p *markerPlay) configure(words []string) []string {
	if p.e.caps.Workspace.Configuration {
		p.t.Fatal("this client does not send settings")
	}
	p.e.notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"memls": json.RawMessage(strings.Join(words, " "))}})
	return nil
}
