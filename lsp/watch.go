package lsp

import (
	"context"
	"path/filepath"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/wire"
)

// watched are the files whose changes the client is asked to tell. Of git's own
// only those that a judgement depends on, and never its objects: some clients
// leave all of .git out, for these there are [marks].
var watched = []string{
	"**/*.md", "**/.memfs.config.json", "**/.gitignore", "**/.gitattributes",
	"**/.git/HEAD", "**/.git/index", "**/.git/packed-refs", "**/.git/refs/heads/**",
	"**/.git/{MERGE_HEAD,CHERRY_PICK_HEAD,REVERT_HEAD}", "**/.git/letta-memory-layout-policy",
}

// watches reports whether the client tells of changes on disk.
func (s *Server) watches() bool {
	return s.client.Capabilities.Workspace.DidChangeWatchedFiles.DynamicRegistration.DynamicRegistration
}

// registerWatchers asks the client to watch files. The server has no watcher
// of its own: recursive ones exhaust the system's supply.
func (s *Server) registerWatchers(ctx context.Context) {
	if !s.watches() {
		return
	}
	var options wire.DidChangeWatchedFilesRegistrationOptions
	for _, glob := range watched {
		options.Watchers = append(options.Watchers, wire.FileSystemWatcher{GlobPattern: glob})
	}
	err := s.conn.Call(ctx, protocol.MethodClientRegisterCapability, protocol.RegistrationParams{
		Registrations: []protocol.Registration{{
			ID: "memls/watched-files", Method: protocol.MethodWorkspaceDidChangeWatchedFiles, RegisterOptions: options,
		}},
	}, nil)
	if err != nil {
		s.log.Warn("the client watches no files", "error", err)
	}
}

func (s *Server) didChangeWatchedFiles(_ context.Context, p *protocol.DidChangeWatchedFilesParams) error {
	var c changes
	for _, event := range p.Changes {
		if event == nil {
			continue
		}
		path, k := identify(event.URI)
		if path == "" {
			continue
		}
		// A link can be what has changed, or what it leads to.
		link := filepath.Join(resolve(filepath.Dir(path)), filepath.Base(path))
		if c.files = append(c.files, string(k)); link != string(k) {
			c.files = append(c.files, link)
		}
	}
	s.engine.changed(c)
	return nil
}
