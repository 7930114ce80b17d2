package rules

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/tree"
)

// A Snapshot is everything that a judgement depends on.
type Snapshot struct {
	// Tree is judged.
	Tree *tree.Tree
	// Head is the last commit's tree, nil when there is none.
	Head *tree.Tree
	// Staged is set when Tree is a working tree: what git would commit now.
	Staged *tree.Tree
	Policy config.Policy
	// ApproveConfig lets the commit change .memfs.config.json: a person has
	// said so through the environment.
	ApproveConfig bool
	// Committed says that Tree is history: every file counts as changed, and
	// nothing is protected from a change that has long happened.
	Committed bool
	// Unfinished names the git operation that waits for its end ("merge").
	Unfinished string
	// Parsers are needed for everything but refusals.
	Parsers *Parsers
	// Links knows which files have links to others, so that refactorings need
	// not look at all of them; nil where nobody keeps that.
	Links *Graph
	// Load reads many files, calling each for every one that could be read,
	// possibly at the same time. Nil reads them one by one.
	Load func(ctx context.Context, files []*tree.File, each func(*tree.File, []byte)) error
}

// PolicyFor is the policy of a repository outside the hook: what the policy
// file says, else root-marker when the tree has a root index (spec, section 2).
func PolicyFor(p config.Policy, found bool, t *tree.Tree) config.Policy {
	switch {
	case found:
		return p
	case t.Has(Index):
		return config.RootMarker
	}
	return config.LegacyOnly
}

// A Role is how a file is read.
type Role int

// The roles.
const (
	RoleNone   Role = iota // not judged by its text
	RoleMemory             // v2 frontmatter: name and description
	RoleIndex              // MEMORY.md: no frontmatter
	RoleLegacy             // v1 frontmatter
	RoleSkill              // Markdown in skills/
	RoleConfig             // .memfs.config.json
)

// A View is a snapshot with what follows from its policy and config.
type View struct {
	Snapshot
	// V2 is "v2 is active", V2Front "v2 frontmatter is used" (spec, section 2).
	V2, V2Front bool

	config func() configState
	fixes  *fixMemo

	mu   sync.Mutex
	gaps map[string]string

	listings listings
}

type configState struct {
	file      *tree.File
	irregular bool
	problems  []config.Problem
	// limits is nil when nothing is limited: no config, or a broken one.
	limits *config.Config
	err    error
}

// NewView prepares the judgement of a snapshot.
func NewView(s Snapshot) *View {
	if s.Parsers == nil {
		s.Parsers = noParsers
	}
	v := &View{Snapshot: s, gaps: map[string]string{}, fixes: &fixMemo{}}
	// Where the last commit has a directory of that name, the reference takes
	// it for the index: git does not tell them apart when asked for HEAD's.
	v.V2 = s.Policy == config.RootMarker && (s.Tree.Has(Index) || s.Head.Has(Index) || s.Head.Dir(Index) != nil)
	v.V2Front = v.V2 || s.Policy == config.SharedMemory
	v.config = sync.OnceValue(v.readConfig)
	return v
}

// with is the view of the same repository with another tree.
func (v *View) with(t *tree.Tree) *View {
	s := v.Snapshot
	s.Tree, s.Load = t, nil
	return NewView(s)
}

func (v *View) readConfig() configState {
	f := v.Tree.File(config.Path)
	st := configState{file: f}
	switch {
	case f == nil && v.V2:
		st.limits = config.Defaults()
		return st
	case f == nil:
		return st
	case !f.Mode.IsRegular():
		st.irregular = true
		return st
	}
	src, err := f.Bytes()
	if err != nil {
		st.err = err
		return st
	}
	st.limits, st.problems = config.Parse(src)
	if len(st.problems) > 0 {
		st.limits = nil
	} else if v.Policy == config.RootMarker {
		st.limits = st.limits.WithDefaults()
	}
	return st
}

// Limits are the budgets and other limits in force; nil when there are none
// or the config is broken.
func (v *View) Limits() *config.Config { return v.config().limits }

// configBroken reports whether the config cannot be used: then nothing of
// spec section 5 is judged but the config itself.
func (v *View) configBroken() bool {
	st := v.config()
	return st.irregular || len(st.problems) > 0
}

// RoleOf says how the file is read.
func (v *View) RoleOf(path string) Role {
	switch {
	case path == config.Path:
		return RoleConfig
	case !IsMarkdown(path):
		return RoleNone
	case InSkills(path) || !v.V2Front && strings.HasPrefix(path, "memory/skills/"):
		return RoleSkill
	case v.V2Front && IsIndex(path):
		return RoleIndex
	case v.V2Front:
		return RoleMemory
	case IsLegacy(path):
		return RoleLegacy
	}
	return RoleNone
}

// Constrained reports whether index chain, depth and budgets are judged for
// the path (spec, section 3).
func (v *View) Constrained(path string) bool {
	if !IsMarkdown(path) || InSkills(path) {
		return false
	}
	return v.V2Front || IsLegacy(path)
}

// Projected reports whether the file is part of the memory: every directory
// above it has its index (spec, section 1). Only v2 has such a chain.
func (v *View) Projected(path string) bool {
	switch {
	case !v.V2:
		return true
	case path == "skills" || InSkills(path):
		return false
	}
	return v.Gap(path) == ""
}

// Gap is the topmost index missing above the path, "" when the chain is whole.
func (v *View) Gap(path string) string {
	dir := dirOf(path)
	if dir == "" {
		return ""
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	gap, ok := v.gaps[dir]
	if !ok {
		gap = v.findGap(dir)
		v.gaps[dir] = gap
	}
	return gap
}

func (v *View) findGap(dir string) string {
	d := v.Tree.Root()
	for rest := dir; rest != ""; {
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		index := joinPath(joinPath(d.Path, name), Index)
		if sub := d.Dir(name); sub == nil || sub.File(Index) == nil {
			return index
		} else {
			d = sub
		}
	}
	return ""
}

// A Change is how a path differs from the last commit.
type Change int

// The changes, as git diff names them.
const (
	Unchanged Change = iota
	Added
	Modified // content or executable bit
	TypeChanged
	Deleted
)

// ChangeOf compares the path with the last commit.
func (v *View) ChangeOf(path string) (Change, error) {
	f, h := v.Tree.File(path), v.Head.File(path)
	if f != nil && f.IntentToAdd {
		f = nil // the commit leaves out what `git add -N` only marks
	}
	switch {
	case f == nil && h == nil:
		return Unchanged, nil
	case h == nil:
		return Added, nil
	case f == nil:
		return Deleted, nil
	case f.Mode.Type() != h.Mode.Type():
		return TypeChanged, nil
	case f.Mode != h.Mode:
		return Modified, nil
	case f.Mode == tree.Gitlink && (f.OID == "" || h.OID == ""):
		return Unchanged, nil // a submodule's content lies in its own repository
	}
	same, err := tree.SameContent(h, f)
	if err != nil {
		return Unchanged, fmt.Errorf("comparing with the last commit: %w", err)
	}
	if same {
		return Unchanged, nil
	}
	return Modified, nil
}

// Changed reports whether the commit would add or modify the path: what v1
// and the rule against flat skills are limited to. Type changes are not among
// them, as in the reference (diff filter ACM).
func (v *View) Changed(path string) bool {
	if v.Committed {
		return true
	}
	c, err := v.ChangeOf(path)
	// What cannot be compared is taken as changed: it is judged.
	return err != nil || c == Added || c == Modified
}
