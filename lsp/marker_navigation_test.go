package lsp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/wire"
)

// The requests of marker tests about where links lead, and about renames.
func init() {
	maps.Copy(markerRequests, map[string]func(p *markerPlay, words []string) []string{
		"definition": func(p *markerPlay, words []string) []string {
			return p.locations("textDocument/definition", p.at(words[0]))
		},
		"references": func(p *markerPlay, words []string) []string {
			params := p.at(words[0])
			params["context"] = map[string]any{"includeDeclaration": len(words) > 1}
			return p.locations("textDocument/references", params)
		},
		"highlight": func(p *markerPlay, words []string) []string {
			params := p.at(words[0])
			uri := params["textDocument"].(map[string]any)["uri"].(string)
			var found []protocol.DocumentHighlight
			p.decode(p.e.call("textDocument/documentHighlight", params), &found)
			var lines []string
			for _, h := range found {
				lines = append(lines, p.place(uri, h.Range))
			}
			return lines
		},
		"links": func(p *markerPlay, words []string) []string {
			uri := uriOf(p.m.path(words[0]))
			raw := p.e.call("textDocument/documentLink", map[string]any{"textDocument": map[string]any{"uri": uri}})
			var found []json.RawMessage
			p.decode(raw, &found)
			var lines []string
			for _, raw := range found {
				var link documentLink
				p.decode(raw, &link)
				if link.Target == "" {
					p.decode(p.e.call("documentLink/resolve", raw), &link)
				}
				line := p.place(uri, link.Range) + " -> " + strings.ReplaceAll(string(link.Target), uriOf(p.m.dir)+"/", "")
				if len(words) > 1 && link.Tooltip != "" {
					line += " (" + link.Tooltip + ")"
				}
				lines = append(lines, line)
			}
			return lines
		},
		"prepareRename": func(p *markerPlay, words []string) []string {
			params := p.at(words[0])
			raw, failure := p.e.try("textDocument/prepareRename", params)
			if failure != "" {
				return []string{"error: " + p.message(failure)}
			}
			if string(raw) == "null" {
				return []string{"nothing"}
			}
			var found wire.PrepareRenameResult
			p.decode(raw, &found)
			uri := params["textDocument"].(map[string]any)["uri"].(string)
			return []string{p.place(uri, found.Range) + " as " + strconv.Quote(found.Placeholder)}
		},
		"rename": func(p *markerPlay, words []string) []string {
			params := p.at(words[0])
			params["newName"] = strings.Join(words[1:], " ")
			return p.edited(p.e.try("textDocument/rename", params))
		},
		// willRename OLD NEW … describes the edit that comes before the renames.
		"willRename": func(p *markerPlay, words []string) []string {
			renames := []any{}
			for i := 0; i < len(words); i += 2 {
				renames = append(renames, map[string]any{"oldUri": uriOf(p.m.path(words[i])), "newUri": uriOf(p.m.path(words[i+1]))})
			}
			return p.edited(p.e.try("workspace/willRenameFiles", map[string]any{"files": renames}))
		},
		// refactor MARK KIND lists actions; with a TITLE it describes what that does.
		"refactor": func(p *markerPlay, words []string) (lines []string) {
			at := p.at(words[0])
			position := at["position"].(protocol.Position)
			title := strings.Join(words[2:], " ")
			for _, a := range p.e.actions(at["textDocument"].(map[string]any)["uri"].(string), protocol.Range{Start: position, End: position}, words[1]) {
				if title == "" {
					line := fmt.Sprintf("%s (%s)", a.Title, a.Kind)
					if _, failure := p.e.editOf(a); failure != "" {
						line += ": " + p.message(failure)
					}
					lines = append(lines, line)
				} else if strings.HasPrefix(a.Title, title) {
					return p.edited(p.e.editOf(a))
				}
			}
			return lines
		},
		"hover": func(p *markerPlay, words []string) []string {
			var h protocol.Hover
			p.decode(p.e.call("textDocument/hover", p.at(words[0])), &h)
			return strings.Split(h.Contents.Value, "\n")
		},
	})
}

// message is what a person reads of an error.
func (p *markerPlay) message(failure string) string {
	p.t.Helper()
	var e struct{ Message string }
	p.decode(json.RawMessage(failure), &e)
	return e.Message
}

// edited describes what an edit, the answer to a request, does to the files.
func (p *markerPlay) edited(raw json.RawMessage, failure string) []string {
	p.t.Helper()
	if failure != "" {
		return []string{"error: " + p.message(failure)}
	}
	if string(raw) == "null" {
		return []string{"nothing"}
	}
	var edit editOnWire
	p.decode(raw, &edit)
	after := p.m.all()
	for uri, edits := range edit.Changes {
		path := p.relative(uri)
		after[path] = p.e.applyText(after[path], edits)
	}
	moved := map[string]string{}
	for _, c := range edit.DocumentChanges {
		if c.Kind != "" && !p.e.caps.CanEditFiles(protocol.ResourceOperationKind(c.Kind)) {
			p.t.Fatalf("the client did not announce %q: %s", c.Kind, raw)
		}
		switch c.Kind {
		case "create":
			after[p.relative(c.URI)] += ""
		case "delete":
			delete(after, p.relative(c.URI))
		case "rename":
			from, to := p.relative(c.OldURI), p.relative(c.NewURI)
			if _, taken := after[to]; taken {
				p.t.Fatalf("%s is renamed to %s, which exists", from, to)
			}
			moved[from], after[to] = to, after[from]
			delete(after, from)
		default:
			path := p.relative(c.TextDocument.URI)
			if b := p.e.open[c.TextDocument.URI]; (b == nil) != (c.TextDocument.Version == nil) {
				p.t.Fatalf("edit of version %v of %s", c.TextDocument.Version, path)
			}
			after[path] = p.e.applyText(after[path], c.Edits)
		}
	}
	return describeChanges(p.m.all(), after, moved)
}

func describeChanges(before, after files, moved map[string]string) (lines []string) {
	old := map[string]string{}
	for from, to := range moved {
		old[to] = from
	}
	paths := maps.Clone(before)
	maps.Copy(paths, after)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		_, was := before[path]
		text, is := after[path]
		from, renamed := old[path]
		switch {
		case !is && moved[path] == "":
			lines = append(lines, "deleted "+path)
			continue
		case !is:
			continue
		case renamed:
			lines = append(lines, from+" -> "+path)
		case !was:
			from = path
			lines = append(lines, "new "+path)
		case before[path] == text:
			continue
		default:
			from = path
			lines = append(lines, path)
		}
		lines = append(lines, diffLines(before[from], text)...)
	}
	return lines
}

// diffLines are the lines that differ.
func diffLines(before, after string) (lines []string) {
	unified := strings.Split(udiff.Unified("a", "b", before, after), "\n")
	for _, line := range unified {
		if line != "" && (line[0] == '+' || line[0] == '-') && !strings.HasPrefix(line, "--- a") && !strings.HasPrefix(line, "+++ b") {
			lines = append(lines, "  "+strings.ReplaceAll(line, "\r", "␍"))
		}
	}
	return lines
}

func (p *markerPlay) locations(method string, params map[string]any) []string {
	p.t.Helper()
	var found []struct {
		URI       string
		Range     protocol.Range
		TargetURI string         `json:"targetUri"`
		Target    protocol.Range `json:"targetSelectionRange"`
	}
	p.decode(p.e.call(method, params), &found)
	var lines []string
	for _, l := range found {
		if l.TargetURI != "" {
			l.URI, l.Range = l.TargetURI, l.Target
		}
		lines = append(lines, p.place(l.URI, l.Range))
	}
	return lines
}
