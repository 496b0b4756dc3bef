package lanes

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/informer/internal/informertest"
	"github.com/informerd/informerd/pkg/informer/object"
)

func TestMain(m *testing.M) {
	informertest.SetModelRuns()
	m.Run()
}

// item is the n-th that came of an object.
type item struct {
	key object.Key
	n   int
}

// model is what Lanes must do, kept in the plainest way.
type model struct {
	t       *rapid.T
	l       Lanes[item]
	waiting map[object.Key][]item // in the order in which they came
	out     map[object.Key]item   // with a worker, parked, or ready
	where   map[object.Key]string // which of the three
	came    int
}

// TestLanesModel holds the lanes to their invariant: of each object at most one item is out, and
// all others come after it, in the order in which they came.
func TestLanesModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{
			t: t, l: Lanes[item]{MaxBehind: rapid.IntRange(0, 4).Draw(t, "max behind")},
			waiting: map[object.Key][]item{}, out: map[object.Key]item{},
			where: map[object.Key]string{},
		}
		name := rapid.SampledFrom([]string{"a", "b", "c", "d"})
		draw := func(t *rapid.T) object.Key { return object.Key{Name: name.Draw(t, "object")} }
		t.Repeat(map[string]func(*rapid.T){
			"comes":  func(t *rapid.T) { m.comes(draw(t), rapid.Bool().Draw(t, "insist")) },
			"comes ": func(t *rapid.T) { m.comes(draw(t), false) },
			"next":   func(*rapid.T) { m.next() },
			"done":   func(t *rapid.T) { m.done(draw(t)) },
			"park":   func(t *rapid.T) { m.park(draw(t)) },
			"unpark": func(t *rapid.T) { m.unpark(draw(t)) },
			"delete": func(t *rapid.T) { m.delete(rapid.IntRange(2, 5).Draw(t, "each")) },
			"":       func(*rapid.T) { m.check() },
		})
		for m.l.Len() > 0 { // everything comes in the end
			m.next()
			for key := range m.out {
				m.unpark(key)
				m.done(key)
			}
			m.check()
		}
		if m.l.Held()+m.l.Parked()+m.l.Behind()+m.l.Ready()+len(m.out) != 0 {
			t.Fatalf("drained, but not empty: %+v", &m.l)
		}
	})
}

// comes is what a caller does with a new item.
func (m *model) comes(key object.Key, insist bool) {
	m.came++
	it := item{key, m.came}
	lane := m.l.Lane(key)
	switch _, busy := m.out[key]; {
	case busy != (lane != nil):
		m.t.Fatalf("an item of %s is out: %t, it has a lane: %t", key, busy, lane != nil)
	case !busy:
		m.l.Begin(key, 0)
		m.out[key], m.where[key] = it, "worker"
		return
	case m.l.Wait(lane, it):
		if m.where[key] != "parked" {
			break
		}
	case m.where[key] != "parked":
		m.t.Fatalf("there is no room behind an item that is not parked")
	case !insist:
		return
	default:
		m.l.WaitHeld(lane, it)
	}
	m.waiting[key] = append(m.waiting[key], it)
}

func (m *model) next() {
	it, ok := m.l.Next()
	if !ok {
		return
	}
	if m.where[it.key] != "ready" || m.out[it.key] != it {
		m.t.Fatalf("%v is handed out, but %v is out, %s", it, m.out[it.key], m.where[it.key])
	}
	m.where[it.key] = "worker"
}

func (m *model) done(key object.Key) {
	if m.where[key] == "worker" {
		m.l.Done(key, m.l.Lane(key))
		m.ended(key)
	}
}

// ended: no item of the object is out, so that the next one is.
func (m *model) ended(key object.Key) {
	delete(m.out, key)
	delete(m.where, key)
	if waiting := m.waiting[key]; len(waiting) > 0 {
		m.out[key], m.where[key], m.waiting[key] = waiting[0], "ready", waiting[1:]
	}
}

