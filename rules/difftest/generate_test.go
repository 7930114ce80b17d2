package difftest_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/tree"
)

// maxFiles keeps cases small: a mistake in one file is not hidden by those of
// others.
const maxFiles = 12

// A generator makes one repository. All its choices come from the seed and the
// number of the case.
type generator struct {
	*rand.Rand
	v1      bool // most files are where v1 looks
	careful bool // the frontmatter has no mistakes
	// sizes are the limits of the config: files are made to be about as long.
	sizes []int
}

func generate(seed, number uint64) *repo {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, number))}
	g.careful = g.chance(40)
	r := &repo{approve: g.chance(30), hasHead: g.chance(80)}
	switch n := g.IntN(100); {
	case n < 50:
		r.policy = config.RootMarker
	case n < 75:
		r.policy, g.v1 = config.LegacyOnly, true
	default:
		r.policy = config.SharedMemory
	}
	if g.chance(10) {
		g.v1 = !g.v1
	}
	files := map[string]file{}
	if g.chance(45) {
		g.addConfig(r, files)
	}
	if !g.v1 && g.chance(85) {
		g.add(files, g.index("MEMORY.md"))
	}
	for range g.IntN(6) + g.IntN(3) {
		g.add(files, g.file(g.path()))
	}
	if !g.v1 && g.chance(75) {
		g.addIndexes(files)
	}
	r.files = sorted(files)
	if r.hasHead {
		r.head = g.headOf(files)
	}
	return r
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

// usual chooses evenly half of the time, else among the first few.
func (g *generator) usual(list []string) string {
	n := len(list)
	if g.chance(50) {
		n = min(n, 6)
	}
	return list[g.IntN(n)]
}

// add adds a file unless git could not have it beside the others: a name is a
// file or a directory.
func (g *generator) add(files map[string]file, f file) {
	if len(files) >= maxFiles {
		return
	}
	for other := range files {
		if strings.HasPrefix(other, f.path+"/") || strings.HasPrefix(f.path, other+"/") {
			return
		}
	}
	files[f.path] = f
}

func sorted(files map[string]file) []file {
	out := make([]file, 0, len(files))
	for _, f := range files {
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b file) int { return strings.Compare(a.path, b.path) })
	return out
}

func (g *generator) path() string {
	name := g.usual(rootNames)
	dirs, atRoot := v2Dirs, 45
	if g.v1 {
		dirs, atRoot = v1Dirs, 10
	}
	switch {
	case g.chance(1):
		return config.Path + "/" + name
	case g.chance(atRoot):
		return name
	}
	return g.usual(dirs) + "/" + name
}

// addIndexes gives most directories their index.
func (g *generator) addIndexes(files map[string]file) {
	for _, f := range sorted(files) {
		for i := range len(f.path) {
			if f.path[i] == '/' && !strings.HasPrefix(f.path, "skills/") && g.chance(92) {
				index := f.path[:i] + "/MEMORY.md"
				if _, ok := files[index]; !ok {
					g.add(files, g.index(index))
				}
			}
		}
	}
}

func (g *generator) index(path string) file {
	f := file{path: path, mode: tree.Regular, text: []byte(indexes[0])}
	if g.chance(20) {
		f.text = []byte(g.usual(indexes))
	}
	g.oddMode(&f)
	return f
}

func (g *generator) file(path string) file {
	f := file{path: path, mode: tree.Regular}
	if strings.HasSuffix(path, "MEMORY.md") && g.chance(80) {
		return g.index(path)
	}
	f.text = g.text()
	g.oddMode(&f)
	return f
}

// commit stands for the commit that a submodule is at: one of two.
func (g *generator) commit() []byte { return []byte{'a' + byte(g.IntN(2))} }

func (g *generator) oddMode(f *file) {
	switch n := g.IntN(100); {
	case n < 3:
		f.mode, f.text = tree.Symlink, []byte(g.usual(linkTargets))
	case n < 5:
		f.mode, f.text = tree.Gitlink, g.commit()
	case n < 8:
		f.mode = tree.Executable
	}
}

