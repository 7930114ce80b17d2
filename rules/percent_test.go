package rules

import (
	"net/url"
	"testing"
)

func FuzzPercent(f *testing.F) {
	for _, s := range []string{"my%20notes.md", "%zz", "%4", "%", "a+b c/d?e#f", "%C3%A9é", "%00", "~!*'()[]", "%aF%Fa"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := unescapePath(s)
		want, wantErr := url.PathUnescape(s)
		if got != want || (err == nil) != (wantErr == nil) {
			t.Errorf("unescapePath(%q) = %q, %v; net/url says %q, %v", s, got, err, want, wantErr)
		}
		if got, want := escapePath(s), url.PathEscape(s); got != want {
			t.Errorf("escapePath(%q) = %q, net/url says %q", s, got, want)
		}
	})
}
