package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/memls/memls/lsp/fileuri"
)

// vscodeSettings turn on what Visual Studio Code has in "markdown.validate";
// the server checks nothing without.
const vscodeSettings = `{"settings": {"markdown": {
	"validate": {
		"enabled": true,
		"referenceLinks": {"enabled": "warning"},
		"fragmentLinks": {"enabled": "warning"},
		"fileLinks": {"enabled": "warning", "markdownFragmentLinks": "inherit"},
		"unusedLinkDefinitions": {"enabled": "hint"},
		"duplicateLinkDefinitions": {"enabled": "warning"},
		"ignoredLinks": []
	},
	"suggest": {"paths": {"enabled": true, "includeWorkspaceHeaderCompletions": "never"}},
	"occurrencesHighlight": {"enabled": false},
	"preferredMdPathExtensionStyle": "auto",
	"server": {"log": "off"}
}}}`

//go:embed parse.js
var parseScript string

// A tokenizer is the Markdown parser of Visual Studio Code, in a process of
// its own.
type tokenizer struct {
	mu  sync.Mutex
	in  *json.Encoder
	out *bufio.Reader
}

// startTokenizer runs the parser that is installed in dir, until ctx ends.
func startTokenizer(ctx context.Context, dir string) (*tokenizer, error) {
	cmd := exec.CommandContext(ctx, "node", "-e", parseScript)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go cmd.Wait() // ends with ctx
	return &tokenizer{in: json.NewEncoder(in), out: bufio.NewReader(out)}, nil
}

func (t *tokenizer) tokens(text string) (json.RawMessage, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.in.Encode(text); err != nil {
		return nil, err
	}
	return t.out.ReadBytes('\n')
}

// vscodeAnswers are those of the Markdown extension of Visual Studio Code,
// whose server neither reads files nor parses Markdown. dir is the workspace
// folder, modules where the parser is installed.
func vscodeAnswers(ctx context.Context, modules, dir string) (map[string]answer, error) {
	parser, err := startTokenizer(ctx, modules)
	if err != nil {
		return nil, err
	}
	return map[string]answer{
		"markdown/parse": func(params json.RawMessage) (any, error) {
			text, path, err := textOrPath(params)
			if err == nil && text == nil {
				var content []byte
				content, err = os.ReadFile(path)
				s := string(content)
				text = &s
			}
			if err != nil {
				return nil, err
			}
			return parser.tokens(*text)
		},
		"markdown/fs/readFile":                  onPath(readBytes),
		"markdown/fs/readDirectory":             onPath(readDirectory),
		"markdown/fs/stat":                      onPath(stat),
		"markdown/findMarkdownFilesInWorkspace": func(json.RawMessage) (any, error) { return markdownFiles(dir) },
	}, nil
}

func textOrPath(params json.RawMessage) (text *string, path string, err error) {
	var p struct {
		URI  string
		Text *string
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, "", err
	}
	path, err = fileuri.Path(p.URI)
	return p.Text, path, err
}

func onPath(f func(path string) (any, error)) answer {
	return func(params json.RawMessage) (any, error) {
		_, path, err := textOrPath(params)
		if err != nil {
			return nil, err
		}
		return f(path)
	}
}

// readBytes returns numbers: JSON would make a string of bytes.
func readBytes(path string) (any, error) {
	content, err := os.ReadFile(path)
	numbers := make([]int, len(content))
	for i, b := range content {
		numbers[i] = int(b)
	}
	return numbers, err
}

func readDirectory(path string) (any, error) {
	entries, err := os.ReadDir(path)
	list := make([]any, len(entries))
	for i, e := range entries {
		list[i] = []any{e.Name(), map[string]bool{"isDirectory": e.IsDir()}}
	}
	return list, err
}

func stat(path string) (any, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return map[string]bool{"isDirectory": info.IsDir()}, nil
}

// markdownFiles are the URIs of the notes.
func markdownFiles(dir string) ([]string, error) {
	var uris []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".git":
			return filepath.SkipDir
		case filepath.Ext(path) == ".md":
			uris = append(uris, fileuri.FromPath(path))
		}
		return nil
	})
	return uris, err
}
