package replica

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// moment is what an object is from a version on, nil if it is gone.
type moment struct {
	version uint64
	object  *object.Object
}

// historyModel knows all states of all objects, and compares them with what a history makes of what
// a leader has published.
type historyModel struct {
	history history
	past    map[string][]moment // of each name, in their order
	version int
	uids    int
	listed  int // the version of the standby's first list
	seen    int // the informer's version, which may be that before a list
	leader  int // up to which version the leader is complete
	forgot  int // up to which version the history was forgotten
	// vague are objects of which the history may have older states than it was asked for, and from
	// which version on: there were more than maxChanges, or the version of an end was not known.
	vague map[string]int
	held  map[string][]int // versions of changes that are not forgotten
	ended map[string]int   // seen, when a list had shown an end
}

var names = []string{"a", "b", "c"}

func (m *historyModel) now(name string) *object.Object { return m.at(name, m.version) }

// at returns what an object was at a version.
func (m *historyModel) at(name string, version int) (o *object.Object) {
	for _, moment := range m.past[name] {
		if moment.version <= uint64(version) {
			o = moment.object
		}
	}
	return o
}

// changed reports whether an object has changed after a version, up to another one.
func (m *historyModel) changed(name string, after, upTo int) bool {
	return slices.ContainsFunc(m.past[name], func(c moment) bool {
		return c.version > uint64(after) && c.version <= uint64(upTo)
	})
}

func (m *historyModel) set(name string, o *object.Object) {
	m.past[name] = append(m.past[name], moment{uint64(m.version), o})
}

// note notes an event.
func (m *historyModel) note(name string, d informer.Delivery) {
	m.history.note(&d, uint64(m.seen))
	if m.held[name] = append(m.held[name], m.version); len(m.held[name]) > maxChanges {
		m.blur(name, m.forgot)
	}
}

func (m *historyModel) blur(name string, from int) {
	if before, vague := m.vague[name]; vague {
		from = min(from, before)
	}
	m.vague[name] = from
}

func (m *historyModel) put(name string, was *object.Object) {
	m.version++
	d := informer.Delivery{}
	if was == nil {
		m.uids++
		d.Event = event.Event{Op: event.Add, Object: pod(name, fmt.Sprint(m.uids), m.version)}
	} else {
		d.Event = event.Event{Op: event.Update, Object: pod(name, was.UID(), m.version), Old: was}
	}
	m.seen = m.version
	m.set(name, d.Object)
	m.note(name, d)
}

func (m *historyModel) end(name string, was *object.Object) {
	m.version++
	m.seen = m.version
	m.set(name, nil)
	m.note(name, informer.Delivery{Entry: informer.Entry{Before: was, Event: event.Event{Op: event.Delete,
		Object: pod(name, was.UID(), m.version)}}})
}

// endInList ends an object unseen, which a list shows. The end is noted before or after the
// informer has the list's version.
func (m *historyModel) endInList(name string, was *object.Object, late bool) {
	m.blur(name, m.version)
	m.version++
	m.set(name, nil)
	m.version++
	if late {
		m.seen = m.version
	}
	m.ended[name] = m.seen
	m.note(name, informer.Delivery{Entry: informer.Entry{Before: was, Event: event.Event{Op: event.Delete,
		Object: was, FinalStateUnknown: true}}})
}

func (m *historyModel) forget(upTo int) {
	m.forgot = upTo
	m.history.forget(uint64(upTo), uint64(m.seen))
	for _, name := range names {
		m.held[name] = slices.DeleteFunc(m.held[name], func(v int) bool { return v <= upTo })
		if len(m.held[name]) == 0 && upTo == m.seen && m.seen > m.ended[name] {
			delete(m.vague, name)
		}
	}
}

