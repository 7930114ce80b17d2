package gitrepo

import (
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/memls/memls/rules/tree"
)

// errIndexFormat marks an index that this decoder does not read: of a kind
// (split, sparse, a future version) that git has to read for us.
var errIndexFormat = errors.New("not a plain index")

// errIndexDamage marks an index that is not what its writer wrote. Git is not
// asked about it: it does not check (git fsck alone does) and takes what it
// finds for paths.
var errIndexDamage = errors.New("it is damaged")

func badIndex(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errIndexFormat}, args...)...)
}

// Flag bits of an entry (gitformat-index(5)).
const (
	flagExtended   = 0x4000
	flagNameLength = 0x0fff

	extSkipWorktree = 0x4000
	extIntentToAdd  = 0x2000
)

const modeDirectory tree.Mode = 0o040000

// decodeIndex reads the content of an index file of version 2, 3 or 4 whose
// object ids are oidSize bytes long. It calls begin with the number of entries,
// then yields them in order; the entry is used again for the next one. What
// was yielded before an error counts for nothing.
//
// Why not go-git's decoder: it reads field by field through a hashing reader,
// which takes 22 ms for 10,000 entries where this takes one or two; on a split
// or sparse index it returns part of the entries with its error; and it
// refuses an index without a checksum (index.skipHash). Here paths and ids are
// slices of text, and any doubt is an error.
func decodeIndex(text string, oidSize int, begin func(n int), yield func(*IndexEntry)) error {
	count, d, err := newDecoder(text, oidSize)
	if err != nil {
		return err
	}
	begin(int(count))
	var e IndexEntry
	path, stage := "", uint8(0)
	for range count {
		if err := d.entry(&e); err != nil {
			return err
		}
		if e.Path < path || e.Path == path && e.Stage <= stage {
			return badIndex("%q is out of order", e.Path)
		}
		path, stage = e.Path, e.Stage
		yield(&e)
	}
	return d.extensions()
}

// newDecoder checks the header and the checksum.
func newDecoder(text string, oidSize int) (count uint32, d *decoder, err error) {
	const header = 12
	if len(text) < header+oidSize || text[:4] != "DIRC" {
		return 0, nil, fmt.Errorf("%w: no header", errIndexDamage)
	}
	body := text[:len(text)-oidSize]
	if err := verifyChecksum(body, text[len(body):]); err != nil {
		return 0, nil, err
	}
	version, count := be32(text[4:]), be32(text[8:])
	if version < 2 || version > 4 {
		return 0, nil, badIndex("version %d", version)
	}
	// The smallest entry of version 4: fixed part, prefix length, NUL.
	if smallest := 40 + oidSize + 2 + 2; int64(count) > int64(len(body)/smallest) {
		return 0, nil, badIndex("%d entries do not fit in the file", count)
	}
	return count, &decoder{text: body, version: version, oidSize: oidSize, pos: header}, nil
}

func be32(s string) uint32 {
	_ = s[3]
	return uint32(s[0])<<24 | uint32(s[1])<<16 | uint32(s[2])<<8 | uint32(s[3])
}

func be16(s string) uint16 { return uint16(s[0])<<8 | uint16(s[1]) }

// verifyChecksum accepts an all-zero trailer: git writes it with
// index.skipHash, and then does not check it either.
func verifyChecksum(body, trailer string) error {
	if strings.Trim(trailer, "\x00") == "" {
		return nil
	}
	h := sha1.New()
	if len(trailer) == sha256.Size {
		h = sha256.New()
	}
	var chunk [16 << 10]byte
	for len(body) > 0 {
		n := copy(chunk[:], body)
		h.Write(chunk[:n])
		body = body[n:]
	}
	if string(h.Sum(nil)) != trailer {
		return fmt.Errorf("%w: the checksum does not match", errIndexDamage)
	}
	return nil
}

type decoder struct {
	text    string // without the checksum
	version uint32
	oidSize int
	pos     int
	path    string // of the entry before

	expanded int // bytes of decompressed names
}

