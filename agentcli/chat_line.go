package agentcli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/memls/memls/agentcli/model"
)

const chatPrompt = "> "

// A lineReader reads what a person types. A terminal gets a line that can be
// edited, with the lines before it at hand; a dumb one a prompt; a pipe nothing.
type lineReader struct {
	*app
	talks  bool // somebody types
	plain  *bufio.Reader
	editor *term.Terminal // nil where a line cannot be edited
	in     *os.File
}

func newLineReader(a *app, history []model.Message) *lineReader {
	r := &lineReader{app: a, plain: bufio.NewReader(a.env.Stdin)}
	in, isFile := a.env.Stdin.(*os.File)
	out, outIsFile := a.env.Stdout.(*os.File)
	r.talks = isFile && outIsFile && term.IsTerminal(int(in.Fd())) && term.IsTerminal(int(out.Fd()))
	if kind := a.env.Getenv("TERM"); !r.talks || kind == "dumb" || kind == "" {
		return r
	}
	r.in = in
	r.editor = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{&clearing{in: in}, out}, chatPrompt)
	for _, m := range history {
		for _, part := range m.Parts {
			if m.Role == model.User && part.Text != "" && !strings.Contains(part.Text, "\n") {
				r.editor.History.Add(part.Text)
			}
		}
	}
	return r
}

// read reads a line. When ctx ends the terminal is as it was, and the reader
// not to be used again.
func (r *lineReader) read(ctx context.Context) (string, error) {
	type result struct {
		line string
		err  error
	}
	restore, err := r.prepare()
	if err != nil {
		return "", err
	}
	defer restore()
	done := make(chan result, 1)
	go func() {
		line, err := r.wait()
		done <- result{line, err}
	}()
	select {
	case got := <-done:
		return got.line, got.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// prepare makes the terminal ready for a line. While the model speaks it is as
// others left it, so that Ctrl-C is a signal then.
func (r *lineReader) prepare() (restore func(), err error) {
	switch {
	case r.editor != nil:
		state, err := term.MakeRaw(int(r.in.Fd()))
		if err != nil {
			return nil, err
		}
		if width, height, err := term.GetSize(int(r.in.Fd())); err == nil && width > 0 && height > 0 {
			_ = r.editor.SetSize(width, height)
		}
		r.editor.SetBracketedPasteMode(true)
		return func() {
			r.editor.SetBracketedPasteMode(false)
			_ = term.Restore(int(r.in.Fd()), state)
		}, nil
	case r.talks:
		_, _ = r.out.WriteString(chatPrompt)
		err = r.out.Flush()
	}
	return func() {}, err
}

// wait returns a line without its end. Lines that were pasted are one.
func (r *lineReader) wait() (string, error) {
	if r.editor == nil {
		line, err := r.plain.ReadString('\n')
		if errors.Is(err, io.EOF) && line != "" {
			err = nil
		}
		return strings.TrimRight(line, "\r\n"), err
	}
	var pasted strings.Builder
	for {
		line, err := r.editor.ReadLine()
		pasted.WriteString(line)
		if !errors.Is(err, term.ErrPasteIndicator) {
			return pasted.String(), err
		}
		pasted.WriteByte('\n')
	}
}

// clearing is a terminal's input on which Ctrl-C, which would end the program
// like Ctrl-D, clears the line.
type clearing struct {
	in   io.Reader
	left []byte
}

// Read reads keys.
func (c *clearing) Read(p []byte) (int, error) {
	if len(c.left) == 0 {
		keys := make([]byte, len(p))
		n, err := c.in.Read(keys)
		if err != nil {
			return 0, err
		}
		c.left = bytes.ReplaceAll(keys[:n], []byte{3}, []byte{5, 21}) // to the end, and all before it
	}
	n := copy(p, c.left)
	c.left = c.left[n:]
	return n, nil
}
