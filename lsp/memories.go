package lsp

import (
	"cmp"
	"maps"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/memls/memls/lsp/fileuri"
)

// methodMemoryChanged is a notification of ours, for clients that announce the
// experimental capability memoryChanged: a memory is another one than the last
// time, on disk, in git or in an unsaved file. It names every memory that is
// known, with its size; [commandTree] and [commandCompilePrompt] have the rest.
const methodMemoryChanged = "memls/memoryChanged"

type memoryChangedParams struct {
	Memories []knownMemory `json:"memories"`
}

// knownMemory is one repository.
type knownMemory struct {
	URI  protocol.DocumentURI `json:"uri"` // of its top directory
	Core size                 `json:"core"`
}

// tellMemories tells the client of the memories, unless it has been told.
func (e *engine) tellMemories(now map[*repo]*judging) {
	if !e.server.client.Capabilities.TellMemory() || e.told != nil && maps.Equal(e.told, now) {
		return
	}
	e.told = now
	params := memoryChangedParams{Memories: []knownMemory{}}
	for r, j := range now {
		core, err := coreSize(j.view)
		r.complain(err)
		params.Memories = append(params.Memories, knownMemory{protocol.DocumentURI(fileuri.FromPath(r.git.Top)), core})
	}
	slices.SortFunc(params.Memories, func(a, b knownMemory) int { return cmp.Compare(a.URI, b.URI) })
	if err := e.server.conn.Notify(methodMemoryChanged, params); err != nil {
		e.server.log.Debug("memories not told", "error", err)
	}
}