func (m *model) park(key object.Key) {
	if m.where[key] != "worker" {
		return
	}
	lane := m.l.Lane(key)
	m.l.Park(lane, m.out[key])
	m.where[key] = "parked"
	for range lane.Len() {
		it, ok := m.l.Pull(lane)
		if !ok || it.key != key {
			m.t.Fatalf("pulled %v, %t from the lane of %s", it, ok, key)
		}
		if !m.l.Wait(lane, it) {
			m.l.WaitHeld(lane, it)
		}
	}
	if got := m.l.ParkedItem(key); got == nil || *got != m.out[key] {
		m.t.Fatalf("%v is parked, want %v", got, m.out[key])
	}
}

func (m *model) unpark(key object.Key) {
	m.l.Unpark(key)
	if m.where[key] == "parked" {
		m.where[key] = "ready"
	}
}

// delete removes each n-th item that came, but those with workers.
func (m *model) delete(n int) {
	gone := func(it item) bool { return it.n%n == 0 }
	freed := m.l.DeleteFunc(func(it *item) bool { return gone(*it) }, func(it *item) object.Key {
		return it.key
	})
	for key, waiting := range m.waiting {
		m.waiting[key] = slices.DeleteFunc(waiting, gone)
	}
	for _, key := range freed {
		if !gone(m.out[key]) || m.where[key] == "worker" {
			m.t.Fatalf("%v, %s, is not to be deleted", m.out[key], m.where[key])
		}
		m.l.Advance(key, m.l.Lane(key))
		m.ended(key)
	}
}

// check compares the counts with what there is.
func (m *model) check() {
	held, parked, ready, waiting := 0, 0, 0, 0
	var each []int // the numbers of the items that no worker has
	for key, it := range m.out {
		switch m.where[key] {
		case "parked":
			parked++
			each = append(each, it.n)
		case "ready":
			ready++
			each = append(each, it.n)
			held++
		default:
			held++
		}
		waiting += len(m.waiting[key])
		for _, it := range m.waiting[key] {
			each = append(each, it.n)
		}
	}
	l := &m.l
	if held += waiting - l.Behind(); l.Held() != held || l.Parked() != parked ||
		l.Ready() != ready ||
		l.Len() != len(m.out) {
		m.t.Fatalf("held %d, parked %d, ready %d, lanes %d; counted %d, %d, %d, %d", l.Held(),
			l.Parked(), l.Ready(), l.Len(), held, parked, ready, len(m.out))
	}
	if l.Behind() > l.MaxBehind || l.Behind() < 0 || parked == 0 && l.Behind() > 0 {
		m.t.Fatalf("%d of at most %d are behind %d parked ones", l.Behind(), l.MaxBehind, parked)
	}
	behind := 0
	for key, lane := range l.lanes {
		if behind += lane.behind; lane.behind > 0 && lane.parked == nil ||
			lane.behind > lane.Len() {
			m.t.Fatalf("%d of %d are behind in the lane of %s", lane.behind, lane.Len(), key)
		}
	}
	if behind != l.Behind() {
		m.t.Fatalf("%d are behind, counted %d", l.Behind(), behind)
	}
	var got []int
	l.Each(func(it *item) { got = append(got, it.n) })
	slices.Sort(got)
	if slices.Sort(each); !slices.Equal(got, each) {
		m.t.Fatalf("there are %v, want %v", got, each)
	}
}

// An ended lane is used again, but not the memory of a long line.
func TestEndedLanesAreUsedAgain(t *testing.T) {
	var l Lanes[item]
	key := object.Key{Name: "a"}
	turn := func() {
		l.Begin(key, 0)
		l.Done(key, l.Lane(key))
	}
	turn()
	if n := testing.AllocsPerRun(100, turn); n != 0 {
		t.Errorf("%v allocations", n)
	}
	l.Begin(key, 0)
	for i := range 2 * maxSpareCap {
		l.Wait(l.Lane(key), item{key, i})
	}
	for l.Done(key, l.Lane(key)); l.Len() > 0; l.Done(key, l.Lane(key)) {
		l.Next()
	}
	if len(l.spare) != 0 {
		t.Errorf("%d lanes are kept", len(l.spare))
	}
}
