package rules

import "github.com/memls/memls/rules/tree"

// A Cache keeps what is known of a blob between runs. It may forget anything.
type Cache interface {
	Get(oid tree.OID) (uint64, bool)
	Put(oid tree.OID, value uint64)
}

// CacheVersion names the meaning of cached values. It changes with every
// change of a rule that judges text, of character counting or of the layout
// of a value: a cache of another version is void.
const CacheVersion = "memls-1"

// What a cached value says of a blob: the low bits are set when a file of
// that role (or of that formatting) has nothing that is refused, the rest is
// the number of characters.
const (
	cleanMemory = 1 << iota
	cleanIndex
	cleanLF
	cleanFinalNewline
	cleanTrailing
	cacheFlags = iota
)

var cleanFlag = map[Role]uint64{RoleMemory: cleanMemory, RoleIndex: cleanIndex}

// known reports whether the cache says that nothing in the file's text is
// refused in its role, and keeps the size it remembers.
func (j *judgement) known(f *tree.File, role Role) bool {
	flag := cleanFlag[role]
	if j.opt.Cache == nil || f.OID == "" || flag == 0 {
		return false
	}
	v, ok := j.opt.Cache.Get(f.OID)
	if flag |= j.formatFlags(f.Path); !ok || v&flag != flag {
		return false
	}
	f.KnowCharacters(int(v >> cacheFlags))
	return true
}

// remember records a file that was read and is clean.
func (j *judgement) remember(f *tree.File, role Role, refused bool) {
	flag := cleanFlag[role]
	if j.opt.Cache == nil || f.OID == "" || flag == 0 || refused {
		return
	}
	n, err := charactersOf(f)
	if err != nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if v, ok := j.opt.Cache.Get(f.OID); ok {
		flag |= v & (1<<cacheFlags - 1)
	}
	flag |= j.formatFlags(f.Path)
	j.opt.Cache.Put(f.OID, uint64(n)<<cacheFlags|flag)
}

// formatFlags are the hygiene rules in force for the path.
func (v *View) formatFlags(path string) uint64 {
	l := v.Limits()
	if l == nil || !v.Constrained(path) {
		return 0
	}
	var flags uint64
	if l.Formatting.LF {
		flags |= cleanLF
	}
	if l.Formatting.FinalNewline {
		flags |= cleanFinalNewline
	}
	if l.Formatting.TrailingWhitespace {
		flags |= cleanTrailing
	}
	return flags
}

// charactersOf is the number of code points of the file: what the cache
// remembers, else what its bytes say.
func charactersOf(f *tree.File) (int, error) {
	if n, ok := f.Characters(); ok {
		return n, nil
	}
	facts, err := factsOf(f)
	if err != nil {
		return 0, err
	}
	return facts.Characters, nil
}
