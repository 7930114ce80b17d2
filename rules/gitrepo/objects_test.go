package gitrepo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/memls/memls/rules/tree"
)

// countGit puts a git on PATH that counts its starts.
func countGit(t *testing.T) (count func() int) {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\necho >>%q\nexec %q \"$@\"\n", filepath.Join(dir, "starts"), real)
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	return func() int {
		b, _ := os.ReadFile(filepath.Join(dir, "starts"))
		return bytes.Count(b, []byte("\n"))
	}
}

const nobody = "0123456789012345678901234567890123456789"

// stores are the ways a repository can keep its objects. processes is how
// many git processes reading all of them takes.
var stores = []struct {
	name      string
	processes int
	make      func(s sandbox) (dir string)
}{
	{"loose", 0, func(s sandbox) string { return "." }},
	{"packed", 1, func(s sandbox) string {
		s.git("gc", "-q")
		return "."
	}},
	{"packed and loose", 1, func(s sandbox) string {
		s.git("gc", "-q")
		s.commit("new.md", "new", "notes/new.md", "newer")
		return "."
	}},
	{"alternates", 1, func(s sandbox) string {
		s.git("clone", "-q", "--shared", ".", "clone")
		return "clone"
	}},
	{"worktree", 0, func(s sandbox) string {
		s.git("worktree", "add", "-q", "wt")
		return "wt"
	}},
}

// Every file of index and HEAD has the content that was committed, one by one
// and all at once, with at most one git process either way.
func TestObjectStores(t *testing.T) {
	for _, c := range stores {
		t.Run(c.name, func(t *testing.T) {
			s := newRepo(t)
			want := map[string]string{}
			for i := range 40 {
				name := fmt.Sprintf("notes/%d/n\n%d.md", i%3, i)
				s.write(name, strings.Repeat(name, i))
			}
			s.commit("empty", "", "binary", "\x00\xff\n\x00")
			s = s.in(c.make(s))
			for _, name := range strings.Split(strings.TrimSuffix(s.git("ls-files", "-z"), "\x00"), "\x00") {
				want[name] = s.read(name)
			}
			r := s.open()
			started := countGit(t)
			check := func(source string, tr *tree.Tree, err error) (oids []tree.OID) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
				n := 0
				for f := range tr.All() {
					b, err := f.Bytes()
					if err != nil || string(b) != want[f.Path] {
						t.Errorf("%s: %q is %q, %v; want %q", source, f.Path, b, err, want[f.Path])
					}
					oids = append(oids, f.OID)
					n++
				}
				if err := tr.Err(); err != nil || n != len(want) {
					t.Errorf("%s has %d files, %v; want %d", source, n, err, len(want))
				}
				return oids
			}
			staged, err := r.Staged(t.Context())
			oids := check("index", staged, err)
			head, err := r.Head(t.Context())
			check("HEAD", head, err)
			if n := started(); n != c.processes {
				t.Errorf("one by one: %d git processes, want %d", n, c.processes)
			}

			i := 0
			err = r.Load(t.Context(), oids, func(oid tree.OID, data []byte) error {
				if oid != oids[i] || tree.HashBlob(data, 20) != oid {
					t.Errorf("Load: object %d is %v, want %v with its content", i, oid, oids[i])
				}
				i++
				return nil
			})
			if err != nil || i != len(oids) {
				t.Errorf("Load gave %d objects, %v; want %d", i, err, len(oids))
			}
			if n := started() - c.processes; n != c.processes {
				t.Errorf("Load: %d git processes, want %d", n, c.processes)
			}
		})
	}
}

