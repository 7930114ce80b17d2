package lsp

import (
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

// FuzzIncremental plays edits, changes on disk and git commands, and after
// each compares what the editor shows with what a session that knows nothing
// of the past finds.
func FuzzIncremental(f *testing.F) {
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 7))
		script := make([]byte, 3*20+seed)
		for i := range script {
			script[i] = byte(r.Uint32())
		}
		f.Add(script)
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		// They pull, are pushed to, and are told of related documents.
		client := []string{"vscode", "helix", "neovim-0.12"}[len(script)%3]
		// Progress is told by requests, which nobody answers while handlers are called.
		p := newPlay(t, merged(t, clientNamed(client), `{"capabilities":{"window":{"workDoneProgress":false}}}`))
		for step := 0; len(script) >= 3 && step < 60; step++ {
			name := p.step(script[0], script[1], script[2])
			script = script[3:]
			p.history = append(p.history, name)
			p.compare()
		}
	})
}

// play is a repository and an editor at work in it.
type play struct {
	t       *testing.T
	m       *memory
	e       *editor
	history []string
	gone    map[string]bool   // documents whose file was deleted under a clean buffer
	results map[string]string // ids of what was reported of the workspace the last time, by URI
}

var playPaths = []string{
	"MEMORY.md", "a.md", "b.md", "p/MEMORY.md", "p/x.md", "p/memory.md", "p/q/MEMORY.md", "p/q/y.md",
	"skills/s/SKILL.md", "skills/flat.md", "system/v.md", ".memfs.config.json", ".gitignore", "data.txt",
}

// playTexts are texts for a path, by its last letters.
func playTexts(path string) []string {
	switch filepath.Base(path) {
	case "MEMORY.md", "memory.md":
		return []string{"# M\n", "# M\n\n- [A](a.md)\n- [X](x.md)\n- [P](p/MEMORY.md)\n- [gone](gone.md)\n", front("Not an index"), ""}
	case ".memfs.config.json":
		return []string{`{"version":1}`, `{"version":1,"maxDepth":0}`, `{"version":1,"maxFileCharacters":40,"readOnlyFiles":["b.md"]}`, `{"version":`}
	case ".gitignore":
		return []string{"", "/b.md\n", "p/\n", "*.md\n!a.md\n"}
	}
	name := strings.TrimSuffix(filepath.Base(path), ".md")
	return []string{front(name), "no front\n", strings.ReplaceAll(front(name), "\n", "\r\n"), "---\nname: n\n---\n[x](x.md) [[a]]\n",
		front(name) + "[y](p/q/y.md) [y](q/y.md) [s](skills/s/SKILL.md) [a](../a.md#text)\n", "---\ndescription: d\nread_only: true\n---\n", ""}
}

func newPlay(t *testing.T, profile string) *play {
	m := newMemory(t, v2(files{"p/MEMORY.md": "# P\n\n- [X](x.md)\n", "p/x.md": front("X")}))
	p := &play{t: t, m: m, e: newEditor(t, profile), gone: map[string]bool{}, results: map[string]string{}}
	for _, path := range []string{"a.md", "p/x.md"} {
		p.e.openFile(m, path)
	}
	p.compare()
	return p
}

