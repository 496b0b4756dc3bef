package stress

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
)

// truth is every state that was written, as the API server has confirmed it to the writers. Each
// object has one writer, so its states are recorded in order.
type truth struct {
	mu     sync.Mutex
	lives  map[event.Key][]life
	writes int
}

// life is one object from its creation to its deletion; several may have had the same name.
type life struct {
	uid     string
	states  []state
	deleted bool
}

type state struct {
	version uint64 // its resourceVersion
	number  string // its content, different for each state of a name
	at      time.Time
}

func newTruth() *truth { return &truth{lives: map[event.Key][]life{}} }

// wrote records a state that the API server has confirmed. It is called once for each.
func (tr *truth) wrote(key event.Key, uid string, s state) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.writes++
	lives := tr.lives[key]
	if n := len(lives); n == 0 || lives[n-1].uid != uid {
		lives = append(lives, life{uid: uid})
	}
	last := &lives[len(lives)-1]
	last.states = append(last.states, s)
	tr.lives[key] = lives
}

// deleted records that the current object with the name is gone.
func (tr *truth) deleted(key event.Key) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.writes++
	lives := tr.lives[key]
	lives[len(lives)-1].deleted = true
}

func (tr *truth) count() int {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.writes
}

// of returns a copy of the lives of one name.
func (tr *truth) of(key event.Key) lives {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	copied := slices.Clone(tr.lives[key])
	for i := range copied {
		copied[i].states = slices.Clone(copied[i].states)
	}
	return copied
}

// living returns the existing objects, as far as the writers know.
func (tr *truth) living() final {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	f := final{}
	for key, lives := range tr.lives {
		if last := lives[len(lives)-1]; !last.deleted {
			f[key] = identity{last.uid, last.states[len(last.states)-1].version}
		}
	}
	return f
}

// final is the state of all objects at the end.
type final map[event.Key]identity

// identity is one state of one object. The zero identity is no object.
type identity struct {
	uid     string
	version uint64
}

func (id identity) String() string {
	if id == (identity{}) {
		return "nothing"
	}
	return fmt.Sprintf("uid %s at %d", id.uid, id.version)
}

// differs returns a key in which the two differ, with both values.
func (f final) differs(other final) (key event.Key, have, want identity, differ bool) {
	for key, want := range f {
		if other[key] != want {
			return key, other[key], want, true
		}
	}
	for key, have := range other {
		if _, ok := f[key]; !ok {
			return key, have, identity{}, true
		}
	}
	return event.Key{}, identity{}, identity{}, false
}

// lives is the objects that have had one name, in order.
type lives []life

// real returns an error if the state of a record never existed.
func (ls lives) real(r record) error {
	for i, l := range ls {
		if l.uid != r.uid {
			continue
		}
		if r.op == event.Delete && !l.deleted {
			return fmt.Errorf("uid %s was never deleted", r.uid)
		}
		last := l.states[len(l.states)-1]
		if r.op == event.Delete && !r.finalStateUnknown {
			// The server assigns the deletion its own version.
			if r.version <= last.version || i+1 < len(ls) &&
				r.version >= ls[i+1].states[0].version {
				return fmt.Errorf("uid %s was not deleted at %d", r.uid, r.version)
			}
			return sameContent(r, last)
		}
		for _, s := range l.states {
			if s.version == r.version {
				return sameContent(r, s)
			}
		}
		return fmt.Errorf("version %d of uid %s was never written", r.version, r.uid)
	}
	return fmt.Errorf("uid %s never existed", r.uid)
}

func sameContent(r record, s state) error {
	if r.number != s.number {
		return fmt.Errorf("version %d was written with number %q, but came with %q", r.version,
			s.number, r.number)
	}
	return nil
}

// lastLines is how many lines of a history are printed.
const lastLines = 40

func (ls lives) String() string {
	var b strings.Builder
	for _, l := range ls[max(0, len(ls)-lastLines/4):] {
		fmt.Fprintf(&b, "  uid %s:", l.uid)
		for _, s := range l.states[max(0, len(l.states)-lastLines/4):] {
			fmt.Fprintf(&b, " %d", s.version)
		}
		if l.deleted {
			b.WriteString(" deleted")
		}
		b.WriteByte('\n')
	}
	return b.String()
}
