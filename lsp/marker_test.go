package lsp

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
	"go.lsp.dev/protocol"
	"golang.org/x/tools/txtar"

	"github.com/memls/memls/lsp/text"
	"github.com/memls/memls/lsp/wire"
)

var update = flag.Bool("update", false, "write what is found to testdata/marker")

// TestMarkers runs the files of testdata/marker. Each holds a memory, with
// marks ⟦name⟧ in the texts where a request is about a place, and in its last
// file "want" the requests, lines that start with ">", above their answers.
//
// Answers are told in lines and columns of characters, with the text in the
// range, so that they are the same for every client. Each file is played by
// one that counts in UTF-16 and one that counts in UTF-8, or by the one that a
// line "client: name" above the first file names. "open: path …" names the open
// documents, else it is those with marks; "crlf: path …" those with CRLF.
func TestMarkers(t *testing.T) {
	paths, err := filepath.Glob("testdata/marker/*/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		clients := []string{"Visual Studio Code", "Helix"}
		if name := header(archive, "client"); name != nil {
			clients = []string{strings.Join(name, " ")}
		}
		for _, client := range clients {
			t.Run(strings.TrimPrefix(path, "testdata/marker/")+"/"+client, func(t *testing.T) { playMarkers(t, path, archive, client) })
		}
	}
}

func header(a *txtar.Archive, name string) []string {
	for line := range strings.Lines(string(a.Comment)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.Fields(rest)
		}
	}
	return nil
}

// more is what the clients announce beside what profiles have of them.
var more = map[string]string{
	"Visual Studio Code": `{"workspace":{"fileOperations":{"didCreate":true,"didRename":true,"didDelete":true,"willRename":true}},
		"textDocument":{"definition":{"linkSupport":true},"documentLink":{"tooltipSupport":true},"rename":{"prepareSupport":true},
		"documentSymbol":{"hierarchicalDocumentSymbolSupport":true},"completion":{"completionItem":{"snippetSupport":true,"insertReplaceSupport":true,"documentationFormat":["markdown"]}}}}`,
	"Helix": `{"workspace":{"fileOperations":{"willRename":true,"didRename":true}},"textDocument":{"rename":{"prepareSupport":true},"hover":{"contentFormat":["markdown"]},
		"documentSymbol":{"hierarchicalDocumentSymbolSupport":true},"completion":{"completionItem":{"documentationFormat":["markdown"]}}}}`,
}

func clientNamed(t *testing.T, name string) string {
	for _, p := range profiles {
		if p.name == name {
			return merged(t, p.profile, more[name])
		}
	}
	t.Fatalf("no client %q", name)
	return ""
}

// merged lays one JSON object over another.
func merged(t *testing.T, a, b string) string {
	var x, y map[string]any
	if b == "" {
		return a
	}
	if err := json.Unmarshal([]byte(a), &x); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(b), &y); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(mergeObjects(x, y))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func mergeObjects(a, b map[string]any) map[string]any {
	for k, v := range b {
		if inner, ok := v.(map[string]any); ok {
			if old, ok := a[k].(map[string]any); ok {
				v = mergeObjects(old, inner)
			}
		}
		a[k] = v
	}
	return a
}

// A markerPlay is one client that plays one file.
type markerPlay struct {
	t     *testing.T
	m     *memory
	e     *editor
	marks map[string]markAt
}

type markAt struct {
	path   string
	offset int
}

func playMarkers(t *testing.T, path string, a *txtar.Archive, client string) {
	p := startMarkers(t, a, client)
	last := len(a.Files) - 1
	if last < 0 || a.Files[last].Name != "want" {
		t.Fatal("the last file is not want")
	}
	want := string(a.Files[last].Data)
	var got strings.Builder
	for line := range strings.Lines(want) {
		if request, ok := strings.CutPrefix(line, "> "); ok {
			got.WriteString(line + p.answer(strings.TrimSpace(request)))
		}
	}
	if got.String() == want {
		return
	}
	if !*update {
		t.Errorf("-want +got\n%s", udiff.Unified("want", "got", want, got.String()))
		return
	}
	b := *a
	b.Files = slices.Clone(a.Files)
	b.Files[last].Data = []byte(got.String())
	if err := os.WriteFile(path, txtar.Format(&b), 0o644); err != nil {
		t.Fatal(err)
	}
}

