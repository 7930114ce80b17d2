// Package memory is the tools by which a model keeps its memory. They work on
// a tree laid over that of a commit: nothing on disk changes, so that a turn
// that fails or is cut leaves nothing behind, and all of it is judged at once.
package memory

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/tree"
)

// Options say how tools behave.
type Options struct {
	// Root is the absolute path of the repository, by which models spell paths
	// too; "" for none.
	Root string
	// CreateIndexes lets a write create the indexes that are missing above a new
	// file, and list in them what is new. Else the model is told of them.
	CreateIndexes bool
	// ByMarker says that no file names the repository's policy: whether there is
	// a root index decides it.
	ByMarker bool
}

// A Workspace is a memory as the tools change it. It is for one goroutine.
type Workspace struct {
	opt   Options
	base  rules.Snapshot
	tree  *tree.Tree
	links *rules.Graph

	reasons  []string // of the writes, in order
	message  string   // of finish
	finished bool
}

// New returns the memory as it is in base, whose tree may be nil for a
// repository without a commit. The snapshot needs parsers.
func New(base rules.Snapshot, opt Options) *Workspace {
	w := &Workspace{opt: opt, links: rules.NewGraph(base.Parsers)}
	w.opt.Root = strings.TrimRight(filepath.ToSlash(opt.Root), "/")
	w.base = withTree(base)
	w.tree = w.base.Tree
	return w
}

func withTree(base rules.Snapshot) rules.Snapshot {
	if base.Tree == nil {
		base.Tree = tree.New(nil)
	}
	return base
}

// Base is the tree that the changes are laid over.
func (w *Workspace) Base() *tree.Tree { return w.base.Tree }

// Tree is the memory with all changes.
func (w *Workspace) Tree() *tree.Tree { return w.tree }

// View is that tree as it would be committed on top of the base.
func (w *Workspace) View() *rules.View { return w.viewOf(w.tree) }

// Changes are the files that differ from the base, by path. Those that were
// changed and changed back are not among them.
func (w *Workspace) Changes() []rules.FileChange { return rules.Changes(w.base.Tree, w.tree) }

// Findings are what refuses the whole tree, those of severity error. The error
// means that it could not be judged, and must not be taken for a clean tree.
func (w *Workspace) Findings(ctx context.Context) ([]rules.Finding, error) {
	report, err := w.View().Judge(ctx, rules.Options{})
	if err != nil {
		return nil, err
	}
	var errs []rules.Finding
	for _, f := range report.Findings {
		if f.Severity == rules.Error {
			errs = append(errs, f)
		}
	}
	return errs, nil
}

// Finished reports whether the model has called finish.
func (w *Workspace) Finished() bool { return w.finished }

// Message is what the model says of its changes, for the commit: of finish,
// else the reasons of its writes. It is "" where it said nothing.
func (w *Workspace) Message() string {
	if w.message != "" || len(w.reasons) == 0 {
		return w.message
	}
	message := w.reasons[0]
	if len(w.reasons) > 1 {
		message += "\n\n- " + strings.Join(w.reasons[1:], "\n- ")
	}
	return message
}

// viewOf judges a tree against the base.
func (w *Workspace) viewOf(t *tree.Tree) *rules.View {
	s := w.base
	s.Tree, s.Head = t, w.base.Tree
	s.Staged, s.Committed, s.Unfinished, s.Links = nil, false, "", w.links
	if w.opt.ByMarker {
		marked := t
		if !t.Has(rules.Index) {
			marked = w.base.Tree // to delete the marker does not switch the rules off
		}
		s.Policy = rules.PolicyFor(config.LegacyOnly, false, marked)
	}
	if s.Load != nil {
		s.Load = w.load
	}
	return rules.NewView(s)
}

// load reads files that are as in the base by the base's way, which may know
// them by their ids alone.
func (w *Workspace) load(ctx context.Context, files []*tree.File, each func(*tree.File, []byte)) error {
	var stored []*tree.File
	for _, f := range files {
		if w.base.Tree.File(f.Path) == f {
			stored = append(stored, f)
			continue
		}
		src, err := f.Bytes()
		if err != nil {
			return err
		}
		each(f, src)
	}
	return w.base.Load(ctx, stored, each)
}

// guard refuses a change of what is out of the model's reach.
func (w *Workspace) guard(path string) error {
	view := w.viewOf(w.base.Tree)
	// A directory of that name, or another case, is the config to some system.
	if first, _, _ := strings.Cut(path, "/"); tree.FoldName(first) == config.Path {
		return fmt.Errorf("%s holds the limits of the memory and is changed by a person alone", spell(config.Path))
	}
	if limits := view.Limits(); limits != nil {
		if pattern, ok := limits.IsReadOnly(path); ok {
			return fmt.Errorf("%s is read-only (pattern '%s' of %s): leave it as it is, and write elsewhere", spell(path), rules.Printable(pattern), config.Path)
		}
	}
	f := w.base.Tree.File(path)
	if f != nil && f.Mode == tree.Gitlink {
		return fmt.Errorf("%s is a repository of its own and stays where it is", spell(path))
	}
	if f == nil || !f.Mode.IsRegular() || view.RoleOf(path) != rules.RoleLegacy {
		return nil
	}
	front, err := view.Front(f)
	if err != nil {
		return err
	}
	if value, _ := front.Value("read_only"); value == "true" {
		return fmt.Errorf("%s says read_only: true; leave it as it is, and write elsewhere", spell(path))
	}
	return nil
}

// put writes a file.
func (w *Workspace) put(path string, mode tree.Mode, text []byte) error {
	if err := w.guard(path); err != nil {
		return err
	}
	f := tree.NewFile(path, mode, "", tree.Buffer(text))
	if old := w.base.Tree.File(path); old != nil && old.Mode == mode {
		same, err := tree.SameContent(old, f)
		if err != nil {
			return err
		}
		if same {
			f = old // so that nothing is changed
		}
	}
	w.tree = w.tree.With([]*tree.File{f})
	return nil
}

// remove takes files out.
func (w *Workspace) remove(paths ...string) error {
	for _, path := range paths {
		if err := w.guard(path); err != nil {
			return err
		}
	}
	w.tree = w.tree.With(nil, paths...)
	return nil
}
