package rules

import (
	"hash/fnv"
	"path"
	"slices"
	"strings"

	"github.com/memls/memls/rules/markdown"
	"github.com/memls/memls/rules/tree"
)

// A linkKey stands for the paths that a link may lead to, whatever the tree.
// Different paths may share one: what is found by it is checked.
type linkKey uint32

// keyOf is the key of a path; one with .md and without is the same, as a wiki
// link says either.
func keyOf(path string) linkKey {
	h := fnv.New32a()
	h.Write([]byte(strings.TrimSuffix(path, ".md"))) // never fails
	return linkKey(h.Sum32())
}

// nameKey is the key of wiki links that may name a file in any directory.
func nameKey(name string) linkKey { return keyOf("*/" + name) }

// keysOfTarget are the keys of the links that may lead to a path.
func keysOfTarget(path string) []linkKey {
	keys := []linkKey{keyOf(path), nameKey(base(path))}
	if IsIndex(path) {
		keys = append(keys, keyOf(dirOf(path)))
	}
	return keys
}

// fileLinks are the links of one file, packed: a memory of ten thousand files
// has some seventy thousand.
type fileLinks struct {
	text  string // the destinations and fragments, one after the other
	links []packedLink
}

type packedLink struct {
	span, dest, fragment packedSpan
	at, destLen, fragLen uint32 // in text
	key                  linkKey
	where                packedPlace
	kind                 uint8
	flags                uint8
}

type packedSpan struct{ start, end uint32 }

const (
	linkAngle = 1 << iota
	linkRef
	linkHasFragment
	linkDefinition
	linkManyKeys // key is one of several
)

func packSpan(s Span) packedSpan { return packedSpan{uint32(s.Start), uint32(s.End)} }

func (s packedSpan) span() Span { return Span{Start: int(s.start), End: int(s.end)} }

// packLinks packs the links of the file at from, but for those that leave the
// repository whatever is in it.
func packLinks(from string, src []byte, doc *markdown.Doc) *fileLinks {
	p := &fileLinks{links: make([]packedLink, 0, len(doc.Links)+len(doc.Definitions))}
	lines := newPlacer(src)
	var text strings.Builder
	add := func(l *markdown.Link, flags uint8) {
		if l.Kind == markdown.Autolink || l.Kind != markdown.Wiki && (strings.HasPrefix(l.Dest, "//") || hasScheme(l.Dest)) {
			return
		}
		keys := keysOfLink(from, l.Kind, l.Dest)
		flags |= flagIf(l.Angle, linkAngle) | flagIf(l.Ref, linkRef) | flagIf(l.HasFragment, linkHasFragment) | flagIf(len(keys) > 1, linkManyKeys)
		p.links = append(p.links, packedLink{
			span: packSpan(l.Span), dest: packSpan(l.DestSpan), fragment: packSpan(l.FragmentSpan),
			at: uint32(text.Len()), destLen: uint32(len(l.Dest)), fragLen: uint32(len(l.Fragment)),
			key: keys[0], where: lines.place(l.Span), kind: uint8(l.Kind), flags: flags,
		})
		text.WriteString(l.Dest + l.Fragment)
	}
	for i := range doc.Links {
		add(&doc.Links[i], 0)
	}
	lines = newPlacer(src)
	for i := range doc.Definitions {
		if d := &doc.Definitions[i]; countsAsLink(doc, d) {
			add(&markdown.Link{Kind: markdown.Reference, Span: d.Span, Target: d.Target}, linkDefinition)
		}
	}
	// Copies are as large as they have to be; these are partly empty.
	p.text, p.links = strings.Clone(text.String()), slices.Clone(p.links)
	return p
}

func flagIf(set bool, flag uint8) uint8 {
	if set {
		return flag
	}
	return 0
}

func (p *fileLinks) link(k *packedLink) markdown.Link {
	destEnd := k.at + k.destLen
	return markdown.Link{
		Kind: markdown.LinkKind(k.kind), Ref: k.flags&linkRef != 0, Span: k.span.span(),
		Target: markdown.Target{
			DestSpan: k.dest.span(), Dest: p.text[k.at:destEnd], Angle: k.flags&linkAngle != 0,
			HasFragment: k.flags&linkHasFragment != 0, Fragment: p.text[destEnd : destEnd+k.fragLen], FragmentSpan: k.fragment.span(),
		},
	}
}

// keys are the keys of all links, each once.
func (p *fileLinks) keys(from string) []linkKey {
	keys := make([]linkKey, 0, len(p.links))
	for i := range p.links {
		k := &p.links[i]
		if k.flags&linkManyKeys == 0 {
			keys = append(keys, k.key)
			continue
		}
		keys = append(keys, keysOfLink(from, markdown.LinkKind(k.kind), p.text[k.at:k.at+k.destLen])...)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// to appends the links of the file that lead to a path, whose keys are given.
func (p *fileLinks) to(refs []Ref, t *tree.Tree, f *tree.File, path string, keys []linkKey) []Ref {
	for i := range p.links {
		k := &p.links[i]
		if k.flags&linkManyKeys == 0 && !slices.Contains(keys, k.key) {
			continue
		}
		link := p.link(k)
		target := Resolve(t, f.Path, &link)
		if target.leadsTo(path) {
			refs = append(refs, Ref{From: f, Link: link, Definition: k.flags&linkDefinition != 0, Target: target, Place: k.place()})
		}
	}
	return refs
}

// near appends the links of the file that have one of the keys, all where keys
// is nil.
func (p *fileLinks) near(refs []Ref, f *tree.File, keys map[linkKey]bool) []Ref {
	for i := range p.links {
		k := &p.links[i]
		if keys != nil && k.flags&linkManyKeys == 0 && !keys[k.key] {
			continue
		}
		refs = append(refs, Ref{From: f, Link: p.link(k), Definition: k.flags&linkDefinition != 0, Place: k.place()})
	}
	return refs
}

func (t *Target) leadsTo(path string) bool {
	switch t.Kind {
	case TargetFile, TargetDir, TargetSelf, TargetMissing:
		return t.Path == path || t.File != "" && t.File == path
	}
	return false
}

// keysOfLink are the keys of everything that [Resolve] may find for a link,
// whatever the tree: at least one.
func keysOfLink(from string, kind markdown.LinkKind, dest string) []linkKey {
	var keys []linkKey
	add := func(key linkKey) {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	plain, _, _ := strings.Cut(dest, "?")
	switch {
	case kind != markdown.Wiki && plain == "", dest == "":
		return []linkKey{keyOf(from)}
	case kind == markdown.Wiki:
		for _, ext := range []string{"", ".md"} {
			add(keyOf(candidate("", dest+ext)))
			add(keyOf(candidate(from, dest+ext)))
			if !strings.Contains(dest, "/") {
				add(nameKey(dest + ext))
			}
		}
		return keys
	}
	decoded, err := unescapePath(plain)
	if err != nil {
		decoded = plain
	}
	add(keyOf(candidate(from, decoded)))
	if decoded != dest {
		add(keyOf(candidate(from, dest)))
	}
	return keys
}

// candidate is the path that [locate] looks up.
func candidate(from, dest string) string {
	dir := dirOf(from)
	if strings.HasPrefix(dest, "/") {
		dir = ""
	}
	clean := strings.TrimPrefix(path.Join(dir, dest), "/")
	if clean == "." {
		return ""
	}
	return clean
}
