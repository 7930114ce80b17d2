package agentcli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// An mcpClient is a client of the server on one repository.
type mcpClient struct {
	*mcp.ClientSession
	t   *testing.T
	dir string
}

// connect runs the server in this process.
func connect(t *testing.T, dir string, createIndexes bool) *mcpClient {
	t.Helper()
	a := &app{env: Env{Stderr: t.Output(), Getenv: os.Getenv}, out: bufio.NewWriter(io.Discard), dir: dir, patience: lockPatience}
	repo, err := a.find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	ours, theirs := mcp.NewInMemoryTransports()
	if _, err := a.newMCP(repo, createIndexes).server.Connect(t.Context(), ours, nil); err != nil {
		t.Fatal(err)
	}
	return newClient(t, dir, theirs)
}

func newClient(t *testing.T, dir string, transport mcp.Transport) *mcpClient {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return &mcpClient{session, t, dir}
}

// try calls a tool.
func (c *mcpClient) try(tool string, args any) (text string, isError bool) {
	c.t.Helper()
	if args == nil {
		args = map[string]string{}
	}
	r, err := c.CallTool(c.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		c.t.Error(err)
		return "", true
	}
	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}

// does wants a call to be done, and parts in what it answers.
func (c *mcpClient) does(tool string, args any, parts ...string) {
	c.t.Helper()
	text, isError := c.try(tool, args)
	if isError {
		c.t.Errorf("%s %v is refused: %s", tool, args, text)
	}
	c.holds(text, parts)
}

// refuses wants a call to fail, and HEAD and files to stay.
func (c *mcpClient) refuses(tool string, args any, parts ...string) {
	c.t.Helper()
	before := picture(c.t, c.dir)
	text, isError := c.try(tool, args)
	if !isError {
		c.t.Errorf("%s %v is not refused: %s", tool, args, text)
	}
	c.holds(text, parts)
	if diff := cmp.Diff(before, picture(c.t, c.dir)); diff != "" {
		c.t.Errorf("%s %v has changed something\n%s", tool, args, diff)
	}
}

func (c *mcpClient) holds(text string, parts []string) {
	c.t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			c.t.Errorf("%q has no %q", text, part)
		}
	}
}

// clean wants nothing to be left uncommitted, and a subject of the last commit.
func (c *mcpClient) clean(subject string) {
	c.t.Helper()
	if s := git(c.t, c.dir, "status", "--porcelain"); s != "" {
		c.t.Errorf("git status: %s", s)
	}
	if s := git(c.t, c.dir, "log", "-1", "--format=%s"); s != subject {
		c.t.Errorf("the last commit is %q, want %q", s, subject)
	}
	git(c.t, c.dir, "fsck", "--strict")
}

func TestMCPCommitsEachChange(t *testing.T) {
	c := connect(t, cleanRepo(t), true)
	c.does("memory", map[string]string{"command": "view", "path": "/memories"}, "/memories/notes/MEMORY.md")
	c.clean("first")
	create := creates("/memories/trips/oslo.md", "In May.\n")
	create["reason"] = "They told of it"
	c.does("memory", create, "File created successfully", "created trips/MEMORY.md", "edited MEMORY.md", "committed ")
	c.clean("They told of it")
	c.does("memory", replaces("trips/oslo.md", "---\nIn May", "---\nIn June"), "committed ")
	c.clean("chore(memory): change trips/oslo.md")
	c.does("memory_check", nil, "0 errors")
	c.does("memory_compile", nil, "trips/MEMORY.md", "<a>")

	c.refuses("memory", creates("bad.md", "---\nname: B\n---\n"), "bad.md:1:1: error: missing required field 'description'", "nothing was changed", "memory_begin")
	c.refuses("memory", creates("/memoriesX/x.md", ""), "outside the memory")
	c.refuses("memory", map[string]string{"command": "view", "path": "none"}, "does not exist")
	c.refuses("memory_discard", nil, "no batch is open")
	c.refuses("memory_commit", nil, "give a message")
	c.refuses("memory_commit", map[string]int{"message": 5}, "message has to be a text, and is of type number")
	c.refuses("memory_begin", map[string]string{"name": "x"}, `there is no field "name"`)
	c.does("memory_commit", map[string]string{"message": "x"}, "nothing to commit")
}

// What a model says of its changes is a message of sane length, without secrets,
// and talks to no terminal.
func TestMCPMessage(t *testing.T) {
	const key = "odd but secret"
	t.Setenv("SOME_API_KEY", key)
	c := connect(t, cleanRepo(t), true)
	message := "\x1b[31mlong " + key + strings.Repeat(" long", 10_000)
	create := creates("c.md", frontB)
	create["reason"] = message
	c.does("memory", create)
	put(t, c.dir, map[string]string{"a.md": frontA + "More.\n"})
	c.does("memory_commit", map[string]string{"message": message})
	for _, commit := range []string{"HEAD", "HEAD^"} {
		if said := git(t, c.dir, "log", "-1", "--format=%B", commit); len(said) > 2*maxCommitMessage || !strings.HasPrefix(said, `\x1b[31mlong [masked] long`) {
			t.Errorf("%d bytes: %.40q", len(said), said)
		}
	}
}