func (d *decoder) entry(e *IndexEntry) error {
	start := d.pos
	fixed := 40 + d.oidSize + 2
	if len(d.text)-start < fixed {
		return badIndex("truncated entry")
	}
	b := d.text[start : start+fixed]
	word := func(i int) uint32 { return be32(b[4*i:]) }
	*e = IndexEntry{
		Mode: tree.Mode(word(6)), OID: tree.OID(b[40 : 40+d.oidSize]), HasStat: true,
		Stat: Stat{
			CTime: int64(word(0))*1e9 + int64(word(1)), MTime: int64(word(2))*1e9 + int64(word(3)),
			Dev: word(4), Ino: word(5), UID: word(7), GID: word(8), Size: word(9),
		},
	}
	if e.Mode == modeDirectory {
		return badIndex("sparse index")
	}
	flags := be16(b[fixed-2:])
	e.Stage = uint8(flags >> 12 & 3)
	d.pos += fixed
	if flags&flagExtended != 0 {
		if d.version < 3 || len(d.text)-d.pos < 2 {
			return badIndex("misplaced extended flags")
		}
		ext := be16(d.text[d.pos:])
		if ext&^(extSkipWorktree|extIntentToAdd) != 0 {
			return badIndex("unknown entry flags %#x", ext)
		}
		e.IntentToAdd, e.SkipWorktree = ext&extIntentToAdd != 0, ext&extSkipWorktree != 0
		d.pos += 2
	}
	var err error
	if d.version == 4 {
		e.Path, err = d.compressedName()
	} else {
		e.Path, err = d.paddedName(start, int(flags&flagNameLength))
	}
	if err == nil && (e.Path == "" || e.Path[0] == '/' || strings.Contains(e.Path, "//")) {
		err = badIndex("entry with an empty name in its path")
	}
	d.path = e.Path
	return err
}

// paddedName reads the name of a version 2 or 3 entry: 1 to 8 NULs bring the
// entry to a multiple of eight bytes. A length of 0xfff means "at least".
func (d *decoder) paddedName(start, length int) (string, error) {
	n := strings.IndexByte(d.text[d.pos:], 0)
	if n != length && (length != flagNameLength || n < length) {
		return "", badIndex("a name does not end where it should")
	}
	end := d.pos + n
	next := start + (end-start+8)&^7
	if next > len(d.text) {
		return "", badIndex("truncated name")
	}
	name := d.text[d.pos:end]
	d.pos = next
	return name, nil
}

// compressedName reads the name of a version 4 entry: how many bytes to drop
// from the end of the name before, then what to append.
func (d *decoder) compressedName() (string, error) {
	drop, err := d.offset()
	if err != nil {
		return "", err
	}
	end := strings.IndexByte(d.text[d.pos:], 0)
	if end < 0 || drop > len(d.path) {
		return "", badIndex("damaged name compression")
	}
	// Each name may repeat the one before, so that a small damaged file could
	// expand without bounds.
	keep := len(d.path) - drop
	if d.expanded += keep + end; d.expanded > maxExpansion*len(d.text) {
		return "", badIndex("names expand beyond %d times the file", maxExpansion)
	}
	name := d.path[:keep] + d.text[d.pos:d.pos+end]
	d.pos += end + 1
	return name, nil
}

// maxExpansion allows every entry a path as long as file systems take (4 KiB)
// that differs from its neighbour in one byte.
const maxExpansion = 64

// offset reads the variable-width number that pack files call an offset.
func (d *decoder) offset() (int, error) {
	n := -1
	for d.pos < len(d.text) {
		c := d.text[d.pos]
		d.pos++
		n = (n+1)<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return n, nil
		}
		if n > 1<<23 { // far longer than any path, far from overflow
			break
		}
	}
	return 0, badIndex("damaged number")
}

// extensions walks what follows the entries. One whose name starts with a
// capital letter may be ignored; the others (split index, sparse index) change
// what the entries mean.
func (d *decoder) extensions() error {
	for d.pos < len(d.text) {
		if len(d.text)-d.pos < 8 {
			return badIndex("truncated extension")
		}
		name := d.text[d.pos : d.pos+4]
		size := be32(d.text[d.pos+4:])
		if name[0] < 'A' || name[0] > 'Z' {
			return badIndex("extension %q", name)
		}
		d.pos += 8
		if int64(size) > int64(len(d.text)-d.pos) {
			return badIndex("truncated extension %q", name)
		}
		d.pos += int(size)
	}
	return nil
}