// ask asks for what a listener has to learn, and compares.
func (m *historyModel) ask(t *rapid.T) {
	p := &keeper.Part{Version: strconv.Itoa(m.leader), Later: map[event.Key]uint64{}}
	final := rapid.Bool().Draw(t, "final")
	p.Begins = rapid.IntRange(0, 4).Draw(t, "begins") == 0
	at, newest := map[string]int{}, max(m.leader, m.listed)
	for _, name := range names {
		at[name] = m.leader
		if rapid.Bool().Draw(t, "ahead") { // the leader has one of the changes that follow
			for _, c := range m.past[name] {
				if c.version > uint64(at[name]) && rapid.Bool().Draw(t, "up to this") {
					p.Later[event.Key{Namespace: "ns", Name: name}] = c.version
					at[name] = int(c.version)
				}
			}
		}
		newest = max(newest, at[name], m.ended[name]+2)
		if rapid.IntRange(0, 3).Draw(t, "unfinished") == 0 {
			p.Unfinished = append(p.Unfinished, informer.Unfinished{
				Key:   event.Key{Namespace: "ns", Name: name},
				State: m.at(name, rapid.IntRange(0, at[name]).Draw(t, "known")),
				Gone:  []*object.Object{pod(name, "before", 1)}})
		}
	}
	// What is noted after the standby has looked does not count.
	now := rapid.IntRange(min(newest, m.version), m.version).Draw(t, "now")
	stored := &informer.Stored{Version: strconv.Itoa(now)}
	for _, name := range names {
		if o := m.at(name, now); o != nil {
			stored.Objects = append(stored.Objects, o)
		}
	}
	learn := map[string]informer.Unfinished{}
	for _, e := range m.history.unfinished(p, stored, final) {
		if _, twice := learn[e.Key.Name]; twice {
			t.Fatalf("%s is listed twice", e.Key)
		}
		learn[e.Key.Name] = e
	}
	for _, name := range names {
		e, listed := learn[name]
		unfinished := slices.IndexFunc(p.Unfinished, func(e informer.Unfinished) bool {
			return e.Key.Name == name
		})
		switch {
		case unfinished >= 0:
			if !listed || e.State != p.Unfinished[unfinished].State ||
				e.Gone[0].UID() != "before" {
				t.Fatalf("%s at %d: it is unfinished at %v, and became %v", name, at[name],
					p.Unfinished[unfinished], e)
			}
		case p.Begins:
			if e.State != nil {
				t.Fatalf("%s at %d: the listener begins, and knows %v", name, at[name], e)
			}
			e.Present = e.Present || !listed && !final && m.at(name, now) != nil
		case !listed:
			m.checkKnown(t, name, at[name], now)
			continue
		default:
			m.checkState(t, name, at[name], e.State)
		}
		m.checkMayKnow(t, name, at[name], now, e, final)
		m.checkGone(t, name, now, e)
		if o := m.at(name, at[name]); o != nil && at[name] >= m.listed && !final &&
			(unfinished >= 0 || p.Begins) && (e.State == nil || e.State.UID() != o.UID()) &&
			!mayBe(e, o, m.at(name, now)) {
			t.Fatalf("%s at %d: %s was there, and may be known: %+v", name, at[name], o.UID(), e)
		}
	}
}

// checkGone checks that nothing is said to have gone that was not there yet.
func (m *historyModel) checkGone(t *rapid.T, name string, now int, e informer.Unfinished) {
	for _, o := range e.Gone {
		was := func(c moment) bool {
			return c.version <= uint64(now) && c.object != nil && c.object.UID() == o.UID()
		}
		if _, vague := m.vague[name]; !vague && o.UID() != "before" &&
			!slices.ContainsFunc(m.past[name], was) {
			t.Fatalf("%s at %d: %s has gone, and was not there yet", name, now, o.UID())
		}
	}
}

// mayBe reports whether an entry says that the listener may know an object.
func mayBe(e informer.Unfinished, o, stored *object.Object) bool {
	is := func(other *object.Object) bool { return other != nil && o.UID() == other.UID() }
	return e.Present && is(stored) || slices.ContainsFunc(e.Gone, is)
}

// checkKnown checks that an object that is not listed has not changed, as far as that can be known.
func (m *historyModel) checkKnown(t *rapid.T, name string, at, now int) {
	if m.changed(name, at, now) && (m.at(name, now) != nil || m.changed(name, m.listed, now)) {
		t.Fatalf("%s has changed after %d, and is not listed", name, at)
	}
}

// checkState checks the state that a listener is said to know.
func (m *historyModel) checkState(t *rapid.T, name string, at int, state *object.Object) {
	was := m.at(name, at)
	from, vague := m.vague[name]
	older := func() bool {
		for v := from; v < at; v++ {
			if m.at(name, v) == state {
				return true
			}
		}
		return false
	}
	switch {
	case state != nil && object.ParseVersion(state.ResourceVersion()) > uint64(at):
		t.Fatalf("%s at %d: its state is from %s", name, at, state.ResourceVersion())
	case state == was || vague && older():
	case state == nil && m.changed(name, at, m.listed): // nobody here can know it
	default:
		t.Fatalf("%s at %d: %v, want %v", name, at, state, was)
	}
}

