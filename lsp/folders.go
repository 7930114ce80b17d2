package lsp

import (
	"context"
	"maps"
	"slices"
	"sync"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/fileuri"
	"github.com/memls/memls/lsp/wire"
)

// folders are the workspace folders. Which repositories are looked at is
// decided by open files first; requests about the whole workspace, which come
// without one, are about those in, around and near below a folder, too. Closing
// a folder silences the files that stay open in it.
type folders struct {
	mu    sync.Mutex
	roots map[string]*scan // by resolved path; nil before the first request
	// mutes holds the documents of removed folders, by what [document.opened]
	// was: opened again, a document is served like any outside of all folders.
	mutes map[protocol.DocumentURI]uint64
}

// rootsOf are the folders that a client begins with: the root, for those that
// know no folders.
func rootsOf(p *wire.InitializeParams) []protocol.WorkspaceFolder {
	switch {
	case len(p.WorkspaceFolders) > 0:
		return p.WorkspaceFolders
	case p.RootURI != nil:
		return []protocol.WorkspaceFolder{{URI: *p.RootURI}}
	case p.RootPath != nil && *p.RootPath != "":
		return []protocol.WorkspaceFolder{{URI: fileuri.FromPath(*p.RootPath)}}
	}
	return nil
}

func (f *folders) add(list []protocol.WorkspaceFolder) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.roots == nil {
		f.roots, f.mutes = map[string]*scan{}, map[protocol.DocumentURI]uint64{}
	}
	for _, folder := range list {
		path, k := identify(protocol.DocumentURI(folder.URI))
		if _, known := f.roots[string(k)]; path != "" && !known {
			f.roots[string(k)] = nil
		}
	}
	for uri := range f.mutes {
		if _, k := identify(uri); f.cover(k) {
			delete(f.mutes, uri)
		}
	}
}

func (f *folders) remove(list []protocol.WorkspaceFolder, open *documents) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, folder := range list {
		path, root := identify(protocol.DocumentURI(folder.URI))
		if path == "" {
			continue
		}
		if scan := f.roots[string(root)]; scan != nil {
			scan.stop()
		}
		delete(f.roots, string(root))
		for uri, doc := range open.byURI {
			if within(string(doc.key), string(root)) && !f.cover(doc.key) {
				f.mutes[uri] = doc.opened
			}
		}
	}
}

func (f *folders) cover(k key) bool {
	for root := range f.roots {
		if within(string(k), root) {
			return true
		}
	}
	return false
}

// below reports whether a folder lies in the directory.
func (f *folders) below(dir string) bool {
	if f == nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for root := range f.roots {
		if within(root, dir) {
			return true
		}
	}
	return false
}

// found reports whether a scan found the repository.
func (f *folders) found(top string) bool {
	if f == nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, scan := range f.roots {
		if scan != nil && slices.Contains(scan.finished(), top) {
			return true
		}
	}
	return false
}

// scans are the folders with what is looked for below them; where nothing was,
// it begins now, and found is called at its end.
func (f *folders) scans(ctx context.Context, found func()) map[string]*scan {
	f.mu.Lock()
	defer f.mu.Unlock()
	for root, scan := range f.roots {
		if scan == nil {
			f.roots[root] = startScan(ctx, root, found)
		}
	}
	return maps.Clone(f.roots)
}

// rescan makes the next request look again.
func (f *folders) rescan() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for root := range f.roots {
		f.roots[root] = nil
	}
}

// stop stops the scans that run.
func (f *folders) stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, scan := range f.roots {
		if scan != nil {
			scan.stop()
		}
	}
}

// muted reports whether the document's folder was removed under it.
func (f *folders) muted(doc *document) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	opened, ok := f.mutes[doc.uri]
	return ok && opened == doc.opened
}

// addFolders adds the repositories of the workspace folders, whether a file of
// them is open or not. It waits until they are found, or else takes what is.
func (s *Server) addFolders(ctx context.Context, session *session, p *placing, wait bool) error {
	for root, scan := range s.folders.scans(ctx, func() { s.engine.changed(changes{}) }) {
		p.addRoot(ctx, session, root)
		tops := scan.finished()
		if wait {
			var err error
			if tops, err = scan.wait(ctx); err != nil {
				return err
			}
		}
		for _, top := range tops {
			p.addRoot(ctx, session, top)
		}
	}
	return nil
}

// addRoot adds the repository around a directory.
func (p *placing) addRoot(ctx context.Context, s *session, dir string) {
	r := s.repoAround(ctx, dir)
	if r == nil || p.repos[r] != nil {
		return
	}
	p.repos[r] = map[string]*document{}
	p.memory[r] = r.isMemory(nil)
}

func (s *Server) didChangeWorkspaceFolders(_ context.Context, p *protocol.DidChangeWorkspaceFoldersParams) error {
	s.folders.remove(p.Event.Removed, s.documents.Load())
	s.folders.add(p.Event.Added)
	s.engine.changed(changes{})
	return nil
}

func announceFolders(server *wire.ServerCapabilities, _ *wire.ClientCapabilities) {
	if server.Workspace == nil {
		server.Workspace = &protocol.ServerCapabilitiesWorkspace{}
	}
	server.Workspace.WorkspaceFolders = &protocol.ServerCapabilitiesWorkspaceFolders{Supported: true, ChangeNotifications: true}
}
