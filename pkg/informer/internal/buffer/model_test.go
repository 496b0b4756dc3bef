package buffer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/informertest"
	"github.com/informerd/informerd/pkg/informer/object"
)

// life is what truly happened to the objects of one name.
type life struct {
	current *object.Object
	uid     int
	states  []string // every state in order, as uid@version or uid@gone
}

// model lets objects live, and workers take, fail and finish, and holds a buffer to its promises.
type model struct {
	t       *rapid.T
	b       *Buffer
	from    *Origin
	lives   map[string]*life
	version int

	out, parked             []Entry
	seen                    map[string][]string // the states that workers got, by name
	deleted                 map[string]bool     // uids of which workers got the delete
	offered, handed, missed int
	job                     *diskJob // the disk's, nil if it has none
	ran                     bool     // the job has been done, and not been finished yet
	damaged                 bool     // what is in the file cannot be read
	faults                  informertest.Faults
	// last are the objects that a worker has finished and that were not deleted.
	last map[string]*object.Object
	// resumed are the states that were offered as Resumed, and told is how many states of a name
	// workers have got or passed over.
	resumed map[string]bool
	told    map[string]int
	// had are the policies so far, and mostCapacity is the largest capacity.
	had          map[Overflow]bool
	mostCapacity int
	// progress is what was offered with events, if it was; see progress_test.go.
	progress progresses
}

// TestBufferModel holds the buffer to its invariant under every policy, whatever happens in
// whatever order: of each object, a worker gets a subsequence of its true states, in order, which
// ends with the last one or with the object's deletion.
func TestBufferModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{
			t: t, from: &Origin{}, lives: map[string]*life{"a": {}, "b": {}, "c": {}, "d": {}},
			seen: map[string][]string{}, deleted: map[string]bool{},
			last:    map[string]*object.Object{},
			resumed: map[string]bool{}, told: map[string]int{},
			progress: progresses{used: rapid.Bool().Draw(t, "with progress")},
		}
		policies := []Overflow{Latest, Block, Drop, Spill}
		cfg := Config{
			Capacity:   rapid.IntRange(1, 6).Draw(t, "capacity"),
			Overflow:   rapid.SampledFrom(policies).Draw(t, "overflow"),
			CreateFile: func(string) (File, error) { return m.faults.File() },
		}
		reconfigures := rapid.Bool().Draw(t, "reconfigures")
		if cfg.Overflow == Spill || reconfigures {
			cfg.SpillBytes = rapid.Int64Range(500, 20_000).Draw(t, "spill bytes")
			cfg.MaxUnwritten = rapid.IntRange(1, 10).Draw(t, "unwritten")
			cfg.MaxUnwrittenBytes = rapid.Int64Range(100, 3000).Draw(t, "bytes unwritten")
		}
		m.b = New(cfg)
		m.had, m.mostCapacity = map[Overflow]bool{cfg.Overflow: true}, cfg.Capacity
		names := []string{"a", "b", "c", "d"}
		t.Repeat(map[string]func(*rapid.T){
			"change": func(t *rapid.T) {
				name := rapid.SampledFrom(names).Draw(t, "name")
				ops := []event.Op{event.Add}
				if m.lives[name].current != nil {
					ops = []event.Op{event.Update, event.Delete, event.Resync}
				}
				m.change(name, rapid.SampledFrom(ops).Draw(t, "op"))
			},
			"take":   func(*rapid.T) { m.take() },
			"flow":   func(*rapid.T) { m.flow() },
			"recall": func(t *rapid.T) { m.recall(rapid.SampledFrom(names).Draw(t, "name")) },
			"done":   func(*rapid.T) { m.finish(m.pick(&m.out)) },
			"fail": func(*rapid.T) {
				if e := m.pick(&m.out); e != nil {
					m.b.Park(*e)
					m.parked = append(m.parked, *e)
				}
			},
			"retry": func(*rapid.T) {
				if e := m.pick(&m.parked); e != nil {
					m.b.Unpark(e.Object.Key())
				}
			},
			"damage the spill file": func(t *rapid.T) {
				if m.b.spill == nil || len(m.b.spill.file.segments) == 0 ||
					rapid.IntRange(0, 9).Draw(t, "really") > 0 {
					return
				}
				seg := m.b.spill.file.segments[0]
				seg.file.(*informertest.File).Data[seg.readAt+recordPrefix+5] = '#'
				m.damaged = true
			},
			"the disk fails": func(t *rapid.T) {
				if m.b.overflow != Spill || rapid.IntRange(0, 9).Draw(t, "really") > 0 {
					return
				}
				switch rapid.SampledFrom([]string{"create", "write", "write", "read"}).Draw(t,
					"how") {
				case "create":
					m.faults.Create = true
				case "write":
					m.faults.Write, m.faults.Written = true, rapid.IntRange(0, 300).Draw(t,
						"written")
				case "read":
					m.faults.Read, m.damaged = true, true
				}
			},
			"reconfigure": func(t *rapid.T) {
				if !reconfigures || rapid.IntRange(0, 4).Draw(t, "really") > 0 {
					return
				}
				cfg.Capacity = rapid.IntRange(1, 6).Draw(t, "capacity")
				cfg.Overflow = rapid.SampledFrom(policies).Draw(t, "overflow")
				if err := m.b.Reconfigure(cfg); err != nil {
					t.Fatal(err)
				}
				m.had[cfg.Overflow] = true
				m.mostCapacity = max(m.mostCapacity, cfg.Capacity)
			},
			"the disk goes on": func(*rapid.T) { m.disk() },
			"the disk has done everything": func(*rapid.T) {
				for m.disk() {
				}
			},
			"": func(t *rapid.T) {
				m.bounds()
			},
		})
		m.drain()
		m.check()
		m.progress.check(t)
	})
}