// checkMayKnow checks that what the leader may have delivered after that is there.
func (m *historyModel) checkMayKnow(t *rapid.T, name string, at, now int, e informer.Unfinished,
	final bool) {
	for _, c := range m.past[name] {
		if c.object == nil || c.version <= uint64(max(at, m.listed)) || c.version > uint64(now) ||
			e.State != nil && e.State.UID() == c.object.UID() ||
			m.at(name, int(c.version)-1) != nil { // it was there before
			continue
		}
		if mayBe(e, c.object, m.at(name, now)) == final {
			t.Fatalf("%s at %d, final %v: it may know %v %v, and at %d there was %s", name, at,
				final, e.Present, e.Gone, c.version, c.object.UID())
		}
	}
}

func TestHistoryModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &historyModel{past: map[string][]moment{}, vague: map[string]int{},
			held: map[string][]int{}, ended: map[string]int{}, version: 10}
		for range rapid.IntRange(0, 6).Draw(t, "before the list") {
			name := rapid.SampledFrom(names).Draw(t, "name")
			m.version++
			if was := m.now(name); was != nil && rapid.Bool().Draw(t, "end") {
				m.set(name, nil)
			} else if was != nil {
				m.set(name, pod(name, was.UID(), m.version))
			} else {
				m.uids++
				m.set(name, pod(name, fmt.Sprint(m.uids), m.version))
			}
		}
		m.listed, m.seen = m.version, m.version
		m.leader = rapid.IntRange(10, m.version).Draw(t, "leader")
		m.forgot = m.leader
		name := func(t *rapid.T, there bool) string {
			name := rapid.SampledFrom(names).Draw(t, "name")
			if (m.now(name) != nil) != there {
				t.Skip("not there, or there")
			}
			return name
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) { m.put(name(t, false), nil) },
			"updates": func(t *rapid.T) {
				name := name(t, true)
				for range rapid.IntRange(1, 20).Draw(t, "n") {
					m.put(name, m.now(name))
				}
			},
			"delete": func(t *rapid.T) { name := name(t, true); m.end(name, m.now(name)) },
			"replace": func(t *rapid.T) {
				name := name(t, true)
				m.end(name, m.now(name))
				m.put(name, nil)
			},
			"ends unseen": func(t *rapid.T) {
				name := name(t, true)
				m.endInList(name, m.now(name), rapid.Bool().Draw(t, "late"))
			},
			"leader goes on": func(t *rapid.T) {
				m.leader = rapid.IntRange(m.leader, m.version).Draw(t, "to")
			},
			"forget":           func(t *rapid.T) { m.forget(rapid.IntRange(m.forgot, m.leader).Draw(t, "to")) },
			"informer goes on": func(*rapid.T) { m.seen = m.version },
			"ask":              m.ask,
		})
	})
}

// However much there was, a history ends when nobody needs it.
func TestHistoryIsBounded(t *testing.T) {
	m := &historyModel{past: map[string][]moment{}, vague: map[string]int{},
		held: map[string][]int{}, ended: map[string]int{}}
	m.put("a", nil)
	for range 100 {
		m.put("a", m.now("a"))
	}
	key := event.Key{Namespace: "ns", Name: "a"}
	if n := len(m.history.changes[key]); n != maxChanges {
		t.Errorf("%d states are kept", n)
	}
	told := m.history.unfinished(&keeper.Part{Version: "50"}, &informer.Stored{Version: "1000",
		Objects: []*object.Object{m.now("a")}}, true)
	if len(told) != 1 || told[0].State != m.at("a", maxChanges-2) { // the last one that is exact
		t.Errorf("of many states, the listener is to have %+v", told)
	}
	m.endInList("a", m.now("a"), false)
	m.forget(m.version)
	if len(m.history.changes) == 0 {
		t.Error("the end is forgotten, and it is not known when that was")
	}
	m.seen = m.version
	m.forget(m.version)
	if len(m.history.changes) > 0 {
		t.Errorf("%v is kept", m.history.changes)
	}
}
