package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

// queueModel is a Queue with what it should be: a list of objects, each with the words of its
// deltas.
type queueModel struct {
	t     *rapid.T
	q     *Queue
	store *store.Store

	order   []string
	pending map[string][]string
	taken   string // the name that is with the consumer, "" if none
	version int
}

// TestQueueModel: the queue groups by object in the order of first news, merges deletes, finds what
// a list misses, and takes a watch event exactly as long as it holds fewer deltas than its limit,
// whatever objects they are of.
func TestQueueModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 8).Draw(t, "limit")
		m := &queueModel{t: t, q: New(limit), store: store.New(),
			pending: map[string][]string{}}
		full, stop := context.WithCancel(context.Background())
		stop() // an add that would block fails at once
		names := []string{"a", "b", "c", "d"}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				name, typ := rapid.SampledFrom(names).Draw(t, "name"),
					rapid.SampledFrom([]Type{Added, Updated, Deleted}).Draw(t,
						"type")
				m.version++
				d := Delta{Type: typ, Object: obj(name, "1", m.version)}
				room := m.deltas() < limit
				if err := m.q.Add(full, d); (err == nil) != room || err != nil &&
					!errors.Is(err, context.Canceled) {
					t.Fatalf("%v with %d deltas and a limit of %d", err, m.deltas(), limit)
				} else if err == nil {
					m.push(name, d)
				}
			},
			"list": func(t *rapid.T) {
				m.list(rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID).Draw(t, "list"))
			},
			"pop":  func(*rapid.T) { m.pop() },
			"done": func(*rapid.T) { m.done() },
			"": func(t *rapid.T) {
				if m.q.deltas != m.deltas() || m.q.Len() != len(m.order) {
					t.Fatalf("%d deltas of %d objects, want %d of %d", m.q.deltas, m.q.Len(),
						m.deltas(), len(m.order))
				}
			},
		})
		for len(m.order) > 0 {
			m.pop()
			m.done()
		}
	})
}

func (m *queueModel) deltas() (n int) {
	for _, all := range m.pending {
		n += len(all)
	}
	return n
}

func (m *queueModel) push(name string, d Delta) {
	if len(m.pending[name]) == 0 {
		m.order = append(m.order, name)
	}
	word := fmt.Sprint(deltaNames[d.Type], "@", d.Object.ResourceVersion())
	if d.FinalStateUnknown {
		word += "?"
	}
	if all := m.pending[name]; len(all) > 0 && d.Type == Deleted &&
		strings.HasPrefix(all[len(all)-1], "deleted") {
		if !d.FinalStateUnknown {
			all[len(all)-1] = word
		}
		return
	}
	m.pending[name] = append(m.pending[name], word)
}

// list queues a list of some names. The objects that are known and not in it are deleted, those in
// the queue first.
func (m *queueModel) list(names []string) {
	var list []*object.Object
	for _, name := range names {
		m.version++
		list = append(list, obj(name, "1", m.version))
	}
	before := slices.Clone(m.order)
	known := map[string]*object.Object{}
	m.store.Snapshot().Each(func(o *object.Object) { known[o.Name()] = o })
	if m.taken != "" { // is newer than the store
		delete(known, m.taken)
		if d := m.q.taken[len(m.q.taken)-1]; d.Type != Deleted {
			known[m.taken] = d.Object
		}
	}
	for name, all := range m.pending {
		if len(all) > 0 { // is newer than both
			delete(known, name)
			if d := m.q.items[obj(name, "1", 1).Key()]; d[len(d)-1].Type != Deleted {
				known[name] = d[len(d)-1].Object
			}
		}
	}
	m.q.Replace(list, "", false, m.store)
	for i, name := range names {
		m.push(name, Delta{Type: Replaced, Object: list[i]})
		delete(known, name)
	}
	gone := func(name string) {
		if o := known[name]; o != nil {
			m.push(name, Delta{Type: Deleted, Object: o, FinalStateUnknown: true})
			delete(known, name)
		}
	}
	for _, name := range before {
		gone(name)
	}
	gone(m.taken)
	m.store.Snapshot().Each(func(o *object.Object) { gone(o.Name()) })
}

func (m *queueModel) pop() {
	if m.taken != "" {
		return // there is one consumer, and it calls done first
	}
	deltas, ok := m.q.Pop()
	if ok != (len(m.order) > 0) {
		m.t.Fatalf("pop %t, waiting are %v", ok, m.order)
	}
	if !ok {
		return
	}
	var got []string
	for _, d := range deltas {
		word := fmt.Sprint(deltaNames[d.Type], "@", d.Object.ResourceVersion())
		if d.FinalStateUnknown {
			word += "?"
		}
		got = append(got, word)
	}
	name := m.order[0]
	if deltas[0].Object.Name() != name || !slices.Equal(got, m.pending[name]) {
		m.t.Fatalf("%s: %v, want %s: %v", deltas[0].Object.Name(), got, name, m.pending[name])
	}
	m.order, m.taken = m.order[1:], name
	delete(m.pending, name)
}

// Done applies what was taken.
func (m *queueModel) done() {
	if m.taken == "" {
		return
	}
	if d := m.q.taken[len(m.q.taken)-1]; d.Type == Deleted {
		m.store.Remove(d.Object.Key())
	} else {
		m.store.Put(d.Object)
	}
	m.taken = ""
	m.q.Done()
}
