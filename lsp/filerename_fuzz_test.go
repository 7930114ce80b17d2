package lsp

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"
)

// FuzzRename renames files and directories of a memory without broken links, by
// each of the ways that editors have. No link is broken then, and the way back
// leaves no trace.
func FuzzRename(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 11))
		client := []string{"vscode", "helix", "neovim-0.12", "lsp-mode-9"}[seed%4]
		m, e := newLinkedMemory(t, r, client)
		before := m.all()
		p := &renamePlay{t: t, m: m, e: e}
		p.unbroken()
		renames := p.choose(r)
		p.name = fmt.Sprintf("seed %d, %s: %v", seed, client, renames)
		p.rename(renames, r.IntN(2) == 0)
		p.unbroken()
		slices.Reverse(renames)
		for i := range renames {
			slices.Reverse(renames[i][:])
		}
		p.rename(renames, r.IntN(2) == 0)
		p.unbroken()
		if diff := cmp.Diff(before, m.all()); diff != "" {
			t.Fatalf("%s: the way back leaves traces (-before +after):\n%s", p.name, diff)
		}
	})
}

// newLinkedMemory makes a memory whose indexes are as the server makes them,
// with links of every style, and an editor with some of it open.
func newLinkedMemory(t *testing.T, r *rand.Rand, client string) (*memory, *editor) {
	dirs := []string{"notes", "notes/deep", "work", "my stuff"}[:2+r.IntN(3)]
	var paths []string
	for i := range 2 + r.IntN(3) {
		paths = append(paths, fmt.Sprintf("core%d.md", i))
	}
	for i, dir := range dirs {
		for j := range 1 + r.IntN(3) {
			paths = append(paths, fmt.Sprintf("%s/f%d %d.md", dir, i, j))
		}
	}
	paths = append(paths, "skills/deploy/SKILL.md")
	content := files{"MEMORY.md": "# Memory\n"}
	for _, p := range paths {
		name := strings.TrimSuffix(path.Base(p), ".md")
		if strings.HasPrefix(p, "skills/") {
			name = "deploy"
		}
		content[p] = fmt.Sprintf("---\nname: %s\ndescription: About %s\n---\n# Top 😀\n\n%s", name, name, randomLinks(r, p, paths))
	}
	m := newMemory(t, content)
	e := newEditor(t, clientNamed(client))
	root := e.openFile(m, "MEMORY.md")
	e.call("workspace/executeCommand", map[string]any{"command": commandCreateIndexes, "arguments": []any{root}})
	e.didClose(root)
	index := "# Memory\n\n"
	for _, dir := range slices.Sorted(slices.Values(dirs)) {
		if !strings.Contains(dir, "/") {
			index += fmt.Sprintf("- [It](%s/MEMORY.md)\n", strings.ReplaceAll(dir, " ", "%20"))
		}
	}
	m.write(files{"MEMORY.md": index})
	e.event(m.path("MEMORY.md"))
	for _, p := range slices.Sorted(maps.Keys(m.all())) {
		if r.IntN(3) == 0 {
			e.openFile(m, p)
		}
	}
	e.openFile(m, paths[0])
	return m, e
}

// randomLinks are lines with links of the file at from, and what shifts places.
func randomLinks(r *rand.Rand, from string, paths []string) string {
	var b strings.Builder
	for range 1 + r.IntN(6) {
		to := paths[r.IntN(len(paths))]
		rel, err := filepath.Rel(filepath.Dir(from), to)
		if err != nil {
			panic(err)
		}
		escaped := strings.ReplaceAll(rel, " ", "%20")
		fmt.Fprintf(&b, []string{
			"See [a](%[1]s).\n", "日本😀 [a](%[1]s#top- \"Title\") and more.\n", "See <b>it</b> ![i](<%[2]s>)\n",
			"* [b][ref%[3]d]\n\n[ref%[3]d]: %[1]s 'T'\n\n", "e\u0301 [r](/%[4]s?raw).\n",
		}[r.IntN(5)], escaped, rel, r.IntN(1e9), strings.ReplaceAll(to, " ", "%20"))
	}
	return b.String()
}

type renamePlay struct {
	t    *testing.T
	m    *memory
	e    *editor
	name string
}

