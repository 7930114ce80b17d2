package gitrepo

import (
	"bytes"
	"context"
	"crypto/sha1"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	goindex "github.com/go-git/go-git/v5/plumbing/format/index"
)

// FuzzDecodeIndex: no input makes the decoder panic or fill the memory; what
// it accepts obeys the format's invariants; and of the same input go-git, when
// it accepts it too, reads the same paths.
func FuzzDecodeIndex(f *testing.F) {
	for version := uint32(2); version <= 4; version++ {
		f.Add(encodeIndex(f, version), false)
		f.Add(encodeIndex(f, version), true)
	}
	f.Add(append(encodeIndex(f, 2), "link\x00\x00\x00\x00"...), false)
	f.Add(append(encodeIndex(f, 2), "TREE\x00\x00\x00\x01x"...), false)
	f.Add(bytes.Replace(encodeIndex(f, 2), []byte("MEMORY"), []byte("ME\x00ORY"), 1), false)
	f.Fuzz(func(t *testing.T, body []byte, long bool) {
		size := 20
		if long {
			size = 32
		}
		// A zero trailer gets every mutation past the checksum.
		var entries []IndexEntry
		err := decodeIndex(string(body)+strings.Repeat("\x00", size), size, func(int) {}, func(e *IndexEntry) { entries = append(entries, *e) })
		if err != nil {
			return
		}
		total := 0
		for i := range entries {
			e := &entries[i]
			total += len(e.Path)
			if e.Path == "" || strings.Contains(e.Path, "\x00") || len(e.OID) != size || e.Stage > 3 {
				t.Fatalf("impossible entry %+v", *e)
			}
			if i > 0 && (e.Path < entries[i-1].Path || e.Path == entries[i-1].Path && e.Stage <= entries[i-1].Stage) {
				t.Fatalf("%q after %q", e.Path, entries[i-1].Path)
			}
		}
		if total > maxExpansion*len(body) {
			t.Fatalf("%d bytes of names from %d bytes", total, len(body))
		}
		if long {
			return
		}
		sum := sha1.Sum(body)
		var theirs goindex.Index
		if goindex.NewDecoder(bytes.NewReader(append(bytes.Clone(body), sum[:]...))).Decode(&theirs) != nil {
			return
		}
		if len(theirs.Entries) != len(entries) {
			t.Fatalf("go-git reads %d entries, we %d", len(theirs.Entries), len(entries))
		}
	})
}

// encodeIndex has go-git write an index, and takes the checksum off.
func encodeIndex(tb testing.TB, version uint32) []byte {
	tb.Helper()
	x := &goindex.Index{Version: version}
	for i, name := range []string{"MEMORY.md", "notes/MEMORY.md", "notes/a.md", "notes/a.md", "notes/later.md", "z\xff\n"} {
		e := &goindex.Entry{Name: name, Mode: 0o100644, Size: uint32(i)}
		if name == "notes/a.md" {
			e.Stage = goindex.Stage(i)
		}
		e.IntentToAdd = version > 2 && name == "notes/later.md"
		x.Entries = append(x.Entries, e)
	}
	var b bytes.Buffer
	if err := goindex.NewEncoder(&b).Encode(x); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()[:b.Len()-sha1.Size]
}

// large makes a repository with n staged files in directories of 100.
func large(tb testing.TB, n int) sandbox {
	tb.Helper()
	s := newRepo(tb)
	oid := strings.TrimSpace(s.gitInput("text", "hash-object", "-w", "--stdin"))
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "100644 %s 0\tnotes/%03d/file-%05d.md\x00", oid, i/100, i)
	}
	s.gitInput(b.String(), "update-index", "-z", "--index-info")
	return s
}

func TestStaged100k(t *testing.T) {
	s := large(t, 100_000)
	staged, err := s.open().Staged(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if n := staged.Len(); n != 100_000 {
		t.Errorf("Len = %d, want 100000", n)
	}
	if !staged.Has("notes/999/file-99999.md") {
		t.Error("the last file is not there")
	}
}

func BenchmarkStaged10k(b *testing.B) {
	s := large(b, 10_000)
	r := s.open()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Staged(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeIndex10k(b *testing.B) {
	s := large(b, 10_000)
	text := s.read(".git/index")
	b.ReportAllocs()
	for b.Loop() {
		if err := decodeIndex(text, 20, func(int) {}, func(*IndexEntry) {}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkGitLsFiles10k is what BenchmarkStaged10k is to be measured by.
func BenchmarkGitLsFiles10k(b *testing.B) {
	s := large(b, 10_000)
	for b.Loop() {
		cmd := exec.Command("git", "ls-files", "-s")
		cmd.Dir = s.dir
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
	}
}
