package difftest_test

// What the generator chooses from. Each list leads from the usual to the odd;
// a choice favours its start.

var (
	openFences  = []string{"---", "---", "---", "---", "\ufeff---", "---\r", "--- ", " ---", "----", "--", "", "\n---", "---\u00a0", "---name: x"}
	closeFences = []string{"---", "---", "---", "---", "---\r", "--- ", "----", "...", "", "\t---"}

	v2Lines = []string{
		"name: Human", "description: The user", "name: Human", "description: The user",
		"name:", "description:  ", `name: ""`, "description: ''", `name: " "`, "name: '", "name:\t", "name: \r", "description: d\r",
		" name: Human", "\tname: Human", "name : Human", "na me: x", "Name: x", `"name": x`, "name", "description", "name:x", "name:: x",
		"description: Deploy: staging first", "description: |", "  first line", "  second: line", "description: >-",
		"# a comment", "- item", "type: feedback", "metadata:", "limit: 10", "read_only: true",
		":", ": x", " ", "\t", "\r", "...", "----", "<<<<<<< HEAD", "=======", ">>>>>>> main",
		"clé: x", "cl\xe9: x", "名前: x", "🙂: x", "🙂", "\xff\xfe", "name: \xe2\x82", "\u00a0name: x", "name:\u00a0", "name\x00: x", "name: \x00",
		"a'b: x", "%s: %d", "toString: x", "__proto__: x", `a\nb: x`,
	}
	v1Lines = []string{
		"description: The user", "limit: 5000", "read_only: true", "description: The user", "read_only: false", "read_only: true",
		"description:", "description: ", `description: ""`, "description: ''", "description:\t",
		"read_only:", "read_only:true", "read_only:  true  ", "read_only : true", "read _only: true", "read_only", " read_only: true", "\tread_only: true",
		"read_only: True", "read_only: true\r", "read_only: \"true\"", "limit:", "limit: x", "limit", "li mit: 3",
		" continued", "\tcontinued", "  description: x", "name: Human", "# a comment", "- item", ":", " :", "\r", "\u00a0", "clé: x", "cl\xe9: x", "🙂",
		"description: \xff", "description : x", "desc ription: x", "read_only: \xff",
	}
	bodies = []string{
		"- likes pnpm\n", "text", "", "\n", "---\n", "---\nname: again\n---\n", "# Title\n\ntext  \n", "naïve 日本 🙂\n", "\xff\xfe\xe2\x82x\n", "a\x00b", "\r\n",
		"<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n",
	}
	indexes = []string{
		"# Memory\n", "# Memory\n\n- [human](human.md)\n", "", "---\nname: Index\ndescription: d\n---\n# Memory\n", "---", "---\n", "--- \n# x\n", "---\r\nname: x\r\n---\r\n",
		"\ufeff---\n", "\n---\n", "----\n", "\xff", " ---\n",
	}
	fillers = []string{"x", "é", "日", "🙂", "\n", "\xff", "\xe2\x82", "\xf0\x9f", "\xf0\x9f\x99", "\xed\xa0\x80", "\xc0\xaf", "\xf4\x90", "e\u0301", "\r\n", "\ufeff", "\x00", "\xe2\x82\xe2\x82\xac"}

	rootNames = []string{
		"human.md", "persona.md", "MEMORY.md", "my notes.md", "it's.md", `say "hi".md`, "café.md", "cafe\u0301.md", "日本.md", "🙂.md", "-dash.md",
		"a]b.md", "[x].md", "{a,b}.md", "!x.md", "$x.md", "(a)+.md", "a|b.md", "a*b.md", "a?b.md", ".md", ".hidden.md", "memory.md", "Memory.md", "skills.md", "system.md",
		"README.MD", "note.md.txt", "profile.png", "data.csv", "notes.mdx", `back\slash.md`, "tab\there.md", "new\nline.md", "bell\a.md", "caf\xe9.md", "line\u2028sep.md",
		"a: b.md", "a%20b.md", " lead.md", "trail .md", "\u00a0.md", "\u202e.md", "\ufeff.md", "�.md", "AGENTS.md", "..md", "a..b.md",
	}
	v2Dirs = []string{
		"notes", "projects", "projects/archive", "projects/archive/2025", "a", "a/b", "a/b/c/d", "my dir", "ü", "日本/🙂", "-x", "a]b", "x\ty",
		"skills/deploy", "skills", "skills/deploy/references", "x/skills", "Skills", "skills2", "system", "reference", "memory", "memory/system", "memory/skills", "odd.md", "MEMORY.md",
	}
	v1Dirs = []string{
		"system", "reference", "system/deep", "memory/system", "memory/reference", "reference/a/b/c", "system/my dir", "system/ü", "memory/memory/system",
		"skills", "memory/skills", "skills/deploy", "memory/skills/deploy", "x/system", "System", "systems", "notes", "memory", "system/odd.md", "system/x\ty", "system/line\u2028sep",
	}

	// patterns hold no lone surrogate: config documents that it is read as
	// U+FFFD, which the reference keeps apart.
	patterns = []string{
		`"*.md"`, `"**/*.md"`, `"**"`, `"human.md"`, `"notes/**"`, `"system/**"`, `"*"`, `"?????.md"`, `"*/*.md"`, `"**/MEMORY.md"`, `"projects/**/x.md"`, `"a/**/b.md"`, `"**/**"`, `"*/**"`, `"**/a/**"`,
		`"[x].md"`, `"{a,b}.md"`, `"a]b.md"`, `"!x.md"`, `"$x.md"`, `"(a)+.md"`, `"a|b.md"`, `"^*"`, `"?.md"`, `"??.md"`, `"caf?.md"`, `"日*"`, `"*.*"`, `".*"`, `"a//b"`, `"./a.md"`, `"a/"`, `"**/"`, `"notes"`, `"*?*"`, `"line?sep.md"`,
		`"\u002a.md"`, `"\ud83d\ude42.md"`, `"🙂.md"`, `"a.*d"`, `"a*b.md"`, `"*.MD"`, "\"\xff*\"",
		`""`, `"/x.md"`, `"../x.md"`, `"a/../b"`, `".."`, `"a\\b"`, `"a**"`, `"**a"`, `"***"`, `"a/**b/c"`, `"/**a"`, `5`, `null`, `[]`, `{}`, `true`, `"..."`, `"a/..b"`, `"\\**x"`,
	}
	numbers = []string{
		"1", "2", "0", "3", "40", "60", "5", "100", "1.0", "1e1", "10e-1", "-0", "0.0", "-1", "1.5", "null", `"2"`, "true", "[]", "{}", "9007199254740991", "9007199254740992", "-9007199254740991",
		"1e400", "1e-400", "1.0000000000000001", "9007199254740990.9", "4e15", "0e5",
	}
	versions = []string{"1", "1", "1", "1", "1", "1", "1.0", "1e0", "2", "0", `"1"`, "null", "true", "[1]", "1.0000000000000001", "10e-1"}
	// unknownFields are JSON strings.
	unknownFields = []string{
		`"maxdepth"`, `"limits"`, `""`, `"__proto__"`, `"constructor"`, `"toString"`, `"max Depth"`, `"é"`, `"🙂"`, `"\u0000"`, `"\t"`, `"a\nb"`, `"'"`, `"\ud800"`, "\"\xff\"", `"Version"`, `"%s"`,
	}
	// brokenConfigs are whole files.
	brokenConfigs = []string{
		"", " \n", "null", "[]", `"x"`, "5", "true", "{", "{}", "[{}]", `{"version": 1,}`, `{"version": 1} x`, `{'version': 1}`, `{version: 1}`, "// c\n{\"version\": 1}", `{"version": 01}`, `{"version": +1}`,
		`{"version": 1, "maxDepth": NaN}`, `{"version": 1., "maxDepth": 1}`, `{"version": .1}`, "\ufeff{\"version\": 1}", "\u00a0{\"version\": 1}", "\v{\"version\": 1}", "{\"version\": 1}\f", "{\"version\": 1}\x00",
		"{\"a\tb\": 1}", "{\"version\": 1, \"x\": \"\xff\"}", `{"version": 1, "x": "\x"}`, `{"version": 1, "x": "\u12"}`, "\xff\xfe{\x00}\x00", `{"version": 1 "maxDepth": 2}`, `{"version"}`, "{\"version\": 1,\n\n}", `{"x": "\ud800", "y": "\udc00\ud800"}`,
		`{"\ud800": 1, "\ud801": 1}`, `{"version": 1, "version": 2}`, `{"version": 2, "version": 1}`, `{"maxDepth": 1, "version": 1, "maxDepth": -1}`,
		"{\r\n\"version\":\t1\r\n}", `{"\u0076ersion": 1}`, `{"version": 1, "\u006daxDepth": 0}`, "\"a\\nb\"", "{\"version\": 1\n/* x */}", "undefined", "{\"a\nb\": 1}",
	}
	newFields = []string{
		`"readOnlyFiles": ["*.md"]`, `"readOnlyFiles": []`, `"readOnlyFiles": ["**", "human.md"]`,
		`"formatting": {"lineEndings": "lf", "finalNewline": true, "trailingWhitespace": true}`, `"formatting": {}`, `"formatting": {"finalNewline": false}`,
	}

	// linkTargets are no frontmatter: the reference would judge it as the
	// text of the file, which a path is not.
	linkTargets = []string{"human.md", "../secret", "/etc/passwd", "--", "a: b", "MEMORY.md", "nowhere/at all.md", "\xff"}
)
