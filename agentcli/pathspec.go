package agentcli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memls/memls/rules"
)

// A selection is what PATH arguments name: files, and directories with all
// below them, relative to the repository with '/'. An empty one is everything.
type selection []string

// has reports whether the path is selected.
func (s selection) has(path string) bool {
	return len(s) == 0 || slices.ContainsFunc(s, func(spec string) bool { return covers(spec, path) })
}

// covers reports whether spec names path or a directory above it.
func covers(spec, path string) bool {
	rest, ok := strings.CutPrefix(path, spec)
	return ok && (spec == "" || rest == "" || rest[0] == '/')
}

// hasFinding reports whether the finding is about what is selected. What
// concerns the whole tree concerns every file; the core memory is the files in
// it.
func (s selection) hasFinding(f *rules.Finding, isCore func(path string) bool) bool {
	switch {
	case f.Path != "" || len(s) == 0:
		return s.has(f.Path)
	case f.Scope == rules.ScopeCore:
		return slices.ContainsFunc(s, func(spec string) bool { return spec == "" || isCore(spec) })
	}
	return true
}

// resolve turns PATH arguments into a selection. Like those of git they start
// from the directory that the command runs in, or with ":/" from the top;
// unlike those they hold no patterns, which shells expand.
func (r *repository) resolve(args []string) (selection, error) {
	var s selection
	for _, arg := range args {
		spec, err := r.relative(arg)
		if err != nil {
			return nil, err
		}
		s = append(s, spec)
	}
	return s, nil
}

// relative is the path relative to the repository, "" for its top.
func (r *repository) relative(arg string) (string, error) {
	if arg == "" {
		return "", fmt.Errorf("an empty path names nothing; use . for the whole repository")
	}
	top := resolved(r.root())
	abs := arg
	switch fromTop, ok := strings.CutPrefix(arg, ":/"); {
	case ok:
		abs = filepath.Join(top, fromTop)
	case !filepath.IsAbs(arg):
		abs = filepath.Join(r.base, arg)
	case !isWithin(arg, top):
		// It may lead here through a symbolic link.
		abs = filepath.Join(resolved(filepath.Dir(arg)), filepath.Base(arg))
	}
	rel, err := filepath.Rel(top, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s: is outside the repository %s", rules.Display(arg), top)
	}
	if rel == "." {
		return "", nil
	}
	return filepath.ToSlash(rel), nil
}
