// Package lsptest is a client for tests of the language server. It shares no
// code with the server's transport.
package lsptest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// hang is when a test that waits for a message is given up; a machine that is
// busy with other things takes its time.
const hang = 2 * time.Minute

// A Client is the client's end of a connection. A failure ends its test, so
// its methods belong on the test's goroutine.
type Client struct {
	t        testing.TB
	in       io.WriteCloser
	messages chan string // closed when the server's output ends
}

// NewClient talks to the server which reads in and writes out. It closes in at
// the end of the test.
func NewClient(t testing.TB, in io.WriteCloser, out io.Reader) *Client {
	c := &Client{t: t, in: in, messages: make(chan string, 100)}
	t.Cleanup(c.CloseInput)
	go func() {
		defer close(c.messages)
		r := textproto.NewReader(bufio.NewReader(out))
		for {
			header, err := r.ReadMIMEHeader()
			if err != nil {
				return
			}
			n, err := strconv.Atoi(header.Get("Content-Length"))
			if err != nil {
				c.messages <- fmt.Sprintf("bad header %v", header)
				return
			}
			body := make([]byte, n)
			if _, err := io.ReadFull(r.R, body); err != nil {
				return
			}
			c.messages <- string(body)
		}
	}()
	return c
}

// Frame returns body as it is sent.
func Frame(body string) string {
	return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
}

// Send sends one message.
func (c *Client) Send(body string) {
	c.t.Helper()
	c.Write(Frame(body))
}

// Write sends bytes as they are.
func (c *Client) Write(raw string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, raw); err != nil {
		c.t.Fatalf("sending %.200q: %v", raw, err)
	}
}

// CloseInput closes the server's input.
func (c *Client) CloseInput() { c.in.Close() }

// Receive returns the server's next message.
func (c *Client) Receive() string {
	c.t.Helper()
	body, ok := c.next()
	if !ok {
		c.t.Fatal("the server's output ended, want a message")
	}
	return body
}

// ExpectEnd fails if the server sends another message before its output ends.
func (c *Client) ExpectEnd() {
	c.t.Helper()
	if body, ok := c.next(); ok {
		c.t.Fatalf("the server sent %s, want the end", body)
	}
}

func (c *Client) next() (body string, ok bool) {
	c.t.Helper()
	select {
	case body, ok = <-c.messages:
		return body, ok
	case <-time.After(hang):
		c.t.Fatal("the server sent nothing: it hangs")
		return "", false
	}
}

// Expect fails unless the next message is want, as JSON values. A value "*" in
// want stands for any value.
func (c *Client) Expect(want string) {
	c.t.Helper()
	got := c.Receive()
	w, g := c.parse(want), c.parse(got)
	if diff := cmp.Diff(w, wildcards(w, g)); diff != "" {
		c.t.Fatalf("the server sent %s\n(-want +got):\n%s", got, diff)
	}
}

func (c *Client) parse(text string) (v any) {
	c.t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		c.t.Fatalf("%v in %s", err, text)
	}
	return v
}

// wildcards returns got with "*" wherever want has it.
func wildcards(want, got any) any {
	if want == "*" {
		return want
	}
	w, ok1 := want.(map[string]any)
	g, ok2 := got.(map[string]any)
	if ok1 && ok2 {
		for name, value := range g {
			if pattern, ok := w[name]; ok {
				g[name] = wildcards(pattern, value)
			}
		}
	}
	return got
}

// Play runs a script of lines: "> message" is sent, "< message" is the next
// message from the server, see [Client.Expect]. Other lines are comments.
func (c *Client) Play(script string) {
	c.t.Helper()
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		if body, ok := strings.CutPrefix(line, "> "); ok {
			c.Send(body)
		} else if body, ok := strings.CutPrefix(line, "< "); ok {
			c.Expect(body)
		}
	}
}
