package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// An eolAction is what git does to the line ends of a file when it is added
// (crlf_action in git's convert.c). Which line ends a checkout writes, and so
// core.eol and the value of eol=, makes no difference here.
type eolAction uint8

const (
	eolKeep eolAction = iota // nothing
	eolText                  // CRLF becomes LF
	eolAuto                  // the same, unless the content tells against it
)

// attributes are the ones that decide about line ends, in the order that they
// are asked for; values are as `git check-attr` prints them.
var attributes = []string{"text", "crlf", "eol"}

// ruleOf is the decision of convert_attrs in git's convert.c. The values are
// those of attributes; autoCRLF says that core.autocrlf is true or input.
func ruleOf(text, crlf, eol string, autoCRLF bool) eolAction {
	action, known := textRule[text]
	if !known {
		action, known = textRule[crlf]
	}
	switch {
	case known:
		return action
	case eol == "lf", eol == "crlf":
		return eolText
	case autoCRLF:
		return eolAuto
	}
	return eolKeep
}

// textRule is git_path_check_crlf of git's convert.c. Values that are not
// here, such as "unspecified", decide nothing.
var textRule = map[string]eolAction{"set": eolText, "unset": eolKeep, "input": eolText, "auto": eolAuto}

// convertEOL returns raw as git stores it under action. indexed gives the
// content that the index has for the path, nil when it has none; it is called
// at most once and only when it matters.
func convertEOL(raw []byte, action eolAction, indexed func() ([]byte, error)) ([]byte, error) {
	if action == eolKeep || !hasCRLF(raw) {
		return raw, nil
	}
	if action == eolText {
		return dropCR(raw), nil
	}
	if looksBinary(raw) {
		return raw, nil
	}
	old, err := indexed()
	if err != nil {
		return nil, err
	}
	if hasCRLF(old) && !looksBinary(old) {
		return raw, nil
	}
	// Not binary means without a lone CR: git drops every CR here, we only
	// those before LF, which are the same.
	return dropCR(raw), nil
}

func hasCRLF(b []byte) bool { return bytes.Contains(b, crlf) }

func dropCR(b []byte) []byte { return bytes.ReplaceAll(b, crlf, lf) }

var crlf, lf = []byte("\r\n"), []byte("\n")

// looksBinary is convert_is_binary of git's convert.c: a NUL, a CR that no LF
// follows, or more than one control character for 128 others.
func looksBinary(b []byte) bool {
	printable, control := 0, 0
	for i, c := range b {
		switch {
		case c == 0:
			return true
		case c == '\r':
			if i+1 == len(b) || b[i+1] != '\n' {
				return true
			}
		case c == '\n':
		case c == '\b', c == '\t', c == '\f', c == 0x1b, c >= ' ' && c != 0x7f:
			printable++
		default:
			control++
		}
	}
	if len(b) > 0 && b[len(b)-1] == 0x1a {
		control-- // the end-of-file mark of CP/M and DOS
	}
	return printable/128 < control
}

// eolRules knows the eolAction of paths. It asks git when it is first needed,
// for all paths that were announced at once: a tree of ten thousand files with
// CRLF costs two processes, a tree without any none.
type eolRules struct {
	repo *Repo

	mu       sync.Mutex
	settings func() (settings, error)
	actions  map[string]eolAction
	pending  []string
}

func newEOLRules(r *Repo, s func() (settings, error)) *eolRules {
	return &eolRules{repo: r, settings: s, actions: map[string]eolAction{}}
}

// announce names paths that will be asked for.
func (e *eolRules) announce(paths []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pending = append(e.pending, paths...)
}

func (e *eolRules) action(ctx context.Context, path string) (eolAction, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if a, ok := e.actions[path]; ok {
		return a, nil
	}
	s, err := e.settings()
	if err != nil {
		return eolKeep, err
	}
	ask := append(e.pending, path)
	slices.Sort(ask)
	ask = slices.Compact(ask)
	values, err := e.repo.attributes(ctx, ask)
	if err != nil {
		return eolKeep, err
	}
	for p, v := range values {
		e.actions[p] = ruleOf(v[0], v[1], v[2], s.autoCRLF)
	}
	e.pending = nil
	return e.actions[path], nil
}