// change lets something happen to the object of a name, and tells the buffer.
func (m *model) change(name string, op event.Op) {
	l := m.lives[name]
	e := Entry{Event: event.Event{Op: op, Old: l.current}, From: m.from}
	if op != event.Resync {
		m.version++
	}
	if op == event.Add {
		l.uid++
	}
	uid := fmt.Sprint(name, l.uid)
	state := fmt.Sprint(uid, "@", m.version)
	switch op {
	case event.Add:
		l.current = obj(name, uid, m.version)
		e.Object, e.Old = l.current, nil
	case event.Update:
		l.current = obj(name, uid, m.version)
		e.Object = l.current
	case event.Delete:
		e.Object, e.Old, l.current = obj(name, uid, m.version), nil, nil
		state = uid + "@gone"
	case event.Resync:
		e.Object, e.Old = l.current, nil
		state = ""
	}
	if state != "" {
		l.states = append(l.states, state)
		e.Resumed = rapid.IntRange(0, 4).Draw(m.t, "resumed") == 0
		m.resumed[state] = e.Resumed
	}
	m.offered++
	e.Progress = m.progress.offer(name)
	for !m.b.Offer(e) {
		if m.b.overflow != Block {
			m.t.Fatal("an offer was refused")
		}
		m.step()
	}
}

// step is a worker's turn: it takes what it can, and finishes something.
func (m *model) step() {
	m.take()
	if e := m.pick(&m.out); e != nil {
		m.finish(e)
		return
	}
	for _, e := range m.parked {
		m.b.Unpark(e.Object.Key())
	}
	m.parked = nil
	m.disk()
}

// disk lets what uses the disk go on by one step, and reports whether it had one to do: it takes a
// job, does it, or reports what it has done.
func (m *model) disk() bool {
	switch due := m.b.DiskDue(); {
	case m.job == nil:
		if m.job = m.b.BeginDiskJob(); m.job != nil != due {
			m.t.Fatalf("a job is due: %t, and there is %+v", due, m.job)
		}
		if m.job == nil {
			return false
		}
		m.ran = false
	case !m.ran:
		m.job.Run()
		m.ran = true
	default:
		m.b.FinishDiskJob(m.job)
		m.job = nil
	}
	return true
}

