package oracle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const referenceName = "@letta-ai/letta-code"

//go:embed package.json
var packageJSON []byte

// validator is the reference's code. The tarball is fetched once and kept in
// .cache of the module; each run checks it against the integrity that
// package.json pins.
func validator(t testing.TB) []byte {
	t.Helper()
	var pin struct {
		DevDependencies map[string]string
		Integrity       string
	}
	if err := json.Unmarshal(packageJSON, &pin); err != nil {
		t.Fatal(err)
	}
	version := pin.DevDependencies[referenceName]
	tarball := filepath.Join(cache(t), "letta-ai-letta-code-"+version+".tgz")
	if _, err := os.Stat(tarball); err != nil {
		fetch(t, referenceName+"@"+version, tarball)
	}
	tgz, err := os.ReadFile(tarball)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha512.Sum512(tgz)
	if got := "sha512-" + base64.StdEncoding.EncodeToString(sum[:]); got != pin.Integrity {
		t.Fatalf("%s is not what package.json pins: delete it and try again\n got %s\nwant %s", tarball, got, pin.Integrity)
	}
	return unpack(t, tgz, "package/dist/memory-constraints.js")
}

// cache is a directory for what tests fetch.
func cache(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd() // of a test: its package
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, ".cache", "reference")
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("the test runs outside of the module")
		}
		dir = up
	}
}

// fetch puts a package's tarball at a path, whole or not at all: tests of
// several packages fetch at once.
func fetch(t testing.TB, spec, tarball string) {
	t.Helper()
	Need(t, "npm")
	dir := filepath.Dir(tarball)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	own, err := os.MkdirTemp(dir, "fetch-*")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(own)
	cmd := exec.Command("npm", "pack", "--silent", "--pack-destination", own, spec)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("fetching the reference: %s: %v\n%s", cmd, err, out)
	}
	if err := os.Rename(filepath.Join(own, filepath.Base(tarball)), tarball); err != nil {
		t.Fatal(err)
	}
}

// unpack returns one file of a .tgz.
func unpack(t testing.TB, tgz []byte, name string) []byte {
	t.Helper()
	zr, err := gzip.NewReader(bytes.NewReader(tgz))
	if err != nil {
		t.Fatal(err)
	}
	for tr := tar.NewReader(zr); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			t.Fatalf("the reference has no %s", name)
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Name != name {
			continue
		}
		data, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
}

// Need skips the test where a program is not installed, except in CI, where a
// comparison that does not run must not look like one that passes.
func Need(t testing.TB, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err == nil {
		return
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is not installed: the comparison with the reference cannot run", program)
	}
	t.Skipf("%s is not installed: install Node.js to compare with the reference", program)
}
