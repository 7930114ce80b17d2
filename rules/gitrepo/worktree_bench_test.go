package gitrepo

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// tenThousand is a repository of 10,000 tracked notes and 100 untracked ones.
func tenThousand(b *testing.B) *playground {
	p := newPlayground(b)
	for i := range 10_100 {
		p.write(fmt.Sprintf("d%d/s%d/note%d.md", i%10, i%100, i), strings.Repeat("word ", 250)+fmt.Sprint(i))
		if i == 9_999 {
			p.git("add", "-A")
		}
	}
	return p
}

func BenchmarkWorktree10k(b *testing.B) {
	p := tenThousand(b)
	r, err := Open(context.Background(), p.dir)
	p.must(err)
	b.Run("Worktree", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			w, err := r.Worktree(context.Background())
			p.must(err)
			if n := w.Tree.Len(); n != 10_100 {
				b.Fatalf("%d files", n)
			}
		}
	})
	b.Run("Bytes", func(b *testing.B) {
		w := p.worktree()
		for b.Loop() {
			for f := range w.Tree.All() {
				if _, err := f.Bytes(); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	for _, args := range [][]string{{"status", "--porcelain"}, {"ls-files", "--others", "--exclude-standard"}} {
		b.Run("git "+args[0], func(b *testing.B) {
			for b.Loop() {
				p.git(args...)
			}
		})
	}
}

func BenchmarkRefresh10k(b *testing.B) {
	p := tenThousand(b)
	w := p.worktree()
	for name, path := range map[string]string{"tracked": "d1/s1/note1.md", "new": "d1/new.md"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, err := w.Refresh(context.Background(), []string{path})
				p.must(err)
			}
		})
		p.write("d1/new.md", "x")
	}
}
