// Package config reads what a memory repository says about itself: the tracked
// constraint file .memfs.config.json and the layout policy in its git directory.
//
// It works on bytes and strings only and touches neither disk nor git, so that
// the editor, the command line and the commit hook judge the same text alike.
// It stays clear of packages that are slow to start (regexp among them),
// because the hook pays for them at every commit.
package config

// Path is where the constraint file stands in the repository.
const Path = ".memfs.config.json"

// The limits of the v2 layout where the constraint file does not say otherwise.
const (
	defaultMaxDepth = 2
	defaultMaxFile  = 20000
	defaultMaxCore  = 65536
)

// A Config holds the limits a constraint file asks for. It is not changed after
// [Parse] and may be shared between goroutines.
type Config struct {
	MaxDepth *int64 // directories above a memory file; nil: not limited
	MaxFile  *int64 // code points in one file; nil: not limited
	MaxCore  *int64 // code points in all root Markdown together; nil: not limited

	Limits     []Limit // overrides of MaxFile; the first that matches decides
	ReadOnly   []*Glob // paths that a commit may not create, change or remove
	Formatting Formatting
}

// A Limit is one entry of fileCharacterLimits.
type Limit struct {
	Glob    *Glob
	Pattern string // as written in the file
	Max     *int64 // code points; nil: no cap for these files
}

// Formatting says which of the opt-in hygiene checks are on.
type Formatting struct {
	LF                 bool // no carriage return anywhere
	FinalNewline       bool // a file that is not empty ends in \n
	TrailingWhitespace bool // true: white space at the end of a line is reported
}

// Defaults returns the limits of the v2 layout (policy [RootMarker]) without a
// constraint file.
func Defaults() *Config {
	return (&Config{}).WithDefaults()
}

// WithDefaults returns a copy of c in which the limits that the file left out
// have their v2 defaults. Only [RootMarker] fills them in; with the other
// policies nothing holds but what the file says.
func (c *Config) WithDefaults() *Config {
	filled := *c
	if filled.MaxDepth == nil {
		filled.MaxDepth = new(int64(defaultMaxDepth))
	}
	if filled.MaxFile == nil {
		filled.MaxFile = new(int64(defaultMaxFile))
	}
	if filled.MaxCore == nil {
		filled.MaxCore = new(int64(defaultMaxCore))
	}
	return &filled
}

// FileLimit returns the cap on the file at path in code points, and what set
// it in the words of the finding: "maxFileCharacters" or "glob '<pattern>'".
// The first glob that matches decides, also when it lifts the limit; ok is
// false when the file has no cap.
func (c *Config) FileLimit(path string) (max int64, source string, ok bool) {
	for _, l := range c.Limits {
		if !l.Glob.Match(path) {
			continue
		}
		if l.Max == nil {
			return 0, "", false
		}
		return *l.Max, "glob '" + l.Pattern + "'", true
	}
	if c.MaxFile == nil {
		return 0, "", false
	}
	return *c.MaxFile, "maxFileCharacters", true
}

// IsReadOnly returns the first pattern of readOnlyFiles that matches path, if
// there is one.
func (c *Config) IsReadOnly(path string) (pattern string, ok bool) {
	for _, g := range c.ReadOnly {
		if g.Match(path) {
			return g.String(), true
		}
	}
	return "", false
}
