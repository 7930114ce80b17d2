package fileuri_test

import (
	"errors"
	"path"
	"strings"
	"testing"

	"github.com/memls/memls/lsp/fileuri"
)

func TestPath(t *testing.T) {
	tests := []struct {
		name, goos, uri, want string
	}{
		{"plain", "linux", "file:///m/a.md", "/m/a.md"},
		{"escaped space, plus and é", "linux", "file:///tmp/w%20s%2Bx/%C3%A9/a.md", "/tmp/w s+x/é/a.md"},
		{"the same, raw", "linux", "file:///tmp/w s+x/é/a.md", "/tmp/w s+x/é/a.md"},
		{"escaped hyphen", "linux", "file:///m/a%2Db.md", "/m/a-b.md"},
		{"escapes in either case", "linux", "file:///m/%c3%A9.md", "/m/é.md"},
		{"escaped #, ? and %", "linux", "file:///m/a%23b%3Fc%25d.md", "/m/a#b?c%d.md"},
		{"an escaped escape is decoded once", "linux", "file:///m/a%2520b.md", "/m/a%20b.md"},
		{"a stray % stands for itself", "linux", "file:///m/100%.md", "/m/100%.md"},
		{"a bad escape stands for itself", "linux", "file:///m/%zz%4", "/m/%zz%4"},
		{"invalid UTF-8", "linux", "file:///m/%FF%C3.md", "/m/\xff\xc3.md"},
		{"query and fragment are no part of the path", "linux", "file:///m/a.md?x=1#top", "/m/a.md"},
		{"dots and slashes are cleaned", "linux", "file:///m//x/../a.md/", "/m/a.md"},
		{"scheme in capitals", "linux", "FILE:///m/a.md", "/m/a.md"},
		{"one slash", "linux", "file:/m/a.md", "/m/a.md"},
		{"this host", "linux", "file://localhost/m/a.md", "/m/a.md"},
		{"a drive is a directory elsewhere", "linux", "file:///C%3A/a.md", "/C:/a.md"},
		{"root", "linux", "file:///", "/"},

		{"drive, escaped", "windows", "file:///c%3A/m/a.md", `c:\m\a.md`},
		{"drive, capital", "windows", "file:///C:/m/a.md", `c:\m\a.md`},
		{"drive alone", "windows", "file:///C:", `c:\`},
		{"only the drive changes its case", "windows", "file:///C:/Memory/A.md", `c:\Memory\A.md`},
		{"share", "windows", "file://server/share/m/a%20b.md", `\\server\share\m\a b.md`},
		{"share of WSL", "windows", "file://wsl%24/Debian/m/a.md", `\\wsl$\Debian\m\a.md`},
		{"backslashes", "windows", `file:///c:/m\x\..\a.md`, `c:\m\a.md`},
		{"no drive", "windows", "file:///m/a.md", `\m\a.md`},
	}
	for _, tt := range tests {
		t.Run(tt.goos+" "+tt.name, func(t *testing.T) {
			got, err := fileuri.PathOn(tt.goos, tt.uri)
			if err != nil || got != tt.want {
				t.Errorf("path of %q = %q, %v, want %q", tt.uri, got, err, tt.want)
			}
		})
	}
}

func TestPathOfNoFile(t *testing.T) {
	for _, uri := range []string{
		"", "a.md", "/m/a.md", "untitled:Untitled-1", "vscode-notebook-cell:/m/a.ipynb#W0", "git:/m/a.md?x",
		"https://example.invalid/a.md", "file:", "file:a.md", "file://", "file://host", "file:///a%00b", "file://server/share/a.md",
	} {
		if got, err := fileuri.PathOn("linux", uri); !errors.Is(err, fileuri.ErrNotFile) {
			t.Errorf("path of %q = %q, %v, want ErrNotFile", uri, got, err)
		}
	}
}

func TestFromPath(t *testing.T) {
	tests := []struct{ goos, path, want string }{
		{"linux", "/m/a.md", "file:///m/a.md"},
		{"linux", "/tmp/w s+x/é/a.md", "file:///tmp/w%20s%2Bx/%C3%A9/a.md"},
		{"linux", "/m/a#b?c%d(e).md", "file:///m/a%23b%3Fc%25d%28e%29.md"},
		{"linux", "/m/\xff.md", "file:///m/%FF.md"},
		{"linux", "/m/a\\b.md", "file:///m/a%5Cb.md"},
		{"windows", `C:\m\a b.md`, "file:///c%3A/m/a%20b.md"},
		{"windows", `\\server\share\a.md`, "file://server/share/a.md"},
		{"windows", `\\wsl$\Debian\a.md`, "file://wsl%24/Debian/a.md"},
	}
	for _, tt := range tests {
		if got := fileuri.FromPathOn(tt.goos, tt.path); got != tt.want {
			t.Errorf("URI of %q on %s = %q, want %q", tt.path, tt.goos, got, tt.want)
		}
	}
}

func FuzzRoundTrip(f *testing.F) {
	for _, p := range []string{"m/a.md", "w s+x/é", "a%20b#c?d", "\xff\xc3\x28", `c:\x`, "%"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		fileuri.PathOn("windows", p) // must not panic on any URI
		fileuri.PathOn("linux", p)
		if strings.IndexByte(p, 0) >= 0 {
			t.Skip("no path holds a NUL")
		}
		want := path.Clean("/" + p)
		got, err := fileuri.PathOn("linux", fileuri.FromPathOn("linux", want))
		if err != nil || got != want {
			t.Fatalf("path = %q, %v, want %q", got, err, want)
		}
		drive := "c:" + strings.ReplaceAll(path.Clean("/"+strings.ReplaceAll(p, `\`, "/")), "/", `\`)
		got, err = fileuri.PathOn("windows", fileuri.FromPathOn("windows", drive))
		if err != nil || got != drive {
			t.Fatalf("path on Windows = %q, %v, want %q", got, err, drive)
		}
	})
}
