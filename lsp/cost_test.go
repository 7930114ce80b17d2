package lsp

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/memls/memls/lsp/wire"
	"go.lsp.dev/protocol"
)

// large makes a memory of n files, twenty to a directory, with one error.
func large(t testing.TB, n int) *memory {
	content := files{"projects/MEMORY.md": "# P\n", "projects/x.md": front("X")}
	index := "# Projects\n\n- [X](x.md)\n"
	for d := range n / 20 {
		dir := fmt.Sprintf("d%04d", d)
		list := "# D\n\n"
		for i := range 19 {
			content[fmt.Sprintf("projects/%s/f%02d.md", dir, i)] = front(fmt.Sprintf("%s %d", dir, i))
			list += fmt.Sprintf("- [f](f%02d.md)\n", i)
		}
		content["projects/"+dir+"/MEMORY.md"] = list
		index += fmt.Sprintf("- [D](%s/MEMORY.md)\n", dir)
	}
	content["projects/MEMORY.md"] = index
	m := newMemory(t, v2(content))
	m.write(files{"projects/d0000/f00.md": front("changed")})
	return m
}

// A keystroke costs the same in a memory of any size: counted in allocations,
// since time is not steady enough to test. What the first judgement reads of
// the tree is not counted.
func TestKeystrokeCostIsFlat(t *testing.T) {
	small, big := keystrokeAllocs(t, 100), keystrokeAllocs(t, 2000)
	if big > small*1.2+50 {
		t.Errorf("a keystroke allocates %.0f times with 2000 files and %.0f with 100", big, small)
	}
}

func keystrokeAllocs(t *testing.T, n int) float64 {
	m := large(t, n)
	s := NewServer("test", slog.New(slog.DiscardHandler))
	s.encoding = wire.UTF16
	path, k := identify(protocol.DocumentURI(uriOf(m.path("projects/d0001/f01.md"))))
	session := newSession(s.log, s.encoding, s.settings.Load)
	defer session.keep(nil, nil)
	docs, version := &documents{}, int32(0)
	return testing.AllocsPerRun(20, func() {
		version++
		docs = docs.with(document{uri: protocol.DocumentURI(uriOf(path)), path: path, key: k, version: version,
			text: []byte(front("typing") + fmt.Sprintf("[x](gone.md) %03d\n", version))}, s.encoding)
		placing := session.place(context.Background(), docs)
		for r, open := range placing.repos {
			j, err := r.judge(context.Background(), open, false)
			if err != nil {
				t.Fatal(err)
			}
			for _, at := range placing.in(r) {
				if list, ok := s.diagnostics(at, j, nil); !ok || len(list) == 0 {
					t.Fatalf("diagnostics = %v, %v, want the broken link", list, ok)
				}
			}
		}
	})
}

func BenchmarkKeystroke100(b *testing.B) { benchmarkKeystroke(b, 100) }
func BenchmarkKeystroke10k(b *testing.B) { benchmarkKeystroke(b, 10000) }

// benchmarkKeystroke measures from the change of a document to its
// diagnostics, through the whole server.
func benchmarkKeystroke(b *testing.B, n int) {
	m := large(b, n)
	e := newEditor(b, helix)
	uri := e.openFile(m, "projects/d0001/f01.md")
	e.settle()
	text := e.open[uri].text
	for i := 0; b.Loop(); i++ {
		e.change(uri, fmt.Sprintf("%s[x](gone%d.md)\n", text, i))
		for *e.shown[uri].Version != e.open[uri].version {
			e.receive()
		}
	}
}

// What is found in a document is found out once for each of its states, whoever
// asks first.
func TestFindingsAreShared(t *testing.T) {
	m := newMemory(t, v2(files{"b.md": "x\n"}))
	s := NewServer("test", slog.New(slog.DiscardHandler))
	s.encoding = wire.UTF16
	path, k := identify(protocol.DocumentURI(uriOf(m.path("b.md"))))
	session := newSession(s.log, s.encoding, s.settings.Load)
	defer session.keep(nil, nil)
	docs := &documents{}
	write := func(text string) {
		docs = docs.with(document{uri: protocol.DocumentURI(uriOf(path)), path: path, key: k, text: []byte(text)}, s.encoding)
	}
	find := func() *shown {
		placing := session.place(t.Context(), docs)
		at, _ := placing.of(docs.at(k))
		j, err := at.repo.judge(t.Context(), placing.repos[at.repo], false)
		if err != nil {
			t.Fatal(err)
		}
		found, err := j.subject(at).findings()
		if err != nil || len(found) == 0 {
			t.Fatalf("findings = %v, %v, want the missing frontmatter", found, err)
		}
		return &found[0]
	}
	write("y\n")
	first := find()
	if find() != first {
		t.Error("the same state was judged twice")
	}
	if write("z\n"); find() == first {
		t.Error("another text has the findings of the one before")
	}
}
