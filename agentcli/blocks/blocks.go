// Package blocks turns memory blocks, the form in which agents are created,
// into the files of a memory repository (spec, section 7).
//
// It works on bytes and strings alone and touches neither disk nor git: a label
// comes from a request and is not to be trusted, so that all of it is judged
// before anything is written.
package blocks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/frontyaml"
	"github.com/memls/memls/rules/parsers"
	"github.com/memls/memls/rules/tree"
)

// A Block is one memory block.
type Block struct {
	// Label names the block, and after it its file.
	Label string
	Value string
	// Description says what the block is for; "" stands for none.
	Description string
	// Limit caps the file, in Unicode code points; 0 stands for none.
	Limit int64
	// ReadOnly takes the file out of the agent's reach.
	ReadOnly bool
	// From is where the block was read, for messages; it may be "".
	From string
}

// A File is one file of the repository to be.
type File struct {
	// Path is relative to the repository, in it directly.
	Path    string
	Content []byte
	// Label is that of the block which the file holds, "" for a file that is
	// made for all of them.
	Label string
}

// Files are the files for the blocks in byte order of their paths: one for each,
// the root index, and .memfs.config.json where a block has a limit or is read
// only. Nothing is left out: the error joins one for each block that cannot be
// a file, and names it by its label.
func Files(blocks []Block) ([]File, error) {
	files, err := place(blocks)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(files, func(f File) bool { return f.Path == rules.Index }) {
		files = append(files, File{Path: rules.Index, Content: index(files)})
	}
	if protection := protect(files, blocks); len(protection.FileCharacterLimits)+len(protection.ReadOnlyFiles) > 0 {
		files = append(files, File{Path: config.Path, Content: protection.Render()})
	}
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	return files, nil
}

// place gives each block its file, in the order of the blocks.
func place(blocks []Block) ([]File, error) {
	var files []File
	var errs []error
	taken := map[string]*Block{}
	for i := range blocks {
		b := &blocks[i]
		path, err := Path(b.Label)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", b.name(), err))
			continue
		}
		key := tree.FoldName(path)
		if other := taken[key]; other != nil {
			errs = append(errs, fmt.Errorf("%s and %s: both would be the file %s, at least where case and accents' encoding do not count; rename one", other.name(), b.name(), rules.Display(path)))
			continue
		}
		taken[key] = b
		files = append(files, File{Path: path, Content: render(b, path), Label: b.Label})
	}
	return files, errors.Join(errs...)
}

// name is how messages call a block.
func (b *Block) name() string {
	name := fmt.Sprintf("block %q", b.Label)
	if b.From != "" {
		name = rules.Display(b.From) + ": " + name
	}
	return name
}

// render is the content of a block's file. The value is kept to the byte; a
// final line end is added where there is none.
func render(b *Block, path string) []byte {
	text := b.Value
	if path != rules.Index {
		text = Front(path, b.Label, b.Description) + text
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return []byte(text)
}

var lineEnds = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

// Front is the frontmatter of the file at path. The name is derived from the
// path; without a description the label stands in it.
func Front(path, label, description string) string {
	name := rules.Title(path)
	if name == "" {
		name = strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], ".md")
	}
	if description = strings.TrimSpace(lineEnds.Replace(description)); description == "" {
		description = "Memory block " + strings.TrimSpace(label)
	}
	return "---\nname: " + frontyaml.Scalar(name) + "\ndescription: " + frontyaml.Scalar(description) + "\n---\n"
}

// index is a root index that links to every file.
func index(files []File) []byte {
	var listed []*tree.File
	for _, f := range files {
		listed = append(listed, tree.NewFile(f.Path, tree.Regular, "", tree.Buffer(f.Content)))
	}
	v := rules.NewView(rules.Snapshot{Parsers: parsers.New(), Tree: tree.New(listed)})
	return []byte(v.IndexText("", nil))
}

// A Protection is the part of .memfs.config.json that comes from blocks.
type Protection struct {
	FileCharacterLimits []Limit
	ReadOnlyFiles       []string
}

// A Limit is an entry of fileCharacterLimits.
type Limit struct {
	Pattern       string `json:"pattern"`
	MaxCharacters int64  `json:"maxCharacters"`
}

func protect(files []File, blocks []Block) Protection {
	var p Protection
	for i, f := range files[:len(blocks)] {
		p.Add(f.Path, blocks[i].Limit, blocks[i].ReadOnly)
	}
	p.sort()
	return p
}

// Add takes in what holds for one file; limit 0 stands for none.
func (p *Protection) Add(path string, limit int64, readOnly bool) {
	pattern := Pattern(path)
	if limit > 0 {
		p.FileCharacterLimits = append(p.FileCharacterLimits, Limit{pattern, limit})
	}
	if readOnly {
		p.ReadOnlyFiles = append(p.ReadOnlyFiles, pattern)
	}
}

func (p *Protection) sort() {
	slices.SortFunc(p.FileCharacterLimits, func(a, b Limit) int { return cmp.Compare(a.Pattern, b.Pattern) })
	slices.Sort(p.ReadOnlyFiles)
}

// Pattern is a glob of .memfs.config.json that matches the path. Globs have no
// escapes, so that what a path cannot say for itself becomes "?".
func Pattern(path string) string {
	return strings.NewReplacer("*", "?", `\`, "?").Replace(path)
}

// Render is the file .memfs.config.json with this and nothing else in it.
func (p Protection) Render() []byte {
	type file struct {
		Version             int      `json:"version"`
		FileCharacterLimits []Limit  `json:"fileCharacterLimits,omitempty"`
		ReadOnlyFiles       []string `json:"readOnlyFiles,omitempty"`
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	// Strings and numbers alone: this cannot fail.
	_ = e.Encode(file{1, p.FileCharacterLimits, p.ReadOnlyFiles})
	return b.Bytes()
}
