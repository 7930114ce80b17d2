package agentcli_test

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// labelPieces are put together at random to labels that are a way out of a
// directory, no name on some system, or unusual and fine.
var labelPieces = []string{
	"..", ".", "/", `\`, "C:", "CON", "nul", "system/", "MEMORY", ".md", ".git", ":", "*", " ", "~", "-", "$(touch x)", "`x`", "%2e%2e",
	"human", "日本", "👩‍👩‍👧", "\u200f", "\u202e", "é", "e\u0301", "\n", "\t", "\x7f", strings.Repeat("x", 150),
}

// Whatever the labels are, init writes nothing outside of its directory, and
// nothing at all when one of them cannot be.
func TestInitStaysInItsDirectory(t *testing.T) {
	s := newSandbox(t)
	rng := rand.New(rand.NewPCG(1, 2))
	made := 0
	for n := 0; n < 25 || made < 3; n++ {
		var label strings.Builder
		for range 1 + rng.IntN(3) {
			label.WriteString(labelPieces[rng.IntN(len(labelPieces))])
		}
		target := filepath.Join("in", "mem")
		out, err := s.run(".", nil, "agentcli", "init", target, "--block", label.String()+"=a value that is kept")
		files := s.files(".")
		inside := 0
		for path := range files {
			rel, ok := strings.CutPrefix(path, target+string(filepath.Separator))
			switch {
			case path == "./", path == "in/" && err == nil, path == target+"/" && err == nil:
			case !ok:
				t.Errorf("label %q: %s is outside of the directory", label.String(), path)
			case strings.Contains(strings.TrimSuffix(rel, "/"), "/"):
				t.Errorf("label %q: %s is in a directory below", label.String(), path)
			default:
				inside++
			}
		}
		if err != nil {
			if inside > 0 || !strings.Contains(out, "block ") {
				t.Errorf("label %q: refused with %d files there: %s", label.String(), inside, out)
			}
			continue
		}
		made++
		if out := s.must(target, "agentcli", "check", "--strict"); !strings.HasPrefix(out, "0 errors") {
			t.Errorf("label %q: %s", label.String(), out)
		}
		if out := s.must(target, "agentcli", "compile"); strings.Count(out, "a value that is kept") != 1 {
			t.Errorf("label %q: the value is not in the prompt once:\n%s", label.String(), out)
		}
		s.remove("in")
	}
}
