package lsp

import (
	"context"
	"maps"
	"slices"
	"sync"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/wire"
)

// folders are the workspace folders. They decide nothing about which
// repositories are looked at, that is what open files do, but closing a folder
// silences the files that stay open in it.
type folders struct {
	mu    sync.Mutex
	roots map[string]bool // resolved paths
	// mutes holds the documents of removed folders, by what [document.opened]
	// was: opened again, a document is served like any outside of all folders.
	mutes map[protocol.DocumentURI]uint64
}

func (f *folders) add(list []protocol.WorkspaceFolder) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.roots == nil {
		f.roots, f.mutes = map[string]bool{}, map[protocol.DocumentURI]uint64{}
	}
	for _, folder := range list {
		if path, k := identify(protocol.DocumentURI(folder.URI)); path != "" {
			f.roots[string(k)] = true
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

// eachRoot calls do with every folder, in order.
func (f *folders) eachRoot(do func(dir string)) {
	f.mu.Lock()
	roots := slices.Sorted(maps.Keys(f.roots))
	f.mu.Unlock()
	for _, root := range roots {
		do(root)
	}
}

// muted reports whether the document's folder was removed under it.
func (f *folders) muted(doc *document) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	opened, ok := f.mutes[doc.uri]
	return ok && opened == doc.opened
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