// text is a memory file: mostly right, else with some mistakes.
func (g *generator) text() []byte {
	good := []string{"name: Human", "description: The user"}
	pool := v2Lines
	if g.v1 {
		good, pool = good[1:], v1Lines
	}
	lines := slices.Clone(good)
	if g.v1 && g.chance(25) {
		lines = append(lines, "read_only: "+strconv.FormatBool(g.chance(60)))
	}
	opening, closing := "---", "---"
	if !g.careful && g.chance(50) {
		for range g.IntN(4) {
			g.mistake(&lines, pool)
		}
		opening, closing = g.usual(openFences), g.usual(closeFences)
	}
	var text []byte
	switch n := g.IntN(100); {
	case g.careful:
		text = []byte("---\n" + strings.Join(append(lines, "---"), "\n") + "\n" + g.usual(bodies))
		return g.fill(text)
	case n < 3:
	case n < 6:
		text = []byte(g.usual(bodies))
	default:
		text = []byte(opening + "\n" + strings.Join(append(lines, closing), "\n") + g.usual([]string{"\n", "\n", "\n", ""}) + g.usual(bodies))
	}
	return g.spoil(g.fill(text))
}

func (g *generator) mistake(lines *[]string, pool []string) {
	at := g.IntN(len(*lines) + 1)
	switch g.IntN(3) {
	case 0:
		if at < len(*lines) {
			*lines = slices.Delete(*lines, at, at+1)
		}
	case 1:
		if at < len(*lines) {
			(*lines)[at] = pool[g.IntN(len(pool))]
		}
	default:
		*lines = slices.Insert(*lines, at, pool[g.IntN(len(pool))])
	}
}

// fill makes a file about as long as some limit allows.
func (g *generator) fill(text []byte) []byte {
	sizes := g.sizes
	if len(sizes) == 0 && g.chance(1) {
		sizes = []int{20000, 40000, 65536}
	}
	if len(sizes) == 0 || g.chance(40) {
		return text
	}
	room := sizes[g.IntN(len(sizes))] - utf8.RuneCount(text) + g.IntN(3) - 1
	filler := g.usual(fillers)
	if room <= 0 || room > 1<<17 {
		return text
	}
	return append(text, bytes.Repeat([]byte(filler), room)...)
}

// spoil does what editors and other systems do to whole files.
func (g *generator) spoil(text []byte) []byte {
	switch g.IntN(40) {
	case 0:
		return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	case 1:
		return append([]byte("\ufeff"), text...)
	case 2:
		return bytes.ReplaceAll(text, []byte("\n"), []byte("\r"))
	case 3:
		if len(text) < 300 {
			wide := []byte("\xff\xfe")
			for _, c := range text {
				wide = append(wide, c, 0)
			}
			return wide
		}
	case 4:
		return text[:g.IntN(len(text)+1)]
	}
	return text
}

// headOf is the last commit: like the staged tree, with some differences.
func (g *generator) headOf(staged map[string]file) []file {
	head := map[string]file{}
	same := g.IntN(101)
	for _, f := range sorted(staged) {
		switch n := g.IntN(100); {
		case n < same:
		case n < 25:
			continue // the commit adds it
		case n < 35:
			f.mode = []tree.Mode{tree.Regular, tree.Executable, tree.Symlink, tree.Gitlink}[g.IntN(4)]
			switch f.mode {
			case tree.Symlink:
				f.text = []byte(g.usual(linkTargets))
			case tree.Gitlink:
				f.text = g.commit()
			}
		case f.path == config.Path:
			f.text, _ = g.config()
		default:
			f.text = g.before(f.text)
		}
		g.add(head, f)
	}
	for range g.IntN(3) {
		if p := g.path(); g.chance(50) {
			g.add(head, g.file(p)) // the commit removes it
		}
	}
	if g.chance(5) {
		text, _ := g.config()
		g.add(head, file{path: config.Path, mode: tree.Regular, text: text})
	}
	return sorted(head)
}

// before is an older text: another one, or one with a line more or less.
func (g *generator) before(text []byte) []byte {
	if g.chance(30) {
		return g.text()
	}
	lines := strings.Split(string(text), "\n")
	pool := v2Lines
	if g.v1 {
		pool = v1Lines
	}
	g.mistake(&lines, pool)
	return []byte(strings.Join(lines, "\n"))
}
