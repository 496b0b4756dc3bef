package route

import (
	"strconv"

	"github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer/event"
)

// The parts of a listener's records. Each output's outbox has one of its own, and rules have
// [rules.Part].
const (
	outputsPart = "outputs" // by the numbers of destinations
	objectsPart = "objects" // a memberCode for each that is remembered
	// rewoundPart has one record if versions have ever gone back. What is unsent may be from before
	// that then, and newer than nothing.
	rewoundPart = "rewound"
	// outboxPrefix and the number of a destination are the part that has its outbox, and
	// restoredPrefix and the number the part of its restoredVersions.
	outboxPrefix   = "outbox "
	restoredPrefix = "restored "
)

// savedOutput is a destination to an output.
type savedOutput struct {
	_       struct{} `cbor:",toarray"`
	Output  string
	Retired bool
}

func outboxPart(number uint64) string   { return outboxPrefix + strconv.FormatUint(number, 10) }
func restoredPart(number uint64) string { return restoredPrefix + strconv.FormatUint(number, 10) }

func outputKey(number uint64) event.Key {
	return event.Key{Name: strconv.FormatUint(number, 10)}
}

// Cut writes the records that have changed since the cut before: of outboxes, of the rules' book,
// and of what is remembered of objects. The latter is as it was before the outboxes were looked at:
// were it newer, an object might be remembered as one that has left while its end is in no outbox,
// and its event, when it comes again, would be nothing. Without Keep there are none. The first cut
// has everything; that of a restored route has what has changed since. Call it neither twice at a
// time, nor at the same time as Whole, Use or Restore.
func (r *Route) Cut(to record.Writer) {
	p := r.pipeline.Load()
	if !r.keep || p == nil {
		return
	}
	s := &r.cutting
	s.members = r.members.takeChanged(s.members[:0])
	if !s.rewound && r.hasRewound() {
		s.rewound = true
		to.Put(rewoundPart, event.Key{}, true, nil)
	}
	r.outboxes.takeGone(s) // before the list, which has none of them
	present := r.outboxes.list(s)
	for _, number := range s.gone {
		to.Delete(outputsPart, outputKey(number))
		to.Clear(outboxPart(number))
		to.Clear(restoredPart(number))
	}
	for i, w := range s.destinations {
		retired := i >= present
		if changed := w.Cut(to, w.part); changed && !w.cut || retired && !w.cutRetired {
			w.cut = true
			w.save(to, retired)
		}
		w.cutRetired = retired
		if s.rewound {
			w.restored.forget()
		}
		w.restored.cut(to, w.number)
	}
	switch {
	case p.Rules != nil:
		p.Rules.Cut(to, p.receivers)
		s.book = true
	case s.book:
		to.Clear(rules.Part)
		s.book = false
	}
	writeMembers(to, s.members)
	s.release()
}

// Whole writes all records, in place of those that there were. What Cut writes stays as it was, so
// that its cuts can follow those before this one as well as this one. Otherwise it is as Cut.
func (r *Route) Whole(to record.Writer) {
	p := r.pipeline.Load()
	if !r.keep || p == nil {
		return
	}
	to.Reset()
	if r.cutting.rewound || r.hasRewound() {
		to.Put(rewoundPart, event.Key{}, true, nil)
	}
	s := cutting{members: r.members.all()}
	for i, present := 0, r.outboxes.list(&s); i < len(s.destinations); i++ {
		s.destinations[i].save(to, i >= present)
		s.destinations[i].Whole(to, s.destinations[i].part)
		s.destinations[i].restored.whole(to, s.destinations[i].number)
	}
	if p.Rules != nil {
		p.Rules.Whole(to, p.receivers)
	}
	writeMembers(to, s.members)
}

// hasRewound reports whether versions have gone back in this life.
func (r *Route) hasRewound() bool { return r.rewound != nil && r.rewound() }

// save writes what there is of a destination apart from its outbox.
func (w *destination) save(to record.Writer, retired bool) {
	to.Put(outputsPart, outputKey(w.number), &savedOutput{Output: w.Name(), Retired: retired}, nil)
}

// cutting is what cuts of a route know of each other, and their buffers. The zero value is ready.
type cutting struct {
	book    bool // they have had one
	rewound bool // they say so

	destinations []*destination
	gone         []uint64
	members      []savedMember
}

// maxScratch is the number of elements above which the buffer of a cut is not kept for the next
// one.
const maxScratch = 64 << 10

// release releases what the next cut does not need.
func (s *cutting) release() {
	clear(s.destinations)
	clear(s.members)
	if cap(s.members) > maxScratch {
		s.members = nil
	}
}

func writeMembers(to record.Writer, all []savedMember) {
	for i := range all {
		if code := all[i].code(); code != 0 {
			to.Put(objectsPart, all[i].key, code, nil)
		} else {
			to.Delete(objectsPart, all[i].key)
		}
	}
}

// savedMember is what a cut has of an object.
type savedMember struct {
	key event.Key
	member
	remembered bool
}

// memberCode is what is remembered of an object, as a byte: 0 if it is forgotten, or else the
// failures of its select, whether it is in and whether it is stale, and 1.
type memberCode byte

const (
	memberRemembered memberCode = 1 << iota
	memberIn
	memberFailure            // once; there may be several
	memberStale   memberCode = memberFailure * (maxFailures + 1)
)

func (m *savedMember) code() memberCode {
	if !m.remembered {
		return 0
	}
	code := memberRemembered + memberCode(m.failures)*memberFailure
	if m.in {
		code += memberIn
	}
	if m.stale {
		code += memberStale
	}
	return code
}

// member returns what a code says, false if no object has it.
func (c memberCode) member() (m member, remembered, ok bool) {
	remembered = c&memberRemembered != 0
	m = member{in: c&memberIn != 0, failures: uint8(c % memberStale / memberFailure),
		stale: c&memberStale != 0}
	return m, remembered, c < 2*memberStale && (remembered || c == 0)
}