func startMarkers(t *testing.T, a *txtar.Archive, client string) *markerPlay {
	p := &markerPlay{t: t, marks: map[string]markAt{}}
	content := files{}
	open := header(a, "open")
	for _, f := range a.Files[:len(a.Files)-1] {
		data := f.Data
		if slices.Contains(header(a, "crlf"), f.Name) {
			data = bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))
		}
		before := len(p.marks)
		content[f.Name] = p.takeMarks(f.Name, string(data))
		if len(p.marks) > before && header(a, "open") == nil {
			open = append(open, f.Name)
		}
	}
	p.m = newMemory(t, content)
	p.e = newEditor(t, clientNamed(t, client))
	for _, name := range open {
		p.e.openFile(p.m, name)
	}
	p.e.settle()
	return p
}

func (p *markerPlay) takeMarks(path, text string) string {
	var plain strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "⟦")
		plain.WriteString(before)
		if !ok {
			return plain.String()
		}
		var name string
		name, text, _ = strings.Cut(rest, "⟧")
		p.marks[name] = markAt{path, plain.Len()}
	}
}

// at is the document and position that a word of a request names: a mark, or
// path:line:character as the protocol counts.
func (p *markerPlay) at(word string) map[string]any {
	p.t.Helper()
	var position protocol.Position
	path := ""
	if mark, ok := p.marks[word]; ok {
		path = mark.path
		position = p.mapper(path).Position(mark.offset)
	} else if parts := strings.Split(word, ":"); len(parts) == 3 {
		path = parts[0]
		line, err1 := strconv.ParseUint(parts[1], 10, 32)
		character, err2 := strconv.ParseUint(parts[2], 10, 32)
		if err1 != nil || err2 != nil {
			p.t.Fatal(word, err1, err2)
		}
		position = protocol.Position{Line: uint32(line), Character: uint32(character)}
	} else {
		p.t.Fatalf("no mark %q", word)
	}
	return map[string]any{"textDocument": map[string]any{"uri": uriOf(p.m.path(path))}, "position": position}
}

func (p *markerPlay) mapper(path string) *text.Mapper {
	return text.NewMapper([]byte(p.m.read(path)), p.e.caps.Negotiate())
}

// place describes a range of a file.
func (p *markerPlay) place(uri string, r protocol.Range) string {
	path := p.relative(uri)
	src := p.m.read(path)
	start, end := p.mapper(path).Offsets(r)
	snippet, more, cut := strings.Cut(src[start:end], "\n")
	if cut && more != "" {
		snippet += "…"
	}
	count := text.NewMapper([]byte(src), wire.UTF8).Position(start)
	line := src[strings.LastIndexByte(src[:start], '\n')+1 : start]
	return fmt.Sprintf("%s:%d:%d %q", path, count.Line+1, len([]rune(line))+1, snippet)
}

func (p *markerPlay) relative(uri string) string {
	path, _ := identify(protocol.DocumentURI(uri))
	rel, err := filepath.Rel(p.m.dir, path)
	if err != nil {
		p.t.Fatal(err)
	}
	return filepath.ToSlash(rel)
}

// answer makes a request and describes what comes back, in lines.
func (p *markerPlay) answer(request string) string {
	p.t.Helper()
	words := strings.Fields(request)
	answer := markerRequests[words[0]]
	if answer == nil {
		p.t.Fatalf("no request %q among %q", words[0], slices.Sorted(maps.Keys(markerRequests)))
	}
	var b strings.Builder
	for _, line := range answer(p, words[1:]) {
		b.WriteString("\t" + line + "\n")
	}
	return b.String()
}

// markerRequests are the requests that a file can make.
var markerRequests = map[string]func(p *markerPlay, words []string) []string{
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
			var e struct{ Message string }
			p.decode(json.RawMessage(failure), &e)
			return []string{"error: " + e.Message}
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
				lines = append(lines, fmt.Sprintf("%s (%s)", a.Title, a.Kind))
			} else if strings.HasPrefix(a.Title, title) {
				return p.edited(a.Data, "")
			}
		}
		return lines
	},
	"hover": func(p *markerPlay, words []string) []string {
		var h protocol.Hover
		p.decode(p.e.call("textDocument/hover", p.at(words[0])), &h)
		return strings.Split(h.Contents.Value, "\n")
	},
}

// edited describes what an edit, the answer to a request, does to the files.
func (p *markerPlay) edited(raw json.RawMessage, failure string) []string {
	p.t.Helper()
	if failure != "" {
		var e struct{ Message string }
		p.decode(json.RawMessage(failure), &e)
		return []string{"error: " + e.Message}
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

func (p *markerPlay) decode(raw json.RawMessage, v any) {
	p.t.Helper()
	if err := json.Unmarshal(raw, v); err != nil {
		p.t.Fatalf("%v in %s", err, raw)
	}
}
