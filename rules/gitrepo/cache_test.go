package gitrepo

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/memls/memls/rules/tree"
)

func oidOf(n int) tree.OID { return tree.HashBlob(fmt.Append(nil, n), 20) }

// savedCache returns a common directory with a cache of blobs 0..n-1, each
// with its number as value.
func savedCache(tb testing.TB, n int) (commonDir string) {
	tb.Helper()
	commonDir = tb.TempDir()
	c := OpenCache(commonDir, 20, "v1")
	for i := range n {
		c.Put(oidOf(i), uint64(i))
	}
	if err := c.Save(); err != nil {
		tb.Fatal(err)
	}
	return commonDir
}

func cacheFile(commonDir string) string { return filepath.Join(commonDir, "memls", "facts-1") }

func hits(c *Cache, from, to int) int {
	n := 0
	for i := from; i < to; i++ {
		if v, ok := c.Get(oidOf(i)); ok && v == uint64(i) {
			n++
		}
	}
	return n
}

func TestCacheRemembers(t *testing.T) {
	dir := savedCache(t, 1000)
	c := OpenCache(dir, 20, "v1")
	if got := hits(c, 0, 1000); got != 1000 {
		t.Errorf("%d of 1000 entries found after opening", got)
	}
	if got := hits(c, 1000, 2000); got != 0 {
		t.Errorf("%d entries found that were never stored", got)
	}
	for i := range cacheFew {
		c.Put(oidOf(i), 99)
	}
	if v, ok := c.Get(oidOf(5)); !ok || v != 99 {
		t.Errorf("Get after Put = %d, %v; want the new value", v, ok)
	}
	if err := c.Save(); err != nil {
		t.Fatal(err)
	}
	if v, _ := OpenCache(dir, 20, "v1").Get(oidOf(5)); v != 99 {
		t.Errorf("replaced value is %d in the next run, want 99", v)
	}
	for _, odd := range []tree.OID{"", "short", tree.OID(make([]byte, 20)), tree.OID(make([]byte, 32))} {
		c.Put(odd, 1)
		if _, ok := c.Get(odd); ok {
			t.Errorf("%q was stored; it is no id of a blob of this repository", odd)
		}
	}
}

func TestCacheOfSHA256(t *testing.T) {
	dir, oid := t.TempDir(), tree.HashBlob([]byte("x"), 32)
	c := OpenCache(dir, 32, "v1")
	c.Put(oid, 7)
	if err := c.Save(); err != nil {
		t.Fatal(err)
	}
	if v, ok := OpenCache(dir, 32, "v1").Get(oid); !ok || v != 7 {
		t.Errorf("Get = %d, %v", v, ok)
	}
}

func TestCacheIsEmptyWhenNotOurs(t *testing.T) {
	tests := map[string]func(dir string) *Cache{
		"other version": func(dir string) *Cache { return OpenCache(dir, 20, "v2") },
		"longer version": func(dir string) *Cache {
			return OpenCache(dir, 20, "v1"+string(make([]byte, 28)))
		},
		"other hash": func(dir string) *Cache { return OpenCache(dir, 32, "v1") },
		"deleted": func(dir string) *Cache {
			os.RemoveAll(filepath.Join(dir, "memls"))
			return OpenCache(dir, 20, "v1")
		},
		"a directory": func(dir string) *Cache {
			os.Remove(cacheFile(dir))
			os.Mkdir(cacheFile(dir), 0o777)
			return OpenCache(dir, 20, "v1")
		},
		"a link": func(dir string) *Cache {
			os.Rename(cacheFile(dir), filepath.Join(dir, "elsewhere"))
			if err := os.Symlink("../elsewhere", cacheFile(dir)); err != nil {
				t.Skip("no symbolic links here")
			}
			return OpenCache(dir, 20, "v1")
		},
	}
	for name, open := range tests {
		t.Run(name, func(t *testing.T) {
			c := open(savedCache(t, 10))
			if n := hits(c, 0, 10); n != 0 {
				t.Errorf("%d entries found, want none", n)
			}
		})
	}
}

