package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path"
	"strings"

	"github.com/memls/memls/editors/example"
)

// The shape of a generated memory: notes of about noteSize bytes in
// area-XX/topic-XXX/, every directory with its index.
const (
	noteSize      = 2000
	linksPerNote  = 5
	notesPerTopic = 50
	topicsPerArea = 10
	indexName     = "MEMORY.md"
	words         = "memory deploy review commit branch prefers short answers weekly report invoice parser budget archive context decision because migration rollback latency queue retry owner meeting café naïve résumé"
)

// notePath is where the i-th note is.
func notePath(i int) string {
	topic := i / notesPerTopic
	return fmt.Sprintf("area-%02d/topic-%03d/note-%05d.md", topic/topicsPerArea, topic, i)
}

// hub is the note that many others link to, where one is asked for.
const hub = "area-00/hub.md"

// generate makes a valid memory of n notes in dir, committed. The same numbers
// give the same bytes. With hubLinks > 0 there is one note more, the hub, with
// so many links to it in the other notes, and one in its index.
func generate(ctx context.Context, dir string, n, hubLinks int) (*example.Repo, error) {
	repo, err := example.New(ctx, dir)
	if err != nil {
		return nil, err
	}
	g := &generator{n: n, random: rand.New(rand.NewPCG(1, 2)), words: strings.Fields(words), indexes: map[string]*strings.Builder{}}
	for i := range n {
		links := (hubLinks + n - 1 - i) / n // all notes have the same number, or one less
		note := append(g.note(i), strings.Repeat("\nSee [the hub](../../"+hub+").\n", links)...)
		if err := repo.Write(notePath(i), note); err != nil {
			return nil, err
		}
	}
	if hubLinks > 0 {
		g.list(hub)
		if err := repo.Write(hub, []byte("---\nname: Hub\ndescription: What many notes link to\n---\n\n# Hub\n")); err != nil {
			return nil, err
		}
	}
	for name, text := range g.indexes {
		if err := repo.Write(name, []byte(text.String())); err != nil {
			return nil, err
		}
	}
	if _, err := repo.Run(ctx, "git", "config", "gc.auto", "0"); err != nil {
		return nil, err
	}
	return repo, repo.Commit(ctx, "Generated", ".")
}

type generator struct {
	n       int
	random  *rand.Rand
	words   []string
	indexes map[string]*strings.Builder // by path
}

func (g *generator) note(i int) []byte {
	g.list(notePath(i))
	var b strings.Builder
	fmt.Fprintf(&b, "---\nname: Note %d\ndescription: %s\n---\n\n# Note %d\n", i, g.phrase(60), i)
	for section := range linksPerNote {
		other := g.random.IntN(g.n)
		fmt.Fprintf(&b, "\n## Section %d\n\n%s.\nSee [note %d](../../%s).\n", section, g.phrase(noteSize/linksPerNote-100), other, notePath(other))
	}
	return []byte(b.String())
}

// list links a file from the index of its directory; an index is first linked
// from the one above.
func (g *generator) list(file string) {
	dir, title := path.Dir(file), strings.TrimSuffix(path.Base(file), ".md")
	if path.Base(file) == indexName {
		dir, title = path.Dir(dir), path.Base(dir)
	}
	name := path.Join(dir, indexName)
	index := g.indexes[name]
	if index == nil {
		index = &strings.Builder{}
		fmt.Fprintf(index, "# Index of %s\n\n", dir)
		g.indexes[name] = index
		if dir != "." {
			g.list(name)
		}
	}
	fmt.Fprintf(index, "- [%s](%s): %s\n", title, strings.TrimPrefix(file, dir+"/"), g.phrase(30))
}

// phrase is about size bytes of words.
func (g *generator) phrase(size int) string {
	var b strings.Builder
	for b.Len() < size {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(g.words[g.random.IntN(len(g.words))])
	}
	return b.String()
}
