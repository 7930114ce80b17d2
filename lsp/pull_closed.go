package lsp

import (
	"cmp"
	"sync"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/fileuri"
	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
)

// exactFiles is how many files a memory may have for its closed files to be
// judged again after every change. In a larger one what is typed, and not
// saved, is not seen in closed files: clients ask every few seconds, and to
// judge everything takes about that long.
const exactFiles = 2000

// closedReports are what was found in files that nobody has open.
type closedReports struct {
	mu     sync.Mutex
	byPath map[string]wire.Diagnostics
}

// closedFor are the reports for the judgement that follows j, which is nil at
// the start: those of j as far as they hold.
func (j *judging) closedFor(state *repoState, over *overlay, current *settings) *closedReports {
	if j == nil || j.state != state || j.settings != current || over.tree.Len() <= exactFiles || !sameFiles(j.overlay, over) {
		return &closedReports{byPath: map[string]wire.Diagnostics{}}
	}
	return j.closed
}

// sameFiles reports whether two overlays have the same open files, whatever
// their texts.
func sameFiles(a, b *overlay) bool {
	if len(a.buffers) != len(b.buffers) {
		return false
	}
	for path, buffer := range a.buffers {
		if other := b.buffers[path]; other == nil || (other.file == nil) != (buffer.file == nil) {
			return false
		}
	}
	return true
}

func (c *closedReports) get(path string) (list wire.Diagnostics, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list, known = c.byPath[path]
	return list, known
}

func (c *closedReports) put(path string, list wire.Diagnostics) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byPath[path] = list
}

// closedSubject is a file that is not open, for reports about the workspace.
func (j *judging) closedSubject(r *repo, path string, enc wire.PositionEncoding) (sub *subject, err error) {
	sub = &subject{place: place{repo: r, path: path}, judging: j, file: j.view.Tree.File(path)}
	if open := j.overlay.buffers[path]; sub.file == nil || open != nil && open.file != nil {
		_, sub.source, err = sub.target(path, enc)
		return sub, err
	}
	src, err := sub.file.Bytes()
	if err != nil {
		return nil, err
	}
	// What is known of a file is kept with it. Of all files of a memory that
	// would be too much, so it is kept with a file that is soon forgotten.
	sub.file, sub.source = sub.file.Held(src), newSource(src, false, enc)
	return sub, nil
}

// closedDiagnostics is what is found in a file that nobody has open: its own
// findings, not those of the tree that any open file shows.
func (s *Server) closedDiagnostics(j *judging, r *repo, path string) (list wire.Diagnostics, uri protocol.DocumentURI, err error) {
	uri = protocol.DocumentURI(fileuri.FromPath(absolute(r.git, path)))
	if list, known := j.closed.get(path); known {
		return list, uri, nil
	}
	if list, uri, err = s.ownDiagnostics(j, r, path); err == nil {
		j.closed.put(path, list)
	}
	return list, uri, err
}

// ownDiagnostics is closedDiagnostics for a file that may be open.
func (s *Server) ownDiagnostics(j *judging, r *repo, path string) (list wire.Diagnostics, uri protocol.DocumentURI, err error) {
	uri = protocol.DocumentURI(fileuri.FromPath(absolute(r.git, path)))
	sub, err := j.closedSubject(r, path, s.encoding)
	if err != nil {
		return nil, uri, err
	}
	found, err := sub.findings()
	for i := range found {
		if len(list) == maxDiagnostics {
			list = append(list, hiddenDiagnostics(len(found)-i))
			break
		}
		list = append(list, s.diagnostic(sub, &found[i]))
	}
	return list, uri, err
}

// missingDiagnostics are the findings about files that do not exist, such as
// the root index, by where the file would be.
func (s *Server) missingDiagnostics(j *judging, r *repo) map[protocol.DocumentURI]wire.Diagnostics {
	return s.treeDiagnostics(j, r, func(f *rules.Finding) bool { return !j.view.Tree.Has(cmp.Or(f.Path, rules.Index)) })
}

// treeDiagnostics are those findings about the whole tree that want asks for.
// What is about no file is the root index's. All stand in the first line,
// whether there is one or not.
func (s *Server) treeDiagnostics(j *judging, r *repo, want func(f *rules.Finding) bool) map[protocol.DocumentURI]wire.Diagnostics {
	whole, err := j.whole()
	r.complain(err)
	byURI := map[protocol.DocumentURI]wire.Diagnostics{}
	for i := range whole {
		f := &whole[i]
		path := cmp.Or(f.Path, rules.Index)
		if !want(f) || !j.settings.wants(f.Rule.ID) {
			continue
		}
		uri := protocol.DocumentURI(fileuri.FromPath(absolute(r.git, path)))
		sub := &subject{place: place{repo: r, path: path}, judging: j, source: newSource(nil, false, s.encoding)}
		shown := sub.show(f)
		j.settings.adjust(&shown)
		byURI[uri] = append(byURI[uri], s.diagnostic(sub, &shown))
	}
	return byURI
}
