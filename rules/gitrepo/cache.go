package gitrepo

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/memls/memls/rules/tree"
)

// The cache file, all numbers little-endian:
//
//	 0  8 bytes  cacheMagic
//	 8  uint32   CRC-32C of everything that follows
//	12  uint32   length of an object id: 20 or 32
//	16  uint32   length of the version string
//	20  uint32   slots, a power of two
//	24           version string, then the slots
//
// A slot is an object id and its uint64 value; the null id marks a free one.
// The slots are an open-addressing hash table (object ids are hashes already)
// that is used as it was read: nothing is decoded, nothing allocated per
// entry. No library does that: key-value stores bring a log, locks and an
// init cost that is larger than what is to be saved.
const (
	cacheMagic  = "memlsfc1"
	cacheHeader = 24
	// cacheFloor and cacheSpread bound the entries that Save keeps, see there.
	cacheFloor  = 2048
	cacheSpread = 4
	// cacheFew blobs are read again sooner than a file with thousands of
	// entries is written again: most commits bring one.
	cacheFew = 16
	// cacheMaxSlots bounds what is ever read or written: 64 MiB or so.
	cacheMaxSlots = 1 << 21
	cacheMaxBytes = cacheHeader + 1<<16 + cacheMaxSlots*(32+8)
)

// A Cache remembers a number for the content of blobs from one process to the
// next, in <common directory>/memls/facts-1. It may be deleted at any time.
// Worktrees share it. Methods are safe for concurrent use; any number of
// processes may use the file, the last one to save wins.
//
// The checksum is against accidents. A cache written with intent can hide
// findings from the hook, but whoever can write into the git directory can
// remove the hook as well.
type Cache struct {
	common  string
	version string
	oidSize int

	slots []byte // as read, nil for an empty cache
	mask  uint32
	asked []atomic.Uint32 // bit per slot: hit by Get

	mu    sync.Mutex
	fresh map[tree.OID]uint64
}

// OpenCache reads the cache of the repository with the given common
// directory. It does not fail: a file that is not there, not readable,
// damaged, or was written for another version or hash gives an empty cache.
// The version names everything that values depend on besides the blob.
func OpenCache(commonDir string, oidSize int, version string) *Cache {
	c := &Cache{common: commonDir, version: version, oidSize: oidSize}
	path := filepath.Join(commonDir, "memls", "facts-1")
	b, _, err := mapFile(path, cacheMaxBytes)
	if errors.Is(err, errNoMapping) {
		b, err = readFile(path, cacheMaxBytes)
	}
	if err == nil {
		c.load(b)
	}
	return c
}

// load takes the slots of a file's content when it is whole and ours.
func (c *Cache) load(b []byte) {
	if len(b) < cacheHeader || string(b[:8]) != cacheMagic {
		return
	}
	oidSize, nVersion, nSlots := le32(b[12:]), le32(b[16:]), le32(b[20:])
	rest := b[cacheHeader:]
	switch {
	case oidSize != uint32(c.oidSize),
		nVersion != uint32(len(c.version)) || len(rest) < len(c.version),
		string(rest[:len(c.version)]) != c.version,
		bits.OnesCount32(nSlots) != 1 || nSlots > cacheMaxSlots:
		return
	}
	slots := rest[len(c.version):]
	if len(slots) != int(nSlots)*c.width() || crc32.Checksum(b[12:], castagnoli()) != le32(b[8:]) {
		return
	}
	c.slots, c.mask = slots, nSlots-1
	c.asked = make([]atomic.Uint32, nSlots/32+1)
}

// Get returns the value stored for the blob.
func (c *Cache) Get(oid tree.OID) (uint64, bool) {
	if v, ok := c.getFresh(oid); ok {
		return v, true
	}
	slot, ok := c.find(oid)
	if !ok {
		return 0, false
	}
	c.asked[slot/32].Or(1 << (slot % 32))
	return c.value(slot), true
}

// Put stores a value for the blob; Save writes it.
func (c *Cache) Put(oid tree.OID, v uint64) {
	if len(oid) != c.oidSize || isNull(oid) {
		return
	}
	if slot, ok := c.find(oid); ok && c.value(slot) == v {
		c.asked[slot/32].Or(1 << (slot % 32))
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fresh == nil {
		c.fresh = make(map[tree.OID]uint64)
	}
	c.fresh[oid] = v
}

// Save writes the cache if Put stored enough that is new (cacheFew), replacing
// the file in one step. An error means that nothing was written, which costs
// time in the next run and no more.
//
// All entries are kept, those of other branches and worktrees too, up to four
// times as many as this run asked for or 2,048, whichever is more. Above
// that, only entries that this run asked for or put are kept.
func (c *Cache) Save() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.fresh) == 0 || len(c.fresh) < cacheFew && c.slots != nil {
		return nil
	}
	if err := c.write(c.encode()); err != nil {
		return fmt.Errorf("saving the cache in %s: %w", filepath.Join(c.common, "memls"), err)
	}
	return nil
}