func TestCacheOneBadByteEmptiesIt(t *testing.T) {
	dir := savedCache(t, 10)
	good, err := os.ReadFile(cacheFile(dir))
	if err != nil {
		t.Fatal(err)
	}
	for i := range good {
		for _, bad := range [][]byte{
			append(append(bytes.Clone(good[:i]), good[i]^0x10), good[i+1:]...),
			good[:i],
		} {
			c := &Cache{version: "v1", oidSize: 20}
			c.load(bad)
			if n := hits(c, 0, 10); n != 0 {
				t.Fatalf("byte %d of %d damaged (%d bytes): %d entries found, want none", i, len(good), len(bad), n)
			}
		}
	}
}

func TestCacheSaveWithoutNewsWritesNothing(t *testing.T) {
	dir := savedCache(t, 10)
	before, err := os.Stat(cacheFile(dir))
	if err != nil {
		t.Fatal(err)
	}
	c := OpenCache(dir, 20, "v1")
	for i := range 10 {
		c.Put(oidOf(i), uint64(i))
	}
	for i := range cacheFew - 1 {
		c.Put(oidOf(100+i), 1) // too few to be worth it
	}
	if err := c.Save(); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(cacheFile(dir))
	if err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(before, after) {
		t.Error("the file was replaced though next to nothing was new")
	}
	empty := t.TempDir()
	if err := OpenCache(empty, 20, "v1").Save(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(empty, "memls")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("an empty cache made a directory")
	}
}

func TestCacheStaysBounded(t *testing.T) {
	// The first 1500 are of another branch: kept while there is room.
	dir := savedCache(t, 1500)
	run := func(from, to int) {
		t.Helper()
		c := OpenCache(dir, 20, "v1")
		for i := from; i < to; i++ {
			if _, ok := c.Get(oidOf(i)); !ok {
				c.Put(oidOf(i), uint64(i))
			}
		}
		if err := c.Save(); err != nil {
			t.Fatal(err)
		}
	}
	run(1500, 2000)
	if n := hits(OpenCache(dir, 20, "v1"), 0, 2000); n != 2000 {
		t.Errorf("%d of 2000 entries kept below the bound", n)
	}
	run(1900, 2100)
	c := OpenCache(dir, 20, "v1")
	if old, recent := hits(c, 0, 1900), hits(c, 1900, 2100); old != 0 || recent != 200 {
		t.Errorf("above the bound %d entries not asked for and %d of 200 others kept, want none and all", old, recent)
	}
}