func (m *model) take() {
	e, ok := m.b.Take()
	if !ok {
		return
	}
	for _, o := range append(slices.Clone(m.out), m.parked...) {
		if o.Object.Name() == e.Object.Name() {
			m.t.Fatalf("two events of %s are out", o.Object.Name())
		}
	}
	m.progress.taken(m.t, &e)
	m.out = append(m.out, e)
}

func (m *model) pick(from *[]Entry) *Entry {
	if len(*from) == 0 {
		return nil
	}
	i := rapid.IntRange(0, len(*from)-1).Draw(m.t, "which")
	e := (*from)[i]
	*from = slices.Delete(*from, i, i+1)
	return &e
}

func (m *model) finish(e *Entry) {
	if e == nil {
		return
	}
	name := e.Object.Name()
	if m.last[name] = e.Object; e.Op == event.Delete {
		delete(m.last, name)
	}
	if e.Recalled {
		m.b.Done(e.Object.Key())
		return
	}
	m.handed++
	m.progress.settle(e)
	m.missed += int(e.Missed)
	state := e.Object.UID() + "@" + e.Object.ResourceVersion()
	if e.Op == event.Delete {
		state = e.Object.UID() + "@gone"
		m.deleted[e.Object.UID()] = true
	}
	if e.Op == event.Update &&
		!slices.Contains(m.lives[name].states, e.Old.UID()+"@"+e.Old.ResourceVersion()) {
		m.t.Fatalf("%s: old was never a state", story(e.Event))
	}
	m.seen[name] = append(m.seen[name], state)
	m.checkResumed(e, m.lives[name].states, state)
	m.b.Done(e.Object.Key())
}

// checkResumed wants an event to be Resumed if one of those that it stands for was.
func (m *model) checkResumed(e *Entry, states []string, state string) {
	name := e.Object.Name()
	from, to := m.told[name], slices.Index(states, state)+1
	m.told[name] = max(from, to)
	var want bool
	for from < to {
		want = want || m.resumed[states[from]]
		from++
	}
	if e.Resumed && !want && !m.damaged || want && !e.Resumed && !m.had[Drop] {
		m.t.Fatalf("%s: resumed is %t", story(e.Event), e.Resumed)
	}
}

// bounds counts what the buffer holds, and holds it to its bounds.
func (m *model) bounds() {
	b := m.b
	if s := b.spill; s != nil && (s.unwritten.Len()+len(s.writing) > s.maxWaiting ||
		s.unwritten.Len()+len(s.writing) > 1 && s.bytes > s.maxBytes ||
		s.readBack.Len() > maxReadAhead+m.mostCapacity) {
		m.t.Fatalf("of at most %d (%d bytes), %d are to be written and %d being written (%d bytes); %d have come back",
			s.maxWaiting, s.maxBytes, s.unwritten.Len(), len(s.writing), s.bytes, s.readBack.Len())
	}
	if s := b.spill; s != nil && s.file.bytes > s.file.maxBytes {
		m.t.Fatalf("the spill file has %d of %d bytes", s.file.bytes, s.file.maxBytes)
	}
	inLanes := 0
	b.lanes.Each(func(*Entry) { inLanes++ })
	parked, behind, merged := len(m.parkedNow()), b.lanes.Behind(), 0
	for _, m := range b.folded {
		merged += m.entries()
	}
	held := len(m.out) + b.ring.Len() + inLanes - parked - behind
	if b.held() != held || b.lanes.Parked() != parked {
		m.t.Fatalf("held %d, parked %d; counted %d, %d", b.held(), b.lanes.Parked(), held, parked)
	}
	// For each object: one entry that waits for a retry, one that was recalled, and a mark, which
	// is two at most. The last mark that moved up may have been two, too, though there was room for
	// one.
	// What has once been Block's is bounded by what it refused.
	if behind > m.mostCapacity || !(m.had[Block] && len(m.had) > 1) &&
		held+parked+behind+merged > 2*m.mostCapacity+4*len(m.lives)+1 ||
		b.overflow == Block && len(b.folded) > 0 {
		m.t.Fatalf("held %d, parked %d, behind %d, folded %d, with a capacity of %d", held, parked,
			behind, len(b.folded), b.capacity)
	}
}