func TestMCPCommitsWhatIsOnDisk(t *testing.T) {
	c := connect(t, cleanRepo(t), true)
	put(t, c.dir, map[string]string{"a.md": frontA + "By hand.\n"})
	c.refuses("memory", replaces("a.md", "See", "Look at"), "changed on disk and not committed: a.md", "memory_commit")
	c.does("memory_commit", map[string]string{"message": "Edited by hand"}, "edited a.md", "committed")
	c.clean("Edited by hand")
	put(t, c.dir, map[string]string{"a.md": "no frontmatter\n"})
	c.does("memory_check", nil, "a.md:1:1: error: missing frontmatter")
	c.refuses("memory_commit", map[string]string{"message": "x"}, "missing frontmatter")
}

func TestMCPBatch(t *testing.T) {
	c := connect(t, cleanRepo(t), false)
	c.refuses("memory", creates("trips/oslo.md", "In May.\n"), "missing required index trips/MEMORY.md")
	c.does("memory_begin", nil)
	c.refuses("memory_begin", nil, "open already")
	c.does("memory", creates("trips/oslo.md", "In May.\n"), "cannot be committed like this", "missing required index trips/MEMORY.md")
	c.does("memory_check", nil, "trips/oslo.md:1:1: error")
	c.refuses("memory_commit", map[string]string{"message": "Trips"}, "missing required index trips/MEMORY.md", "stays open")
	c.does("memory", creates("trips/MEMORY.md", "# Trips\n\n- [Oslo](oslo.md)\n"))
	c.clean("first")

	// Meanwhile somebody commits, first beside the batch, then in its way.
	put(t, c.dir, map[string]string{"notes/b.md": frontB + "Theirs.\n"})
	git(t, c.dir, "commit", "-qam", "theirs")
	c.does("memory_commit", map[string]string{"message": "Trips"}, "created trips/MEMORY.md", "committed")
	c.clean("Trips")

	c.does("memory_begin", nil)
	c.does("memory", replaces("a.md", "See", "Look at"))
	put(t, c.dir, map[string]string{"a.md": strings.Replace(frontA, "See", "Go to", 1)})
	git(t, c.dir, "commit", "-qam", "theirs again")
	c.refuses("memory_commit", nil, "somebody else has committed", "Look at", "Go to")
	c.holds(git(t, c.dir, "show", git(t, c.dir, "for-each-ref", "--format=%(refname)", rescueRefs)+":a.md"), []string{"Look at"})
	c.does("memory", replaces("a.md", "Go to", "Go and look at"))
	c.does("memory_commit", map[string]string{"message": "Both"}, "committed")
	c.clean("Both")
	if refs := git(t, c.dir, "for-each-ref", rescueRefs); refs != "" {
		t.Errorf("what was committed is kept as well: %s", refs)
	}

	c.does("memory_begin", nil)
	c.does("memory", map[string]string{"command": "delete", "path": "trips"})
	c.does("memory_discard", nil, "2 files")
	c.does("memory_begin", nil)
	c.does("memory_commit", nil, "nothing to commit")
	c.clean("Both")
}

// A hook of somebody else decides, too, and what it prints is shown as text.
func TestMCPHook(t *testing.T) {
	c := connect(t, cleanRepo(t), true)
	put(t, c.dir, map[string]string{".git/hooks/pre-commit": "#!/bin/sh\nprintf 'no, \\033[31mnever\\n'\nexit 1\n"})
	if err := os.Chmod(c.dir+"/.git/hooks/pre-commit", 0o755); err != nil {
		t.Fatal(err)
	}
	c.refuses("memory", replaces("a.md", "See", "Look at"), `no, \x1b[31mnever`, "pre-commit hook refused")
}

func TestMCPResources(t *testing.T) {
	c := connect(t, cleanRepo(t), true)
	list := func() (uris []string) {
		for r, err := range c.Resources(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			uris = append(uris, r.URI)
		}
		slices.Sort(uris)
		return uris
	}
	want := []string{"memory:///MEMORY.md", "memory:///notes/MEMORY.md", "memory://prompt"}
	if diff := cmp.Diff(want, list()); diff != "" {
		t.Error(diff)
	}
	c.does("memory", map[string]string{"command": "rename", "old_path": "notes", "new_path": "my notes"})
	want[1] = "memory:///my%20notes/MEMORY.md"
	if diff := cmp.Diff(want, list()); diff != "" {
		t.Error(diff)
	}
	for uri, part := range map[string]string{want[0]: "# Memory", want[1]: "[B](b.md)", want[2]: "<a>"} {
		r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			t.Fatal(err)
		}
		c.holds(r.Contents[0].Text, []string{part})
	}
	if _, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "memory:///notes/MEMORY.md"}); err == nil {
		t.Error("an index that is gone can be read")
	}
	if _, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "memory:///../secret"}); err == nil {
		t.Error("what is outside can be read")
	}
	put(t, c.dir, map[string]string{"a.md": "broken\n"})
	p, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "tidy-up"})
	if err != nil {
		t.Fatal(err)
	}
	c.holds(p.Messages[0].Content.(*mcp.TextContent).Text, []string{"memory_check", "a.md:1:1: error"})
}

