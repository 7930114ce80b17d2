package gitrepo

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/memls/memls/rules/tree"
)

// lazyTree reads each directory of a tree object when it is looked into.
func (r *Repo) lazyTree(root tree.OID) *tree.Tree {
	var mu sync.Mutex
	oids := map[string]tree.OID{"": root} // of the directories seen so far
	return tree.Lazy(func(dir string) (files []*tree.File, dirs []string, err error) {
		mu.Lock()
		oid := oids[dir]
		mu.Unlock()
		data, err := r.object(context.Background(), oid, "tree")
		if err != nil {
			return nil, nil, fmt.Errorf("directory %q: %w", dir, err)
		}
		entries, err := parseTree(string(data), r.OIDSize)
		if err != nil {
			return nil, nil, fmt.Errorf("directory %q: %w", dir, &ObjectError{oid, err})
		}
		prefix := ""
		if dir != "" {
			prefix = dir + "/"
		}
		mu.Lock()
		defer mu.Unlock()
		for _, e := range entries {
			if e.mode == modeDirectory {
				dirs = append(dirs, e.name)
				oids[prefix+e.name] = e.oid
			} else {
				files = append(files, tree.NewFile(prefix+e.name, e.mode, e.oid, r.content(e.mode)))
			}
		}
		return files, dirs, nil
	})
}

type treeEntry struct {
	name string
	mode tree.Mode
	oid  tree.OID
}

// parseTree reads a tree object: "mode SP name NUL oid" without separators.
// go-git's reader is not used because its walker refuses names with control
// characters, which git can hold.
func parseTree(data string, oidSize int) ([]treeEntry, error) {
	var entries []treeEntry
	for data != "" {
		mode, rest, ok := strings.Cut(data, " ")
		m, err := strconv.ParseUint(mode, 8, 32)
		if !ok || err != nil {
			return nil, fmt.Errorf("is a damaged tree: no mode where one should be")
		}
		name, rest, ok := strings.Cut(rest, "\x00")
		if !ok || len(rest) < oidSize {
			return nil, fmt.Errorf("is a damaged tree: truncated after %q", name)
		}
		if name == "" || name == "." || name == ".." || strings.Contains(name, "/") {
			return nil, fmt.Errorf("is a damaged tree: it holds the name %q", name)
		}
		entries = append(entries, treeEntry{name, tree.Mode(m), tree.OID(rest[:oidSize])})
		data = rest[oidSize:]
	}
	return entries, nil
}