func TestCacheProcessesAtOnce(t *testing.T) {
	dir := savedCache(t, 100)
	var wg sync.WaitGroup
	for p := range 8 {
		wg.Go(func() {
			for round := range 10 {
				c := OpenCache(dir, 20, "v1")
				if n := hits(c, 0, 100); n != 100 {
					t.Errorf("a half-written cache was seen: %d of 100 entries", n)
				}
				for i := range cacheFew {
					c.Put(oidOf(1000*(p+1)+cacheFew*round+i), 1)
				}
				if err := c.Save(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if names, _ := os.ReadDir(filepath.Join(dir, "memls")); len(names) != 1 {
		t.Errorf("%d files in the cache directory, want 1: %v", len(names), names)
	}
}

func TestCacheFollowsNoLinkWhenWriting(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	put := func(dir string) error {
		c := OpenCache(dir, 20, "v1")
		c.Put(oidOf(1), 1)
		return c.Save()
	}
	t.Run("directory", func(t *testing.T) {
		for _, target := range []string{t.TempDir(), "hooks"} {
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "hooks"), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(target, filepath.Join(dir, "memls")); err != nil {
				t.Fatal(err)
			}
			if err := put(dir); err == nil {
				t.Errorf("link to %s: saved without error", target)
			}
			if !filepath.IsAbs(target) {
				target = filepath.Join(dir, target)
			}
			if names, _ := os.ReadDir(target); len(names) != 0 {
				t.Errorf("wrote through the link into %s: %v", target, names)
			}
		}
	})
	t.Run("file", func(t *testing.T) {
		dir := savedCache(t, 0)
		victim := filepath.Join(t.TempDir(), "victim")
		if err := os.WriteFile(victim, []byte("precious"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(dir, "memls"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(victim, cacheFile(dir)); err != nil {
			t.Fatal(err)
		}
		if err := put(dir); err != nil {
			t.Fatal(err)
		}
		if b, _ := os.ReadFile(victim); string(b) != "precious" {
			t.Errorf("the link's target was overwritten: %q", b)
		}
		if n := hits(OpenCache(dir, 20, "v1"), 1, 2); n != 1 {
			t.Error("the link was not replaced by the cache")
		}
	})
}

func TestCacheSaveReportsWhatFailed(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "memls"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	c := OpenCache(dir, 20, "v1")
	c.Put(oidOf(1), 1)
	if err := c.Save(); err == nil || !bytes.Contains([]byte(err.Error()), []byte(dir)) {
		t.Errorf("Save = %v; want an error that names %s", err, dir)
	}
	if v, ok := c.Get(oidOf(1)); !ok || v != 1 {
		t.Error("the value is lost to this run after Save failed")
	}
}

// Any bytes are a cache file without a panic; those that are not a whole one
// hold nothing. With a correct checksum the search must end all the same.
func FuzzCacheFile(f *testing.F) {
	table := newCacheTable(3, 20, "v1")
	for i := range 3 {
		table.insert(oidOf(i), uint64(i))
	}
	good := table.seal()
	f.Add(good)
	f.Add(good[:cacheHeader])
	f.Add([]byte(cacheMagic))
	full := bytes.Clone(good)
	for i := cacheHeader + 2; i < len(full); i++ {
		full[i] = 1
	}
	f.Add(full)
	huge := bytes.Clone(good)
	binary.LittleEndian.PutUint32(huge[20:], 1<<31)
	f.Add(huge)
	f.Fuzz(func(t *testing.T, b []byte) {
		c := &Cache{version: "v1", oidSize: 20}
		c.load(b)
		if n := hits(c, 0, 3); n != 0 && !bytes.Equal(b, good) {
			t.Fatalf("%d entries found in a damaged file", n)
		}
		if len(b) < cacheHeader {
			return
		}
		forged := bytes.Clone(b)
		binary.LittleEndian.PutUint32(forged[8:], crc32.Checksum(forged[12:], castagnoli()))
		c.load(forged)
		c.Get(oidOf(0))
		c.Put(oidOf(9), 9)
		c.encode()
	})
}

func BenchmarkCacheOpen10k(b *testing.B) {
	dir := savedCache(b, 10_000)
	for b.Loop() {
		if OpenCache(dir, 20, "v1").slots == nil {
			b.Fatal("empty")
		}
	}
}

func BenchmarkCacheGet10k(b *testing.B) {
	c := OpenCache(savedCache(b, 10_000), 20, "v1")
	oids := make([]tree.OID, 10_000)
	for i := range oids {
		oids[i] = oidOf(i)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, oid := range oids {
			if _, ok := c.Get(oid); !ok {
				b.Fatal("missing")
			}
		}
	}
}

func BenchmarkCacheSave10k(b *testing.B) {
	dir := savedCache(b, 10_000)
	for i := uint64(0); b.Loop(); i++ {
		c := OpenCache(dir, 20, "v1")
		for j := range cacheFew {
			c.Put(oidOf(10_000+j), i)
		}
		if err := c.Save(); err != nil {
			b.Fatal(err)
		}
	}
}