// Before the first commit there is nothing to see, and something to make.
func TestMCPEmpty(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	c := connect(t, dir, true)
	if r, err := c.ListResources(t.Context(), nil); err != nil || len(r.Resources) != 1 {
		t.Errorf("%v, %v", r, err)
	}
	c.does("memory_compile", nil)
	c.does("memory", creates("MEMORY.md", "# Memory\n"), "committed")
	c.clean("chore(memory): change MEMORY.md")
}

// Requests come at the same time, also to two servers of one memory: each
// change is made once.
func TestMCPConcurrent(t *testing.T) {
	const each = 4
	dir := cleanRepo(t)
	var all sync.WaitGroup
	for s := range 2 {
		c := connect(t, dir, true)
		for i := range each {
			all.Go(func() {
				c.does("memory", creates(fmt.Sprintf("notes/n%d-%d.md", s, i), "Text.\n"), "committed")
			})
		}
	}
	all.Wait()
	if n := git(t, dir, "rev-list", "--count", "HEAD"); n != fmt.Sprint(1+2*each) {
		t.Errorf("%s commits, want %d", n, 1+2*each)
	}
	if n := strings.Count(read(t, dir)["notes/MEMORY.md"], "](n"); n != 2*each {
		t.Errorf("%d notes are listed, want %d", n, 2*each)
	}
	if s := git(t, dir, "status", "--porcelain"); s != "" {
		t.Errorf("git status: %s", s)
	}
}

// startMCP starts the program as a client does; stderr is what it says until
// the client is closed.
func startMCP(t *testing.T, dir string) (c *mcpClient, stderr *strings.Builder) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-C", dir, "mcp")
	cmd.Env = append(gitEnv(t), killAt+"=none")
	stderr = &strings.Builder{}
	cmd.Stderr = stderr
	return newClient(t, dir, &mcp.CommandTransport{Command: cmd, TerminateDuration: time.Minute}), stderr
}

// TestMCPStdio starts the program as a client does. What the client leaves
// uncommitted is kept.
func TestMCPStdio(t *testing.T) {
	dir := cleanRepo(t)
	c, errs := startMCP(t, dir)
	var names []string
	for tool, err := range c.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	want := []string{"memory", "memory_apply_patch", "memory_begin", "memory_check", "memory_commit", "memory_compile", "memory_discard", "skill"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	c.does("memory", creates("c.md", "Text.\n"), "committed")
	c.does("memory_begin", nil)
	c.does("memory", creates("d.md", "Kept.\n"))
	if err := c.Close(); err != nil {
		t.Errorf("%v\n%s", err, errs.String())
	}
	ref := git(t, dir, "for-each-ref", "--format=%(refname)", rescueRefs)
	if ref == "" || !strings.Contains(errs.String(), ref) {
		t.Fatalf("the batch is kept as %q; the program says %q", ref, errs.String())
	}
	c.holds(git(t, dir, "show", ref+":d.md"), []string{"Kept."})
	c.clean("chore(memory): change c.md")
	if _, err := runKilled(t, dir, 1000, "turn", "resume"); err != nil {
		t.Error(err)
	}
	c.holds(read(t, dir)["d.md"], []string{"Kept."})
	c.clean("chore(memory): change d.md")
	if said := git(t, dir, "log", "-1", "--format=%B"); strings.Contains(said, "Model:") {
		t.Errorf("the commit names a model that nobody knows: %s", said)
	}
}

// What is kept before the first commit is gone on with after it.
func TestMCPEmptyKept(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	c, errs := startMCP(t, dir)
	c.does("memory_begin", nil)
	c.does("memory", creates("b.md", frontB))
	if err := c.Close(); err != nil {
		t.Errorf("%v\n%s", err, errs)
	}
	put(t, dir, map[string]string{"MEMORY.md": "# Memory\n"})
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "first")
	if out, err := runKilled(t, dir, 1000, "turn", "resume"); err != nil {
		t.Error(err, out)
	}
	if got := read(t, dir); got["b.md"] != frontB || got["MEMORY.md"] == "" {
		t.Errorf("%q", got)
	}
	c.clean("chore(memory): change b.md")
}