// What cannot be read is an error that names the object and never content.
func TestObjectErrors(t *testing.T) {
	s := newRepo(t)
	s.commit("a.md", "a")
	s.git("gc", "-q") // a.md is read through the session
	s.commit("b.md", "b", "c.md", "c")
	r := s.open()
	id := func(rev string) tree.OID {
		oid, err := tree.ParseOID(strings.TrimSpace(s.git("rev-parse", rev)))
		if err != nil {
			t.Fatal(err)
		}
		return oid
	}
	file := func(oid tree.OID) string {
		return s.path(".git/objects/" + oid.String()[:2] + "/" + oid.String()[2:])
	}
	missing, _ := tree.ParseOID(nobody)
	good, damaged, truncated := id("HEAD:a.md"), id("HEAD:b.md"), id("HEAD:c.md")
	for _, c := range []struct {
		oid     tree.OID
		content []byte
	}{{damaged, []byte("not zlib")}, {truncated, nil}} {
		os.Chmod(file(c.oid), 0o600)
		if c.content == nil {
			b, err := os.ReadFile(file(c.oid))
			if err != nil {
				t.Fatal(err)
			}
			c.content = b[:len(b)/2]
		}
		if err := os.WriteFile(file(c.oid), c.content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		oid  tree.OID
		text string
	}{
		"missing":       {missing, "is missing"},
		"damaged":       {damaged, "damaged"},
		"truncated":     {truncated, "damaged"},
		"not a blob":    {id("HEAD^{tree}"), "is a tree, not a blob"},
		"without an id": {"", "has no id"},
	} {
		read := map[string]func() error{
			"Blob": func() error { _, err := r.Blob(t.Context(), c.oid); return err },
			"Load": func() error {
				return r.Load(t.Context(), []tree.OID{good, c.oid, good}, func(oid tree.OID, _ []byte) error {
					if oid == c.oid {
						t.Errorf("%s: Load gave content", name)
					}
					return nil
				})
			},
		}
		for how, f := range read {
			err := f()
			var object *ObjectError
			if !errors.As(err, &object) || object.OID != c.oid || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%s of %s: %v; want an ObjectError of it with %q", how, name, err, c.text)
			}
		}
		// The session survives or is replaced.
		if b, err := r.Blob(t.Context(), good); err != nil || string(b) != "a" {
			t.Errorf("after %s: %q, %v", name, b, err)
		}
	}
	stop := errors.New("stop")
	if err := r.Load(t.Context(), []tree.OID{good, good}, func(tree.OID, []byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("Load = %v, want the function's own error", err)
	}
}

// A blob that a partial clone left out is an error at once: nothing is
// fetched, though the remote is there.
func TestPartialCloneDoesNotFetch(t *testing.T) {
	s := newDirectory(t)
	s.git("init", "-q", "origin")
	s.in("origin").commit("a.md", "a")
	s.in("origin").git("config", "uploadpack.allowFilter", "true")
	s.git("clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+s.path("origin"), "clone")
	r := s.in("clone").open()
	head, err := r.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f := head.File("a.md")
	if f == nil {
		t.Fatal("a.md is not in HEAD")
	}
	if b, err := f.Bytes(); err == nil || !strings.HasPrefix(err.Error(), "a.md: object ") {
		t.Errorf("Bytes = %q, %v; want an error that names the file", b, err)
	}
	if out := s.in("clone").git("rev-list", "--objects", "--all", "--missing=print"); !strings.Contains(out, "?"+f.OID.String()) {
		t.Error("the blob was fetched")
	}
}

func TestReplacedObject(t *testing.T) {
	s := newRepo(t)
	s.commit("a.md", "old", "b.md", "new")
	s.git("replace", strings.TrimSpace(s.git("rev-parse", "HEAD:a.md")), strings.TrimSpace(s.git("rev-parse", "HEAD:b.md")))
	for _, pack := range []bool{false, true} {
		if pack {
			s.git("pack-refs", "--all")
		}
		head, err := s.open().Head(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		b, err := head.File("a.md").Bytes()
		if want := s.git("cat-file", "blob", "HEAD:a.md"); err != nil || string(b) != want {
			t.Errorf("packed %t: %q, %v; want git's %q", pack, b, err, want)
		}
	}
}

func TestObjectsConcurrently(t *testing.T) {
	s := newRepo(t)
	for i := range 30 {
		s.write(fmt.Sprintf("%d.md", i), fmt.Sprint(i))
	}
	s.commit()
	s.git("gc", "-q")
	r := s.open()
	head, err := r.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 30 {
				if i%10 == 9 {
					r.Close()
				}
				name := fmt.Sprintf("%d.md", i)
				if b, err := head.File(name).Bytes(); err != nil || string(b) != fmt.Sprint(i) {
					t.Errorf("%s = %q, %v", name, b, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestObjectsCancelled(t *testing.T) {
	s := newRepo(t)
	s.commit("a.md", "a")
	s.git("gc", "-q")
	r := s.open()
	x, err := r.Index(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Blob(ctx, x.Entries[0].OID); !errors.Is(err, context.Canceled) {
		t.Errorf("Blob = %v, want context.Canceled", err)
	}
	if err := r.Load(ctx, []tree.OID{x.Entries[0].OID}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Load = %v, want context.Canceled", err)
	}
}

// A session whose process was killed, or never answers, does not harm: the
// first is replaced, the second ends with the context.
func TestSessionProcessDies(t *testing.T) {
	s := newRepo(t)
	s.commit("a.md", "a")
	s.git("gc", "-q")
	r := s.open()
	x, err := r.Index(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		b, err := r.Blob(t.Context(), x.Entries[0].OID)
		if err != nil || string(b) != "a" {
			t.Fatalf("round %d: %q, %v", i, b, err)
		}
		r.session.b.cmd.Process.Kill()
	}
	r.Close()

	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte("#!/bin/sh\necho $$ >\"$STARTED\"\nexec cat >/dev/null\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("STARTED", filepath.Join(dir, "started"))
	r.env = environment(os.Environ(), false)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := r.Blob(ctx, x.Entries[0].OID)
		done <- err
	}()
	for {
		if _, err := os.Stat(filepath.Join(dir, "started")); err == nil {
			break
		}
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Blob = %v, want context.Canceled", err)
	}
}

func TestAnswerLimits(t *testing.T) {
	for answer, want := range map[string]string{
		nobody + " blob 99999999999\n": "has 99999999999 bytes",
		nobody + " blob -1\n":          `gave the size "-1"`,
		nobody + " blob x\n":           `gave the size "x"`,
		nobody + " ambiguous\n":        "git cat-file said",
		"\n":                           "git cat-file said",
		nobody + " blob 5\nabc":        "unexpected EOF",
		nobody:                         "unexpected EOF",
	} {
		if _, data, err := readAnswer(bufio.NewReader(strings.NewReader(answer)), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v; want an error with %q", answer, data, err, want)
		}
	}
}