// parkedNow are the objects with a parked entry.
func (m *model) parkedNow() (parked []string) {
	for name := range m.lives {
		if m.b.ParkedFrom(object.Key{Namespace: "shop", Name: name}) != nil {
			parked = append(parked, name)
		}
	}
	return parked
}

// flow: as long as no worker has anything, an object that has something to report and does not wait
// for a retry comes, however many others wait for one. With Block that holds until they
// have filled their own room.
func (m *model) flow() {
	b := m.b
	if len(m.out) > 0 || m.had[Drop] || m.had[Block] &&
		(len(m.had) > 1 || b.lanes.Behind() >= b.capacity) {
		return
	}
	for name, l := range m.lives {
		if len(l.states) == 0 || slices.ContainsFunc(m.parked, func(e Entry) bool {
			return e.Object.Name() == name
		}) {
			continue
		}
		if seen := m.seen[name]; len(seen) == 0 || seen[len(seen)-1] != l.states[len(l.states)-1] {
			m.take()
			for len(m.out) == 0 && m.disk() { // what it has is on disk
				m.take()
			}
			if len(m.out) == 0 {
				m.t.Fatalf("%s waits for objects that failed: %+v", name, b)
			}
			return
		}
	}
}

// recall has a finished object come again, as a worker asked.
func (m *model) recall(name string) {
	if m.last[name] != nil && !m.b.Busy(m.last[name].Key()) &&
		m.b.recalled.Len() < len(m.lives) {
		m.b.Recall(Entry{Event: event.Event{Op: event.Resync, Object: m.last[name]}, From: m.from,
			Recalled: true})
	}
}

func (m *model) drain() {
	for !m.b.Empty() {
		m.step()
	}
	for m.disk() {
	}
	if s := m.b.spill; s != nil && (len(s.file.segments) > 0 || s.bytes+s.file.bytes > 0) {
		m.t.Fatalf("nothing is spilled any more, but there are %+v, %+v", s, s.file)
	}
	if b := m.b; len(b.summaries)+b.lanes.Len()+len(b.marks)+b.markOrder.Len() > 0 ||
		b.held()+b.lanes.Parked()+b.lanes.Behind()+len(b.folded)+int(b.mistakes) > 0 {
		m.t.Fatalf("drained, but not empty: %+v", m.b)
	}
}

func (m *model) check() {
	t, b := m.t, m.b
	if !m.damaged {
		if uint64(m.offered) != uint64(m.handed)+b.coalesced+b.dropped ||
			uint64(m.missed) != b.coalesced {
			t.Fatalf("offered %d, handed out %d, coalesced %d, dropped %d, told of %d missed",
				m.offered, m.handed, b.coalesced, b.dropped, m.missed)
		}
		if b.spillErr != nil && !m.faults.Create && !m.faults.Write {
			t.Fatalf("the spill file failed: %v", b.spillErr)
		}
	}
	if m.had[Block] && len(m.had) == 1 && b.coalesced+b.dropped > 0 {
		t.Fatalf("coalesced %d, dropped %d", b.coalesced, b.dropped)
	}
	for name, l := range m.lives {
		if len(l.states) == 0 {
			continue
		}
		seen := m.seen[name]
		at := 0
		for i, state := range seen {
			if i > 0 && state == seen[i-1] {
				continue // a resync repeats a state
			}
			next := slices.Index(l.states[at:], state)
			if next < 0 {
				t.Fatalf("%s got %v, the truth is %v", name, seen, l.states)
			}
			at += next
		}
		if m.had[Drop] {
			continue // it promises only the counters and the order
		}
		if last := l.states[len(l.states)-1]; seen[len(seen)-1] != last {
			t.Fatalf("%s ended on %v, the truth is %s", name, seen, last)
		}
		for _, state := range seen {
			uid, _, _ := strings.Cut(state, "@")
			if slices.Contains(l.states, uid+"@gone") && !m.deleted[uid] {
				t.Fatalf("%s: workers got %s and never its delete: %v", name, uid, seen)
			}
		}
	}
}
