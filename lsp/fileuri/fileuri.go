// Package fileuri converts between file URIs (RFC 8089) and paths.
//
// Clients spell the URI of one file in many ways (%2D or -, %C3%A9 or a raw é,
// /C: or /c%3A), so URIs are never compared: documents are known by their path,
// and the client's spelling is kept for what is sent back to it.
//
// go.lsp.dev/uri is not used because it panics on other schemes and on bad
// escapes, and decodes twice; net/url is not because it refuses hosts such as
// wsl%24 and paths with a stray %.
package fileuri

import (
	"errors"
	"fmt"
	"path"
	"runtime"
	"strings"
)

// ErrNotFile is the error of a URI that names no file of this machine, such as
// untitled:Untitled-1.
var ErrNotFile = errors.New("not a file URI")

// Path returns the absolute, cleaned path that a URI names on this machine's
// operating system. Its errors are [ErrNotFile], wrapped.
func Path(uri string) (string, error) { return PathOn(runtime.GOOS, uri) }

// PathOn is [Path] for an operating system, named as in runtime.GOOS. The
// bytes of a path are kept as they are, valid UTF-8 or not. On Windows the
// drive letter is in lower case and a host makes a UNC path.
func PathOn(goos, uri string) (string, error) {
	scheme, rest, ok := strings.Cut(uri, ":")
	if !ok || !strings.EqualFold(scheme, "file") {
		return "", fmt.Errorf("%w: %q", ErrNotFile, uri)
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i]
	}
	host := ""
	if authority, ok := strings.CutPrefix(rest, "//"); ok {
		slash := strings.IndexByte(authority, '/')
		if slash < 0 {
			return "", fmt.Errorf("%w: %q has no path", ErrNotFile, uri)
		}
		host, rest = unescape(authority[:slash]), authority[slash:]
	}
	if strings.EqualFold(host, "localhost") {
		host = ""
	}
	p := unescape(rest)
	if !strings.HasPrefix(p, "/") || strings.IndexByte(p, 0) >= 0 {
		return "", fmt.Errorf("%w: %q has no absolute path", ErrNotFile, uri)
	}
	if goos == "windows" {
		return windowsPath(host, p), nil
	}
	if host != "" {
		return "", fmt.Errorf("%w: %q is on the host %q", ErrNotFile, uri, host)
	}
	return path.Clean(p), nil
}

func windowsPath(host, p string) string {
	p = path.Clean(strings.ReplaceAll(p, `\`, "/"))
	if host != "" {
		return `\\` + host + strings.ReplaceAll(p, "/", `\`)
	}
	if hasDrive(p[1:]) {
		p = strings.ToLower(p[1:2]) + p[2:]
		if len(p) == len("c:") {
			p += "/"
		}
	}
	return strings.ReplaceAll(p, "/", `\`)
}

func hasDrive(p string) bool {
	return len(p) >= 2 && p[1] == ':' && ('a' <= p[0]|0x20 && p[0]|0x20 <= 'z') && (len(p) == 2 || p[2] == '/' || p[2] == '\\')
}

// FromPath returns the URI of an absolute path, in the spelling that VS Code
// uses: everything but unreserved ASCII and slashes is escaped. It is for files
// whose URI no client has told.
func FromPath(p string) string { return FromPathOn(runtime.GOOS, p) }

// FromPathOn is [FromPath] for an operating system, named as in runtime.GOOS.
func FromPathOn(goos, p string) string {
	if goos != "windows" {
		return "file://" + escape(p)
	}
	p = strings.ReplaceAll(p, `\`, "/")
	if strings.HasPrefix(p, "//") {
		return "file:" + escape(p)
	}
	if hasDrive(p) {
		p = "/" + strings.ToLower(p[:1]) + p[1:]
	}
	return "file://" + escape(p)
}

func escape(p string) string {
	var b strings.Builder
	rest := 0 // where what is not written yet starts
	for i := range len(p) {
		if c := p[i]; !unreserved(c) {
			fmt.Fprintf(&b, "%s%%%02X", p[rest:i], c)
			rest = i + 1
		}
	}
	if rest == 0 {
		return p
	}
	return b.String() + p[rest:]
}

func unreserved(c byte) bool {
	return '-' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '~' // -./0-9
}

// unescape decodes percent escapes; a % that begins none stands for itself.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			hi, lo := unhex(s[i+1]), unhex(s[i+2])
			if hi >= 0 && lo >= 0 {
				b.WriteByte(byte(hi<<4 | lo))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func unhex(c byte) int { return strings.IndexByte("0123456789abcdef", lower(c)) }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}
