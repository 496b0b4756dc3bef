package ledger

import "math/bits"

// slot is one object: the hash of its key, 0 if the slot is empty, and what is noted of it.
type slot struct {
	hash uint64
	note note
}

// note is what a ledger has of an object: 52 bits of its version, how many outputs have not ended
// its event, its state, and whether the event is its delete.
type note uint64

const (
	versionBits = 52
	versionMask = 1<<versionBits - 1
	maxOutputs  = 1<<6 - 1
)

func newNote(version uint64, outputs int, s State, gone bool) note {
	n := note(version&versionMask) | note(min(outputs, maxOutputs))<<versionBits | note(s)<<58
	if gone {
		n |= 1 << 63
	}
	return n
}

func (n note) version() uint64 { return uint64(n & versionMask) }
func (n note) outputs() int    { return int(n >> versionBits & maxOutputs) }
func (n note) state() State    { return State(n >> 58 & 31) }
func (n note) gone() bool      { return n>>63 != 0 }

// Reaches reports whether a version is another one, or came after it.
func Reaches(version, other uint64) bool {
	return (version-other)&versionMask < 1<<(versionBits-1)
}

// table is a hash table with linear probing. A map of the language would take twice the memory.
type table struct {
	slots []slot
	used  int
}

// home returns where a hash is looked for first.
func (t *table) home(hash uint64) int {
	hi, _ := bits.Mul64(hash, uint64(len(t.slots)))
	return int(hi)
}

func (t *table) next(i int) int {
	if i++; i == len(t.slots) {
		return 0
	}
	return i
}

// find returns the slot of a hash, or the empty one where it belongs. -1: there are no slots.
func (t *table) find(hash uint64) (i int, found bool) {
	if len(t.slots) == 0 {
		return -1, false
	}
	for i = t.home(hash); t.slots[i].hash != 0; i = t.next(i) {
		if t.slots[i].hash == hash {
			return i, true
		}
	}
	return i, false
}

func (t *table) get(hash uint64) (note, bool) {
	if i, found := t.find(hash); found {
		return t.slots[i].note, true
	}
	return 0, false
}

func (t *table) put(hash uint64, n note) {
	i, found := t.find(hash)
	if !found {
		if t.used++; t.used > len(t.slots)/8*7 {
			t.resize(len(t.slots)/4*5 + minSlots)
			i, _ = t.find(hash)
		}
		t.slots[i].hash = hash
	}
	t.slots[i].note = n
}

// minSlots is by how many slots a table grows at least.
const minSlots = 16

func (t *table) resize(n int) {
	before := t.slots
	t.slots = make([]slot, n)
	for _, s := range before {
		if s.hash != 0 {
			i, _ := t.find(s.hash)
			t.slots[i] = s
		}
	}
}

// remove takes a hash out, and moves up what was put behind it.
func (t *table) remove(hash uint64) {
	i, found := t.find(hash)
	if !found {
		return
	}
	t.used--
	for j := t.next(i); t.slots[j].hash != 0; j = t.next(j) {
		home := t.home(t.slots[j].hash)
		if between := i < j && i < home && home <= j || j < i && (i < home || home <= j); !between {
			t.slots[i] = t.slots[j]
			i = j
		}
	}
	t.slots[i] = slot{}
	if len(t.slots) > 4*minSlots && t.used < len(t.slots)/4 {
		t.resize(len(t.slots) / 2)
	}
}