func (c *Cache) encode() []byte {
	stored, asked := 0, 0
	for slot := range c.used() {
		stored++
		if c.wasAsked(slot) {
			asked++
		}
	}
	room := max(cacheFloor, cacheSpread*(asked+len(c.fresh)))
	all := stored+len(c.fresh) <= room
	n := asked + len(c.fresh)
	if all {
		n = stored + len(c.fresh)
	}
	t := newCacheTable(n, c.oidSize, c.version)
	// What is new goes first: of two entries for one blob the first stays.
	for oid, v := range c.fresh {
		t.insert(oid, v)
	}
	for slot := range c.used() {
		if all || c.wasAsked(slot) {
			t.insert(c.oid(slot), c.value(slot))
		}
	}
	return t.seal()
}

// write creates the file beside its place and renames it. Links are not
// followed: the directory must be a real one, the temporary file is created
// anew, and a rename replaces a link.
func (c *Cache) write(b []byte) error {
	root, err := os.OpenRoot(c.common)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.Mkdir("memls", 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if info, err := root.Lstat("memls"); err != nil {
		return err
	} else if !info.IsDir() {
		return errors.New("memls is not a directory; remove it")
	}
	temp := fmt.Sprintf("memls/facts-1.%016x", rand.Uint64())
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err == nil {
		err = root.Rename(temp, "memls/facts-1")
	}
	if err != nil {
		root.Remove(temp)
	}
	return err
}

func (c *Cache) getFresh(oid tree.OID) (uint64, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.fresh[oid]
	return v, ok
}

// find returns the slot that holds the id.
func (c *Cache) find(oid tree.OID) (uint32, bool) {
	if c.slots == nil || len(oid) != c.oidSize {
		return 0, false
	}
	// A full table, which Save never writes, must not make this endless.
	for i, slot := uint32(0), firstSlot(string(oid)); i <= c.mask; i, slot = i+1, slot+1 {
		at := int(slot&c.mask) * c.width()
		switch held := c.slots[at : at+c.oidSize]; {
		case isNull(held):
			return 0, false
		case string(held) == string(oid):
			return slot & c.mask, true
		}
	}
	return 0, false
}

// used yields the slots that hold an entry.
func (c *Cache) used() func(yield func(uint32) bool) {
	return func(yield func(uint32) bool) {
		for at, slot := 0, uint32(0); at < len(c.slots); at, slot = at+c.width(), slot+1 {
			if !isNull(c.slots[at:at+c.oidSize]) && !yield(slot) {
				return
			}
		}
	}
}

func (c *Cache) width() int { return c.oidSize + 8 }

func (c *Cache) oid(slot uint32) tree.OID {
	at := int(slot) * c.width()
	return tree.OID(c.slots[at : at+c.oidSize])
}

func (c *Cache) value(slot uint32) uint64 {
	return binary.LittleEndian.Uint64(c.slots[int(slot)*c.width()+c.oidSize:])
}

func (c *Cache) wasAsked(slot uint32) bool {
	return c.asked[slot/32].Load()&(1<<(slot%32)) != 0
}

// A cacheTable is a cache file in the making.
type cacheTable struct {
	file  []byte
	slots []byte
	mask  uint32
	size  int // of an object id
	room  int // entries that may still be inserted
}

func newCacheTable(n, oidSize int, version string) *cacheTable {
	// At most three quarters are used, so that searches stay short.
	nSlots := 16
	for nSlots*3/4 < n && nSlots < cacheMaxSlots {
		nSlots *= 2
	}
	b := make([]byte, 0, cacheHeader+len(version)+nSlots*(oidSize+8))
	b = append(b, cacheMagic...)
	b = append(b, 0, 0, 0, 0)
	for _, v := range []int{oidSize, len(version), nSlots} {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	b = append(b, version...)
	return &cacheTable{
		file: b[:cap(b)], slots: b[len(b):cap(b)],
		mask: uint32(nSlots - 1), size: oidSize, room: nSlots * 3 / 4,
	}
}

// insert adds an entry unless there is one for the id or the table is full.
func (t *cacheTable) insert(oid tree.OID, v uint64) {
	if t.room == 0 {
		return
	}
	for slot := firstSlot(string(oid)); ; slot++ {
		entry := t.slots[int(slot&t.mask)*(t.size+8):][:t.size+8]
		held := entry[:t.size]
		if string(held) == string(oid) {
			return
		}
		if isNull(held) {
			copy(held, oid)
			binary.LittleEndian.PutUint64(entry[t.size:], v)
			t.room--
			return
		}
	}
}

// seal sets the checksum and returns the file.
func (t *cacheTable) seal() []byte {
	binary.LittleEndian.PutUint32(t.file[8:], crc32.Checksum(t.file[12:], castagnoli()))
	return t.file
}

// castagnoli is the polynomial that processors compute themselves.
// MakeTable keeps it after the first call.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

func le32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }

// firstSlot is where the search for an id starts, before masking.
func firstSlot(oid string) uint32 {
	return uint32(oid[0]) | uint32(oid[1])<<8 | uint32(oid[2])<<16 | uint32(oid[3])<<24
}

// isNull reports whether an id is all zero, which no blob has.
func isNull[T string | []byte | tree.OID](oid T) bool {
	for i := range len(oid) {
		if oid[i] != 0 {
			return false
		}
	}
	return true
}
