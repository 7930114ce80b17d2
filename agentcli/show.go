package agentcli

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/tree"
)

func (a *app) showCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show REV:PATH",
		Short: "Print a file as it was committed",
		Long: `Print the bytes of a file as they are in a revision, or with an empty REV in the index. Of a
directory it prints the names of what is in it, of a symbolic link the target.

PATH starts from the top of the repository, with ./ or ../ from the current directory.
Nothing is converted, and no program of git's configuration runs.`,
		Example: `  agentcli show HEAD:persona.md
  agentcli show HEAD~3:projects/
  agentcli show :./notes.md`,
		Args: cobra.ExactArgs(1),
	}
	format := formatFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		repo, err := a.open(cmd.Context())
		if err != nil {
			return err
		}
		defer repo.Close()
		o, err := repo.object(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		if format.value == "json" {
			return a.printJSON(o)
		}
		_, err = a.out.Write(o.bytes())
		return err
	}
	return cmd
}

// A shownObject is what show prints, and its JSON.
type shownObject struct {
	Revision string   `json:"revision"` // "" for the index
	Path     string   `json:"path"`     // "" for the top
	Kind     string   `json:"kind"`     // file, link or directory
	Encoding string   `json:"encoding"` // of the content: utf-8 or base64
	Content  *string  `json:"content"`  // null for a directory
	Entries  []string `json:"entries"`  // of a directory; those that are directories end in a slash

	raw []byte
}

func (o *shownObject) bytes() []byte {
	if o.Kind != "directory" {
		return o.raw
	}
	var b strings.Builder
	for _, e := range o.Entries {
		b.WriteString(rules.Display(e) + "\n")
	}
	return []byte(b.String())
}

// object finds what REV:PATH names.
func (r *repository) object(ctx context.Context, name string) (*shownObject, error) {
	rev, arg, ok := cutRevision(name)
	if !ok {
		return nil, fmt.Errorf("%s: name a revision and a path, as in HEAD:%s", rules.Display(name), rules.Display(name))
	}
	file, err := r.pathInTree(arg)
	if err != nil {
		return nil, err
	}
	var t *tree.Tree
	if rev == "" {
		t, err = r.Staged(ctx)
	} else {
		t, _, err = r.committed(ctx, rev, false)
	}
	if errors.Is(err, errNoCommit) {
		return nil, fmt.Errorf("nothing to show: %w", err)
	}
	if err != nil {
		return nil, err
	}
	o := &shownObject{Revision: rev, Path: file, Entries: []string{}}
	if dir := t.Dir(file); dir != nil {
		o.list(dir)
		return o, t.Err()
	}
	f := t.File(file)
	if f == nil {
		if err := t.Err(); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s: no such file or directory in %s", rules.Display(file), revisionName(rev))
	}
	return o, o.read(f)
}

func revisionName(rev string) string {
	if rev == "" {
		return "the index"
	}
	return rules.Display(rev)
}

func (o *shownObject) list(dir *tree.Dir) {
	o.Kind, o.Encoding = "directory", "utf-8"
	for sub := range dir.Dirs() {
		o.Entries = append(o.Entries, sub.Name()+"/")
	}
	for f := range dir.Files() {
		o.Entries = append(o.Entries, f.Name())
	}
}

func (o *shownObject) read(f *tree.File) (err error) {
	o.Kind = "file"
	switch {
	case f.Mode == tree.Gitlink:
		return fmt.Errorf("%s: is a submodule, which is a repository of its own", rules.Display(f.Path))
	case !f.Mode.IsRegular():
		o.Kind = "link"
	}
	if o.raw, err = f.Bytes(); err != nil {
		return err
	}
	content := string(o.raw)
	o.Encoding = "utf-8"
	if !utf8.ValidString(content) {
		o.Encoding, content = "base64", base64.StdEncoding.EncodeToString(o.raw)
	}
	o.Content = &content
	return nil
}

// cutRevision cuts REV:PATH at the first colon that is not within braces, as
// git does: HEAD^{/fix: links}:a.md is a file in the commit that the text
// finds.
func cutRevision(name string) (rev, path string, ok bool) {
	depth := 0
	for i, c := range []byte(name) {
		switch {
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == ':' && depth <= 0:
			return name[:i], name[i+1:], true
		}
	}
	return "", "", false
}

// pathInTree is the path that git takes after REV: from the top, or with a
// leading ./ or ../ from the current directory; "" for the top.
func (r *repository) pathInTree(arg string) (string, error) {
	if arg == "." || arg == ".." || strings.HasPrefix(arg, "./") || strings.HasPrefix(arg, "../") {
		return r.relative(arg)
	}
	clean := path.Clean(arg)
	switch {
	case arg == "":
		return "", nil
	case path.IsAbs(arg), clean == "..", strings.HasPrefix(clean, "../"):
		return "", fmt.Errorf("%s: is outside the repository; a path after the colon starts from its top", rules.Display(arg))
	case clean == ".":
		return "", nil
	}
	return clean, nil
}
