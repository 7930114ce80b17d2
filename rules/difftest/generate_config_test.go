package difftest_test

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memls/memls/rules/config"
	"github.com/memls/memls/rules/tree"
)

func (g *generator) addConfig(r *repo, files map[string]file) {
	f := file{path: config.Path, mode: tree.Regular}
	f.text, r.plainConfig = g.config()
	if g.chance(3) {
		f.mode = []tree.Mode{tree.Executable, tree.Symlink, tree.Gitlink}[g.IntN(3)]
	}
	files[f.path] = f
}

// config is a constraint file. When it has fields that the reference does not
// know, plain is the file without them.
func (g *generator) config() (text, plain []byte) {
	if g.chance(12) {
		return []byte(brokenConfigs[g.IntN(len(brokenConfigs))]), nil
	}
	good := g.chance(65)
	fields := []string{`"version": ` + g.pick(good, versions, 1)}
	if g.chance(40) {
		fields = append(fields, `"maxDepth": `+g.pick(good, numbers, 4))
	}
	if g.chance(50) {
		fields = append(fields, `"maxFileCharacters": `+g.limit(good))
	}
	if g.chance(40) {
		fields = append(fields, `"maxCoreMemoryCharacters": `+g.limit(good))
	}
	if g.chance(55) {
		fields = append(fields, `"fileCharacterLimits": `+g.limits(good))
	}
	if !good && g.chance(30) {
		fields = append(fields, unknownFields[g.IntN(len(unknownFields))]+": 1")
	}
	if !good && g.chance(10) {
		fields = fields[1:]
	}
	if !good && g.chance(10) && len(fields) > 0 {
		fields = append(fields, fields[g.IntN(len(fields))])
	}
	g.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	object := func(fields []string) []byte { return []byte("{" + strings.Join(fields, ", ") + "}\n") }
	if g.chance(8) {
		plain = object(fields)
		fields = slices.Insert(fields, g.IntN(len(fields)+1), newFields[g.IntN(len(newFields))])
	}
	return object(fields), plain
}

// pick chooses among the first n values when the config is to be good.
func (g *generator) pick(good bool, list []string, n int) string {
	if good {
		return list[g.IntN(n)]
	}
	return g.usual(list)
}

// limit is a number of characters near which files are made.
func (g *generator) limit(good bool) string {
	if !good && g.chance(40) {
		return g.usual(numbers)
	}
	n := 30 + g.IntN(120)
	if g.chance(10) {
		n = 1 + g.IntN(400)
	}
	g.sizes = append(g.sizes, n)
	return strconv.Itoa(n)
}

func (g *generator) limits(good bool) string {
	if !good && g.chance(10) {
		return []string{"null", "{}", `"x"`, "1", "[[]]", "[null]", `["x"]`, "[{}]", "true"}[g.IntN(9)]
	}
	entries := make([]string, g.IntN(4))
	for i := range entries {
		most := g.limit(good)
		if g.chance(20) {
			most = "null"
		}
		members := []string{`"pattern": ` + g.pick(good, patterns, 42), `"maxCharacters": ` + most}
		if !good && g.chance(15) {
			members = append(members, unknownFields[g.IntN(len(unknownFields))]+`: "x"`)
		}
		if !good && g.chance(10) {
			members = members[1:]
		}
		if !good && g.chance(10) {
			members = append(members, members[0])
		}
		g.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		entries[i] = "{" + strings.Join(members, ", ") + "}"
	}
	return "[" + strings.Join(entries, ", ") + "]"
}
