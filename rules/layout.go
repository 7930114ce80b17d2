package rules

import "strings"

// Index is the name of an index file.
const Index = "MEMORY.md"

// IsMarkdown reports whether the path ends in ".md" (case-sensitive, spec
// introduction).
func IsMarkdown(path string) bool { return strings.HasSuffix(path, ".md") }

// IsIndex reports whether the file is named exactly MEMORY.md.
func IsIndex(path string) bool { return base(path) == Index }

// InSkills reports whether the path lies in skills/, which is not memory.
func InSkills(path string) bool { return strings.HasPrefix(path, "skills/") }

// IsCore reports whether v2 keeps the file resident: Markdown at the root.
func IsCore(path string) bool { return IsMarkdown(path) && !strings.Contains(path, "/") }

// IsLegacy reports whether v1 judges the path: Markdown below system/ or
// reference/, with or without a memory/ prefix (spec, section 3).
func IsLegacy(path string) bool {
	rest := strings.TrimPrefix(path, "memory/")
	return IsMarkdown(path) && (strings.HasPrefix(rest, "system/") || strings.HasPrefix(rest, "reference/"))
}

// skillRoot is the folder of the skill that path belongs to
// ("skills/deploy"), "" for none. A file flat in skills/ belongs to none.
func skillRoot(path string) string {
	rest, ok := strings.CutPrefix(path, "skills/")
	if i := strings.IndexByte(rest, '/'); ok && i > 0 {
		return path[:len("skills/")+i]
	}
	return ""
}

// flatSkill reports whether path is a Markdown file flat in a skills folder;
// v1 knows one below memory/ too.
func flatSkill(path string, v2 bool) bool {
	if !v2 {
		path = strings.TrimPrefix(path, "memory/")
	}
	rest, ok := strings.CutPrefix(path, "skills/")
	return ok && IsMarkdown(path) && len(rest) > len(".md") && !strings.Contains(rest, "/")
}

func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// dirOf is the directory of a path, "" at the root.
func dirOf(path string) string {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i]
	}
	return ""
}

func joinPath(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// Title turns a file or directory name into a name for people: split at '-'
// and '_', first letters upper-cased, joined by spaces (spec, section 7).
func Title(path string) string {
	words := strings.FieldsFunc(strings.TrimSuffix(base(path), ".md"), func(r rune) bool { return r == '-' || r == '_' })
	for i, w := range words {
		for j, r := range w {
			words[i] = w[:j] + strings.ToUpper(string(r)) + w[j+len(string(r)):]
			break
		}
	}
	return strings.Join(words, " ")
}
