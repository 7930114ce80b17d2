package gitrepo

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/memls/memls/rules/tree"
)

// A hook needs the last commit and its top directory, which in a repository
// fresh from clone or gc are in a pack: asking git for them costs a process,
// half of what the hook costs otherwise. So a hook keeps what it had to ask
// for in <common directory>/memls/objects, under the object's id. What is read
// back has to hash to that id, so that nothing but time depends on these files.
const (
	keptObjects = 32      // files; with one more, all go
	keptSize    = 1 << 18 // bytes of an object
)

// kept returns an object that an earlier hook kept.
func (r *Repo) kept(oid tree.OID) (kind string, data []byte, ok bool) {
	if !r.hook || r.redirected() {
		return "", nil, false
	}
	b, err := readFile(filepath.Join(r.CommonDir, "memls", "objects", oid.String()), keptSize+16)
	if err != nil {
		return "", nil, false
	}
	name, data, ok := bytes.Cut(b, []byte("\n"))
	return string(name), data, ok && hashObject(string(name), data, r.OIDSize) == oid
}

// keep keeps an object for the next hook, as far as that works.
func (r *Repo) keep(oid tree.OID, kind string, data []byte) {
	if !r.hook || kind == "blob" || len(data) > keptSize || r.redirected() {
		return
	}
	root, err := os.OpenRoot(r.CommonDir)
	if err != nil {
		return
	}
	defer root.Close()
	for _, dir := range []string{"memls", "memls/objects"} {
		err := root.Mkdir(dir, 0o777)
		// Links are not followed: the directories must be real ones.
		if info, statErr := root.Lstat(dir); err != nil && !errors.Is(err, fs.ErrExist) || statErr != nil || !info.IsDir() {
			return
		}
	}
	if old, err := fs.ReadDir(root.FS(), "memls/objects"); err == nil && len(old) >= keptObjects {
		for _, entry := range old {
			_ = root.Remove("memls/objects/" + entry.Name())
		}
	}
	temp := fmt.Sprintf("memls/objects/temp.%016x", rand.Uint64())
	if err := root.WriteFile(temp, append([]byte(kind+"\n"), data...), 0o666); err == nil {
		err = root.Rename(temp, "memls/objects/"+oid.String())
		if err == nil {
			return
		}
	}
	_ = root.Remove(temp)
}