// onDisk is every file of the working tree.
func (p *play) onDisk() files {
	all := files{}
	err := filepath.WalkDir(p.m.dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		text, err := os.ReadFile(path)
		all[path] = string(text)
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return all
}

// step does one thing, chosen by the bytes, and says what.
func (p *play) step(what, which, how byte) string {
	path := playPaths[int(which)%len(playPaths)]
	texts := playTexts(path)
	text := texts[int(how)%len(texts)]
	uri := uriOf(p.m.path(path))
	buffer := p.e.open[uri]
	before := p.clean()
	steps := []struct {
		name string
		do   func()
	}{
		{"write", func() { p.m.write(files{path: text}) }},
		{"remove", func() { p.m.remove(path) }},
		{"move", func() {
			to := playPaths[int(how)%len(playPaths)]
			if _, err := os.Stat(p.m.path(path)); err == nil {
				p.m.write(files{to: p.m.read(path)})
				p.m.remove(path)
			}
		}},
		{"move directory", func() { os.Rename(p.m.path("p"), p.m.path("r")) }},
		{"move directory back", func() { os.Rename(p.m.path("r"), p.m.path("p")) }},
		{"stage", func() { p.m.git("add", "-A") }},
		{"commit", func() { p.m.git("add", "-A"); p.m.git("commit", "-q", "--allow-empty", "-m", "x") }},
		{"reset", func() { p.m.git("reset", "-q", "--hard") }},
		{"go back", func() { p.m.git("checkout", "-q", "-f", "HEAD~0"); p.m.git("reset", "-q", "--soft", p.first()) }},
		{"policy", func() { p.m.policy([]string{"root-marker", "legacy-only", "shared-memory", "?"}[how%4]) }},
		{"crlf", func() { p.m.git("config", "core.autocrlf", []string{"true", "false"}[how%2]) }},
	}
	// Half of all steps are the editor's.
	if buffer != nil && what%2 == 0 {
		delete(p.gone, uri)
		switch what / 2 % 4 {
		case 0:
			p.e.didClose(uri)
			return "close " + path
		case 1:
			p.m.write(files{path: buffer.text})
			p.e.didSave(uri)
			return "save " + path
		}
		p.e.change(uri, text)
		return fmt.Sprintf("change %s to %q", path, text)
	}
	if what%2 == 0 {
		if on, err := os.ReadFile(p.m.path(path)); err == nil && how%2 == 0 {
			text = string(on)
		}
		p.e.didOpen(uri, text)
		return fmt.Sprintf("open %s with %q", path, text)
	}
	s := steps[int(what/2)%len(steps)]
	disk := p.onDisk()
	s.do()
	for uri := range before {
		if !p.exists(uri) {
			p.gone[uri] = true
		}
	}
	var changed []string
	after := p.onDisk()
	for path, text := range after {
		if old, ok := disk[path]; !ok || old != text {
			changed = append(changed, path)
		}
	}
	for path := range disk {
		if _, ok := after[path]; !ok {
			changed = append(changed, path)
		}
	}
	p.e.event(changed...)
	return fmt.Sprintf("%s %s (%d)", s.name, path, how)
}

func (p *play) first() string {
	return strings.TrimSpace(p.m.git("rev-list", "--max-parents=0", "HEAD"))
}

// clean are the open documents that are as on disk.
func (p *play) clean() map[string]bool {
	clean := map[string]bool{}
	for uri, b := range p.e.open {
		path := p.pathOf(uri)
		if on, err := os.ReadFile(path); err == nil && strings.ReplaceAll(string(on), "\r\n", "\n") == strings.ReplaceAll(b.text, "\r\n", "\n") {
			clean[uri] = true
		}
	}
	return clean
}

func (p *play) pathOf(uri string) string {
	path, _ := identify(protocol.DocumentURI(uri))
	return path
}

func (p *play) exists(uri string) bool {
	_, err := os.Lstat(p.pathOf(uri))
	return err == nil
}

func (p *play) compare() {
	p.t.Helper()
	p.e.settle()
	s := p.e.server
	docs := s.documents.Load()
	docs = docs.without(docs.byURI[protocol.DocumentURI(p.e.sync)])
	for uri := range p.gone {
		if d := docs.byURI[protocol.DocumentURI(uri)]; p.exists(uri) || d == nil {
			delete(p.gone, uri)
		} else {
			docs = docs.without(d)
		}
	}
	fresh := newSession(slog.New(slog.DiscardHandler), s.encoding, func() *settings { return &settings{} })
	placing := fresh.place(p.t.Context(), docs)
	defer fresh.keep(nil, nil)
	want := map[string][]string{}
	for r, open := range placing.repos {
		if !placing.memory[r] {
			continue
		}
		j, err := r.judge(p.t.Context(), open, false)
		if err != nil {
			p.t.Fatal(err)
		}
		for _, at := range placing.in(r) {
			list, _ := s.diagnostics(at, j, nil)
			for _, d := range list {
				want[string(at.doc.uri)] = append(want[string(at.doc.uri)], describe(d)+string(d.Data))
			}
		}
	}
	for uri := range p.e.open {
		var got []string
		for _, d := range p.e.shown[uri].Diagnostics {
			got = append(got, describe(d)+string(d.Data))
		}
		if uri != p.e.sync && !slices.Equal(got, want[uri]) {
			p.t.Fatalf("%s shows\n\t%s\nwant\n\t%s\nafter\n\t%s", uri, strings.Join(got, "\n\t"), strings.Join(want[uri], "\n\t"), strings.Join(p.history, "\n\t"))
		}
	}
	p.compareAnswers(docs)
}
