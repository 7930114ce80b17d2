package lsp

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/wire"
)

// page is memory of 20,000 characters as people write it.
func page() string {
	part := "## Part\n\nWhat the team agreed on: the *index* stays short, and everything else goes into `projects/`.\nSee [the plan](../x.md), [part](#part) or <https://example.org/a?b=c> for the rest of it.\n\n- one: a list, with `code` and **bold** words\n- two: [another](f00.md \"title\") link\n\n```sh\nexport TOKEN=$(get-token)\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
	text := front("Page") + "\n# Page\n\n"
	return text + strings.Repeat(part, (20000-len(text))/len(part)+1)
}

// BenchmarkTyping types into the middle of a file of 20,000 characters and
// judges it, without the transport.
func BenchmarkTyping(b *testing.B) {
	m := large(b, 100)
	s := NewServer("test", slog.New(slog.DiscardHandler))
	s.encoding = wire.UTF16
	path, k := identify(protocol.DocumentURI(uriOf(m.path("projects/d0001/f01.md"))))
	session := newSession(s.log, s.encoding, s.settings.Load)
	defer session.keep(nil, nil)
	text := page()
	head, rest := text[:10000], text[10000:]
	docs, version := &documents{}, int32(0)
	b.ReportAllocs()
	for b.Loop() {
		version++
		docs = docs.with(document{uri: protocol.DocumentURI(uriOf(path)), path: path, key: k, version: version,
			text: []byte(head + strings.Repeat("x", int(version%60)) + rest)}, s.encoding)
		placing := session.place(context.Background(), docs)
		for r, open := range placing.repos {
			j, err := r.judge(context.Background(), open, false)
			if err != nil {
				b.Fatal(err)
			}
			for _, at := range placing.in(r) {
				if _, ok := s.diagnostics(at, j, nil); !ok {
					b.Fatal("no diagnostics")
				}
			}
		}
	}
}
