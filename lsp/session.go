package lsp

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/memls/memls/lsp/wire"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/gitrepo"
	"github.com/memls/memls/rules/parsers"
)

// A session is the set of repositories that hold open documents, or that
// [Server.addFolders] added.
type session struct {
	log      *slog.Logger
	encoding wire.PositionEncoding
	approved bool // the environment lets a commit change the config
	settings func() *settings
	tell     func(error) // the user, of what keeps memory from being judged

	mu    sync.Mutex
	repos map[string]*repo // by the top of the working tree
}

func newSession(log *slog.Logger, enc wire.PositionEncoding, current func() *settings) *session {
	return &session{log: log, encoding: enc, settings: current, tell: func(error) {}, approved: config.Approved(os.Getenv), repos: map[string]*repo{}}
}

// A place is where a document stands in its repository.
type place struct {
	doc  *document
	repo *repo
	path string // relative to the top, with '/'
	// link is the path of the link by which the client opened the file,
	// "" when there is none in this repository.
	link string
}

// A placing is where all open documents stand, at one moment.
type placing struct {
	places map[*document]place
	repos  map[*repo]map[string]*document // the documents of each repository, by path
	memory map[*repo]bool                 // which of them are memory
}

// place finds the repository of every document. A file of a repository inside
// another one belongs to the inner one.
func (s *session) place(ctx context.Context, docs *documents) *placing {
	p := &placing{places: map[*document]place{}, repos: map[*repo]map[string]*document{}, memory: map[*repo]bool{}}
	found := map[string]*repo{}
	find := func(path string) (*repo, string) {
		dir := filepath.Dir(path)
		r, known := found[dir]
		if !known {
			r = s.repoAround(ctx, dir)
			found[dir] = r
		}
		if r == nil {
			return nil, ""
		}
		rel, ok := r.relative(path)
		if !ok {
			return nil, ""
		}
		return r, rel
	}
	for k, doc := range docs.byKey {
		if doc.path == "" {
			continue
		}
		at := place{doc: doc}
		at.repo, at.path = find(string(k))
		if link := linkPath(doc); link != "" {
			r, rel := find(link)
			switch {
			case r != nil && at.repo == r:
				at.link = rel
			case r != nil && at.repo == nil:
				at.repo, at.link = r, rel
			}
		}
		if at.repo == nil {
			continue
		}
		p.places[doc] = at
		if p.repos[at.repo] == nil {
			p.repos[at.repo] = map[string]*document{}
		}
		if at.path != "" {
			p.repos[at.repo][at.path] = doc
		}
	}
	for r, open := range p.repos {
		p.memory[r] = r.isMemory(open)
	}
	return p
}

// of returns the place of a document that is judged.
func (p *placing) of(doc *document) (place, bool) {
	at, ok := p.places[doc]
	if !ok || !p.memory[at.repo] {
		return place{}, false
	}
	return at, isJudged(at.path) || isJudged(at.link)
}

// in lists the documents of a repository that are judged, the one that changed
// last first: its editor is waiting.
func (p *placing) in(r *repo) []place {
	var list []place
	for doc := range p.places {
		if at, ok := p.of(doc); ok && at.repo == r {
			list = append(list, at)
		}
	}
	slices.SortFunc(list, func(a, b place) int { return cmp.Compare(b.doc.seq, a.doc.seq) })
	return list
}

func isJudged(path string) bool { return rules.IsMarkdown(path) || path == config.Path }

// linkPath is the path of the symbolic link that the client opened, with the
// links above it resolved; "" when the client opened the file itself.
func linkPath(doc *document) string {
	if doc.path == string(doc.key) {
		return ""
	}
	path := filepath.Join(resolve(filepath.Dir(doc.path)), filepath.Base(doc.path))
	if key(path) == doc.key {
		return ""
	}
	return path
}

// repoAround returns the repository whose working tree holds the directory,
// or nil. It costs a look at every directory above.
func (s *session) repoAround(ctx context.Context, dir string) *repo {
	s.mu.Lock()
	defer s.mu.Unlock()
	for top := dir; ; top = filepath.Dir(top) {
		info, err := os.Stat(filepath.Join(top, ".git"))
		if err == nil {
			if r := s.repos[top]; r != nil && os.SameFile(r.dotGit, info) {
				return r
			}
			if r := s.open(ctx, top); r != nil {
				return r
			}
		}
		if top == filepath.Dir(top) {
			return nil
		}
	}
}

// open opens the repository at top; nil when .git is not what it seems.
func (s *session) open(ctx context.Context, top string) *repo {
	g, err := gitrepo.OpenPath(ctx, top)
	if err != nil {
		if !errors.Is(err, gitrepo.ErrNoRepository) {
			s.log.Warn("cannot open the repository", "directory", top, "error", err)
		}
		return nil
	}
	info, err := os.Stat(filepath.Join(g.Top, ".git"))
	if g.Top != top || err != nil {
		return nil // found above: the caller comes there
	}
	if old := s.repos[top]; old != nil {
		old.close()
	}
	r := &repo{
		git: g, dotGit: info, gitFiles: gitPaths(g), log: s.log, encoding: s.encoding, approved: s.approved,
		settings: s.settings, tell: s.tell, graph: rules.NewGraph(parsers.New()),
	}
	r.graph.Seen = r.symbols.see
	s.repos[top] = r
	return r
}

// touch tells the repositories that files changed on disk, by their absolute
// paths.
func (s *session) touch(paths []string) {
	for _, r := range s.known() {
		r.touch(paths)
	}
}

// mayBeNew reports whether one of the files that changed can make memory of a
// directory that is none yet.
func (s *session) mayBeNew(paths []string) bool {
	repos := s.known()
	return slices.ContainsFunc(paths, func(path string) bool {
		switch filepath.Base(path) {
		case rules.Index, config.Path, config.PolicyFile, "HEAD":
			return !slices.ContainsFunc(repos, func(r *repo) bool { return within(path, r.git.Top) || within(path, r.git.CommonDir) })
		}
		return false
	})
}

func (s *session) known() []*repo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.repos))
}

// keep closes the repositories that are not in use any more: those without
// open documents that no workspace folder lies in or has found.
func (s *session) keep(used map[*repo]map[string]*document, open *folders) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for top, r := range s.repos {
		if used[r] == nil && !open.below(top) && !open.found(top) {
			r.close()
			delete(s.repos, top)
		}
	}
}
