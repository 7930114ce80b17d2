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
// marks ⟦name⟧ in the texts where a request is about a place, and below it
// "want" with the requests, lines that start with ">", above their answers.
//
// Answers are told in lines and columns of characters, with the text in the
// range, so that they are the same for every client. Each file is played by
// one that counts in UTF-16 and one that counts in UTF-8, or by those that a
// line "client: name …" above the first file names, or where clients differ by
// those that are named behind "want". "open: path …" names the open documents,
// else it is those with marks; "crlf: path …" those with CRLF.
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
		for i := range archive.Files {
			want := &archive.Files[i]
			for _, client := range playedBy(archive, want.Name) {
				t.Run(strings.TrimPrefix(path, "testdata/marker/")+"/"+client, func(t *testing.T) { playMarkers(t, path, archive, want, client) })
			}
		}
	}
}

// playedBy are the clients that a file of an archive is about; none when it is
// a file of the memory.
func playedBy(a *txtar.Archive, name string) []string {
	switch clients, ok := strings.CutPrefix(name, "want"); {
	case ok && clients != "":
		return strings.Fields(clients)
	case !ok:
		return nil
	case header(a, "client") != nil:
		return header(a, "client")
	}
	return []string{"vscode", "helix"}
}

func header(a *txtar.Archive, name string) []string {
	for line := range strings.Lines(string(a.Comment)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.Fields(rest)
		}
	}
	return nil
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

func playMarkers(t *testing.T, path string, a *txtar.Archive, want *txtar.File, client string) {
	p := startMarkers(t, a, client)
	var got strings.Builder
	for line := range strings.Lines(string(want.Data)) {
		if request, ok := strings.CutPrefix(line, "> "); ok {
			got.WriteString(line + p.answer(strings.TrimSpace(request)))
		}
	}
	if got.String() == string(want.Data) {
		return
	}
	if !*update {
		t.Errorf("-want +got\n%s", udiff.Unified("want", "got", string(want.Data), got.String()))
		return
	}
	want.Data = []byte(got.String())
	if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

func startMarkers(t *testing.T, a *txtar.Archive, client string) *markerPlay {
	p := &markerPlay{t: t, marks: map[string]markAt{}}
	content := files{}
	open := header(a, "open")
	for _, f := range a.Files {
		if playedBy(a, f.Name) != nil {
			continue
		}
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
	p.e = newEditor(t, clientNamed(client))
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
var markerRequests = map[string]func(p *markerPlay, words []string) []string{}

func (p *markerPlay) decode(raw json.RawMessage, v any) {
	p.t.Helper()
	if err := json.Unmarshal(raw, v); err != nil {
		p.t.Fatalf("%v in %s", err, raw)
	}
}
