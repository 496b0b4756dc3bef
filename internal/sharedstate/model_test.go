package sharedstate

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Whoever holds parts in whatever order: each hold that is not the last one of its part is refused,
// and what is loaded is what a plain map has.
func TestModel(t *testing.T) {
	url := start(t, nil).ClientURL()
	states := []*State{openState(t, url, 1), openState(t, url, 1)}
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		m := &model{run: run, states: states, parts: map[string]*modelPart{}}
		t.Repeat(map[string]func(*rapid.T){"hold": m.hold, "commit": m.commit, "load": m.load,
			"put": m.put, "delete": m.delete, "letters": m.letters})
	})
}

// modelPart is a part as it must be.
type modelPart struct {
	epoch   int64
	holds   []*Hold // the last one has it
	tables  map[string]map[string]Value
	ids     []string // of letters, oldest first
	letters map[string]string
}

type model struct {
	run    int
	states []*State
	parts  map[string]*modelPart
}

// draw returns one of the holds, and its part if it has it, else nil.
func (m *model) draw(t *rapid.T) (*Hold, *modelPart) {
	if len(m.parts) == 0 {
		m.hold(t)
	}
	name := rapid.SampledFrom(slices.Sorted(maps.Keys(m.parts))).Draw(t, "part")
	p := m.parts[name]
	n := len(p.holds) - 1 - rapid.IntRange(0, min(2, len(p.holds)-1)).Draw(t, "hold from the last")
	if n == len(p.holds)-1 {
		return p.holds[n], p
	}
	return p.holds[n], nil
}

// check fails unless a call that writes has failed exactly if the hold is stale.
func check(t *rapid.T, p *modelPart, err error) {
	if p == nil && !errors.Is(err, ErrStale) || p != nil && err != nil {
		t.Fatalf("it returns %v", err)
	}
}

func (m *model) hold(t *rapid.T) {
	name := fmt.Sprint(m.run, ".", rapid.IntRange(0, 1).Draw(t, "part"))
	p := m.parts[name]
	if p == nil {
		p = &modelPart{tables: map[string]map[string]Value{}, letters: map[string]string{}}
	}
	epoch := max(1, p.epoch+int64(rapid.IntRange(-1, 2).Draw(t, "epochs")))
	h, err := rapid.SampledFrom(m.states).Draw(t, "state").Hold(t.Context(), name, epoch)
	if epoch < p.epoch {
		check(t, nil, err)
		return
	}
	check(t, p, err)
	p.epoch = epoch
	p.holds = append(p.holds, h)
	m.parts[name] = p
}

var (
	someTable = rapid.SampledFrom([]string{"", "pods", "a.b"})
	someKey   = rapid.OneOf(rapid.SampledFrom([]string{"", "a", "mark", "="}), rapid.StringN(0, 5, 10))
)

func (m *model) commit(t *rapid.T) {
	h, p := m.draw(t)
	value := rapid.Custom(func(t *rapid.T) Value {
		return Value{Data: rapid.String().Draw(t, "data"),
			Expires: rapid.SampledFrom([]int64{0, 0, 1 << 62}).Draw(t, "expires")}
	})
	values := rapid.MapOfN(someKey, rapid.Ptr(value, true), 0, 4)
	changes := rapid.MapOfN(someTable, values, 0, 2).Draw(t, "changes")
	err := h.Commit(t.Context(), changes)
	n := 0
	for _, values := range changes {
		n += len(values)
	}
	if n == 0 && err == nil {
		return // there was nothing to write
	}
	check(t, p, err)
	if p == nil {
		return
	}
	for table, values := range changes {
		if p.tables[table] == nil {
			p.tables[table] = map[string]Value{}
		}
		for key, v := range values {
			if v == nil {
				delete(p.tables[table], key)
			} else {
				p.tables[table][key] = *v
			}
		}
	}
}

func (m *model) load(t *rapid.T) {
	h, p := m.draw(t)
	table := someTable.Draw(t, "table")
	got, err := h.Load(t.Context(), table)
	check(t, p, err)
	if p != nil && !maps.Equal(got, p.tables[table]) {
		t.Fatalf("got %v, want %v", got, p.tables[table])
	}
}

func (m *model) put(t *rapid.T) {
	h, p := m.draw(t)
	id, data := someKey.Draw(t, "id"), rapid.String().Draw(t, "data")
	check(t, p, h.PutLetter(t.Context(), id, []byte(data)))
	if p != nil {
		p.remove(id)
		p.ids = append(p.ids, id)
		p.letters[id] = data
	}
}

func (m *model) delete(t *rapid.T) {
	h, p := m.draw(t)
	id := someKey.Draw(t, "id")
	check(t, p, h.DeleteLetter(t.Context(), id))
	if p != nil {
		p.remove(id)
	}
}

func (p *modelPart) remove(id string) {
	p.ids = slices.DeleteFunc(p.ids, func(other string) bool { return other == id })
	delete(p.letters, id)
}

func (m *model) letters(t *rapid.T) {
	h, p := m.draw(t)
	var ids []string
	for l, err := range h.Letters(t.Context()) {
		check(t, p, err)
		if p == nil {
			return
		}
		if string(l.Data) != p.letters[l.ID] {
			t.Fatalf("letter %q is %q, want %q", l.ID, l.Data, p.letters[l.ID])
		}
		ids = append(ids, l.ID)
	}
	if p != nil && !slices.Equal(ids, p.ids) {
		t.Fatalf("the letters are %q, want %q", ids, p.ids)
	}
}