// choose picks one or two files, or a directory, and new names.
func (p *renamePlay) choose(r *rand.Rand) [][2]string {
	var core, deferred []string
	dirs := map[string]bool{}
	for file := range p.m.all() {
		switch dir := path.Dir(file); {
		case path.Base(file) == "MEMORY.md" || strings.HasPrefix(file, "skills/"):
		case dir == ".":
			core = append(core, file)
		default:
			deferred = append(deferred, file)
			dirs[strings.SplitN(dir, "/", 2)[0]] = true
		}
	}
	slices.Sort(core)
	slices.Sort(deferred)
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	switch r.IntN(6) {
	case 0:
		file := pick(core...)
		return [][2]string{{file, pick("notes/", "new/", "new/er/", "work/") + file}}
	case 1:
		file := pick(deferred...)
		return [][2]string{{file, path.Base(file)}}
	case 2:
		return [][2]string{{pick(deferred...), pick("notes/x y.md", "other/(z).md", "notes/deep/aa.md")}}
	case 3:
		return [][2]string{{pick(core...), pick("renamed.md", "a b.md", "é😀.md")}}
	case 4:
		return [][2]string{{core[0], "zz.md"}, {core[1], "notes/zz 2.md"}}
	}
	if dir := pick(append(slices.Sorted(maps.Keys(dirs)), "skills")...); dir != "skills" {
		return [][2]string{{dir, pick("zoo", "a dir")}}
	}
	return [][2]string{{"skills/deploy", "skills/roll-out"}}
}

// rename renames files, by links to them if that is wanted or all that the
// editor can do.
func (p *renamePlay) rename(renames [][2]string, byLink bool) {
	p.t.Helper()
	asks := p.e.caps.Workspace.FileOperations.WillRename
	if asks && (!byLink || len(renames) > 1) {
		p.byFiles(renames)
		return
	}
	for _, r := range renames {
		p.byLink(r[0], r[1])
	}
}

// byFiles is what an editor does when a person renames files in its explorer.
func (p *renamePlay) byFiles(renames [][2]string) {
	p.t.Helper()
	var list []any
	for _, r := range renames {
		list = append(list, map[string]any{"oldUri": uriOf(p.m.path(r[0])), "newUri": uriOf(p.m.path(r[1]))})
	}
	if edit := p.e.call("workspace/willRenameFiles", map[string]any{"files": list}); string(edit) != "null" {
		p.e.apply(edit)
	}
	for _, r := range renames {
		if info, err := os.Stat(p.m.path(r[1])); err == nil && info.IsDir() {
			p.m.remove(r[1]) // files were moved out of it one by one
		}
		if err := p.e.move(uriOf(p.m.path(r[0])), uriOf(p.m.path(r[1]))); err != nil {
			p.t.Fatalf("%s: %v", p.name, err)
		}
	}
	p.e.event(p.m.dir)
	p.e.notify("workspace/didRenameFiles", map[string]any{"files": list})
}

// byLink renames what a new link leads to; the link is gone when it is done.
func (p *renamePlay) byLink(from, to string) {
	p.t.Helper()
	const link = "linking.md"
	at := strings.Count(front("L"), "\n")
	uri := uriOf(p.m.path(link))
	text := front("L") + "[l](<" + from + ">)\n"
	p.e.didOpen(uri, text)
	p.m.write(files{link: text})
	p.e.event(p.m.path(link))
	raw, failure := p.e.try("textDocument/rename", map[string]any{"textDocument": map[string]any{"uri": uri}, "newName": to,
		"position": protocol.Position{Line: uint32(at), Character: 6}})
	if failure != "" {
		p.t.Fatalf("%s: %s", p.name, failure)
	}
	p.e.apply(raw)
	p.e.didClose(uri)
	p.m.remove(link)
	p.e.event(p.m.path(link))
}

// unbroken fails when the server finds a link that leads nowhere.
func (p *renamePlay) unbroken() {
	p.t.Helper()
	p.e.settle()
	for _, item := range p.e.pullWorkspace(nil, nil) {
		for _, d := range item.Items {
			if d.Code == "link-broken" {
				p.t.Fatalf("%s: %s: %s in\n%s", p.name, item.URI, d.Message, p.m.read(strings.TrimPrefix(item.URI, uriOf(p.m.dir)+"/")))
			}
		}
	}
}