// attributes asks git, in one process, for the attributes of the paths that
// decide about line ends. Attributes files count as they are on disk: git
// would look for one that is missing there in the index, but by the time that
// `git add -A` adds files, those that were deleted are gone from it.
func (r *Repo) attributes(ctx context.Context, paths []string) (map[string][3]string, error) {
	stdin := strings.NewReader(strings.Join(paths, "\x00") + "\x00")
	cmd := r.Command(ctx, append([]string{"check-attr", "-z", "--stdin"}, attributes...)...)
	cmd.Stdin = stdin
	cmd.Env = append(slices.Clip(cmd.Env), "GIT_INDEX_FILE="+filepath.Join(r.GitDir, "memls", "no-index"))
	out, err := output(ctx, cmd)
	if err != nil {
		return nil, err
	}
	values := make(map[string][3]string, len(paths))
	for rest := string(out); rest != ""; {
		var field [3]string // path, attribute, value
		for i := range field {
			var ok bool
			if field[i], rest, ok = strings.Cut(rest, "\x00"); !ok {
				return nil, fmt.Errorf("git check-attr: answer ends in the middle")
			}
		}
		v := values[field[0]]
		if i := slices.Index(attributes, field[1]); i >= 0 {
			v[i] = field[2]
		}
		values[field[0]] = v
	}
	return values, nil
}

// StageBytes returns what git would store for raw as the content of the file
// at path: with CRLF line ends converted where attributes and core.autocrlf
// say so. It is meant for the unsaved text of an editor. When git cannot be
// asked, raw is returned as it is.
//
// Only line ends are converted. Clean filters (filter=, such as Git LFS) are
// other people's programs and never run; ident and working-tree-encoding are
// not applied.
func (r *Repo) StageBytes(ctx context.Context, path string, raw []byte) []byte {
	if !hasCRLF(raw) {
		return raw
	}
	rules := newEOLRules(r, func() (settings, error) { return r.settings(ctx) })
	return stageBytes(ctx, rules, path, raw, func() ([]byte, error) {
		index, err := r.Index(ctx)
		if err != nil {
			return nil, err
		}
		return r.indexed(ctx, index, path)
	})
}

// StageBytes is Repo.StageBytes with what is already known of the repository:
// it asks git at most once per path.
func (w *Worktree) StageBytes(ctx context.Context, path string, raw []byte) []byte {
	return stageBytes(ctx, w.disk.eol, path, raw, func() ([]byte, error) {
		return w.disk.repo.indexed(ctx, w.index, path)
	})
}

// StagesLike reports whether texts are stored by the rules of another state of
// the working tree: neither attributes nor configuration changed in between.
func (w *Worktree) StagesLike(other *Worktree) bool { return w.disk == other.disk }

// indexed is the content that the index has for path, nil when it has none.
func (r *Repo) indexed(ctx context.Context, index *Index, path string) ([]byte, error) {
	oid := storedOID(index.at(path))
	if oid == "" {
		return nil, nil
	}
	return r.Blob(ctx, oid)
}

func stageBytes(ctx context.Context, rules *eolRules, path string, raw []byte, indexed func() ([]byte, error)) []byte {
	if !hasCRLF(raw) {
		return raw
	}
	action, err := rules.action(ctx, path)
	if err != nil {
		return raw
	}
	b, err := convertEOL(raw, action, indexed)
	if err != nil {
		return raw
	}
	return b
}

// settings are the parts of git's configuration that say how files of the
// working tree are added.
type settings struct {
	autoCRLF bool // core.autocrlf is true or input
	fileMode bool // the executable bit on disk means something
	symlinks bool // links are links, not files that hold their target
}

func (r *Repo) settings(ctx context.Context) (settings, error) {
	s := settings{fileMode: true, symlinks: true}
	out, err := r.Run(ctx, nil, "config", "-z", "--get-regexp", `^core\.(autocrlf|filemode|symlinks)$`)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
		return s, nil // none is set
	}
	if err != nil {
		return s, err
	}
	for record := range strings.SplitSeq(string(out), "\x00") {
		key, value, given := strings.Cut(record, "\n")
		on := !given || isTrue(value)
		switch key {
		case "core.autocrlf":
			s.autoCRLF = on || strings.EqualFold(value, "input")
		case "core.filemode":
			s.fileMode = on
		case "core.symlinks":
			s.symlinks = on
		}
	}
	return s, nil
}

// isTrue reads a value as git_config_bool does; what git rejects is false.
func isTrue(value string) bool {
	switch strings.ToLower(value) {
	case "true", "yes", "on":
		return true
	}
	n, err := strconv.Atoi(value)
	return err == nil && n != 0
}
