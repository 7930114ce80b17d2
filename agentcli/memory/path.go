package memory

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memls/memls/agentcli/blocks"
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/tree"
)

// root is what models know the memory by.
const root = "/memories"

// maxPath bounds a path, in bytes, as most systems do.
const maxPath = 4096

// spell is a path of the tree as models are told it.
func spell(p string) string {
	if p == "" {
		return root
	}
	return root + "/" + rules.Display(p)
}

// dirOf is the directory of a path of the tree, "" at the root.
func dirOf(p string) string {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		return p[:i]
	}
	return ""
}

// locate turns a path as a model spells it into one of the tree, "" for the
// root. Whatever is there, or is not: the way to it leads through directories
// of the tree alone. The name of a file may leave out ".md".
func (w *Workspace) locate(given string) (string, error) {
	p, err := w.locateExact(given)
	if err == nil && !w.exists(p) && path.Ext(p) == "" && !rules.InSkills(p) {
		p += ".md"
		err = w.walk(p)
	}
	return p, err
}

func (w *Workspace) locateExact(given string) (string, error) {
	if given == "" {
		return "", errors.New("the path is empty: write it as " + root + "/NAME.md")
	}
	if len(given) > maxPath {
		return "", fmt.Errorf("the path is longer than %d bytes: use a shorter one", maxPath)
	}
	if !utf8.ValidString(given) || strings.ContainsFunc(given, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return "", fmt.Errorf("the path %s holds a character that cannot be printed: use plain names", rules.Display(given))
	}
	p, err := w.relative(given)
	if err != nil || p == "" {
		return "", err
	}
	for segment := range strings.SplitSeq(p, "/") {
		if isGit(segment) {
			return "", fmt.Errorf("%s: git keeps its own files under that name: choose another one", spell(p))
		}
	}
	if err := w.walk(p); err != nil {
		return "", err
	}
	if !w.exists(p) && percentEncoded.MatchString(p) {
		return "", fmt.Errorf("%s: is percent-encoded: write the name itself", spell(p))
	}
	return p, nil
}

var percentEncoded = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)

// exists reports whether something is at a path; at the root there always is.
func (w *Workspace) exists(p string) bool { return w.tree.Has(p) || w.tree.Dir(p) != nil }

// relative takes off what stands for the root, and segments that mean nothing.
func (w *Workspace) relative(given string) (string, error) {
	p := strings.ReplaceAll(given, `\`, "/")
	rest, ok := w.below(p)
	if !ok {
		return "", fmt.Errorf("the path %s is outside the memory: write it as %s/NAME.md", rules.Display(given), root)
	}
	var segments []string
	for segment := range strings.SplitSeq(rest, "/") {
		switch segment {
		case "..":
			return "", fmt.Errorf("the path %s holds \"..\": write the whole path, from %s on", rules.Display(given), root)
		case "", ".":
		default:
			segments = append(segments, segment)
		}
	}
	return strings.Join(segments, "/"), nil
}

// below is the part of a path below the root, in any of the root's spellings.
func (w *Workspace) below(p string) (rest string, ok bool) {
	for _, prefix := range []string{root, "$MEMORY_DIR", "${MEMORY_DIR}", w.opt.Root} {
		if rest, ok := strings.CutPrefix(p, prefix); ok && prefix != "" && (rest == "" || rest[0] == '/') {
			return rest, true
		}
	}
	first, rest, _ := strings.Cut(p, "/")
	switch {
	case first == "" || first[0] == '~' || first[0] == '$' || drive.MatchString(first):
		return "", false
	case (first == "memory" || first == "memories") && !w.exists(first):
		return rest, true // the root, without its slash
	}
	return p, true
}

var drive = regexp.MustCompile(`^[A-Za-z]:`)

// isGit reports whether some system takes a name for git's own directory: case
// and normal forms apart, NTFS knows short names, and streams behind a colon.
func isGit(name string) bool {
	name, _, _ = strings.Cut(name, ":")
	switch tree.FoldName(strings.TrimRight(name, " .")) {
	case ".git", "git~1":
		return true
	}
	return false
}

// walk follows a path down the tree, as far as there is something.
func (w *Workspace) walk(p string) error {
	d := w.tree.Root()
	for at := 0; d != nil; {
		name, _, more := strings.Cut(p[at:], "/")
		here := p[:at+len(name)]
		if f := d.File(name); f != nil {
			switch {
			case more && f.Mode == tree.Symlink:
				return fmt.Errorf("%s is a symbolic link, which is not followed", spell(here))
			case more:
				return fmt.Errorf("%s is a file, not a directory", spell(here))
			}
			return nil
		}
		sub := d.Dir(name)
		if twins := d.Twins(name); sub == nil && len(twins) > 0 {
			return fmt.Errorf("%s does not exist, but %s does, which is the same name on some systems: use that one",
				spell(here), spell(path.Join(d.Path, twins[0])))
		}
		if !more {
			return nil
		}
		d, at = sub, at+len(name)+1
	}
	return nil
}

// file is the text file that a path names.
func (w *Workspace) file(given string) (*tree.File, []byte, error) {
	p, err := w.locate(given)
	if err != nil {
		return nil, nil, err
	}
	f := w.tree.File(p)
	switch {
	case f == nil && (p == "" || w.tree.Dir(p) != nil):
		return nil, nil, fmt.Errorf("%s is a directory, not a file", spell(p))
	case f == nil:
		return nil, nil, w.missing(p)
	case f.Mode == tree.Symlink:
		return nil, nil, fmt.Errorf("%s is a symbolic link, which is not followed", spell(p))
	case !f.Mode.IsRegular():
		return nil, nil, fmt.Errorf("%s is no regular file", spell(p))
	}
	text, err := f.Bytes()
	if err != nil {
		return nil, nil, err
	}
	if !utf8.Valid(text) || slices.Contains(text, 0) {
		return nil, nil, fmt.Errorf("%s is not UTF-8 text: it can be renamed or deleted, and no more", spell(p))
	}
	return f, text, nil
}

// maxNames bounds the list of names in an error.
const maxNames = 20

// missing says that a path is not there, and what is beside it.
func (w *Workspace) missing(p string) error {
	dir := dirOf(p)
	for w.tree.Dir(dir) == nil {
		dir = dirOf(dir)
	}
	var names []string
	for sub := range w.tree.Dir(dir).Dirs() {
		names = append(names, rules.Display(sub.Name())+"/")
	}
	for f := range w.tree.Dir(dir).Files() {
		names = append(names, rules.Display(f.Name()))
	}
	what := "there is nothing yet"
	if len(names) > maxNames {
		names = append(names[:maxNames], "…")
	}
	if len(names) > 0 {
		what = "there are " + strings.Join(names, ", ")
	}
	return fmt.Errorf("the path %s does not exist; in %s %s", spell(p), spell(dir), what)
}

// free refuses a path at which nothing can be created.
func (w *Workspace) free(p string) error {
	switch {
	case w.tree.Dir(p) != nil:
		return fmt.Errorf("%s exists already, it is a directory: name a path that is free", spell(p))
	case w.tree.Has(p):
		return fmt.Errorf("%s exists already: change it with str_replace or insert, or choose another name", spell(p))
	}
	for segment := range strings.SplitSeq(p, "/") {
		if err := blocks.CheckName(segment); err != nil {
			return fmt.Errorf("%s: the name %q %w: choose another one", spell(p), segment, err)
		}
		if len(segment) > blocks.MaxName {
			return fmt.Errorf("%s: a name of %d bytes, and %d is the most: choose a shorter one", spell(p), len(segment), blocks.MaxName)
		}
	}
	return nil
}
