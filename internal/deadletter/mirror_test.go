package deadletter

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

var errMirror = errors.New("the mirror fails")

// world is where the mirrors of all replicas write to.
type world struct {
	mu    sync.Mutex
	parts map[string]map[string][]byte
}

// mirror is that of one replica. Fail says what happens to a part's Writes: "" nothing, "none" is
// done, "all" is done, but an error returned, "puts" are done alone, "hang" until their context ends.
type mirror struct {
	*world
	fail   map[string]string
	writes int
}

func newMirror(w *world) *mirror { return &mirror{world: w, fail: map[string]string{}} }

func (m *mirror) set(part, fail string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail[part] = fail
}

func (m *mirror) Write(ctx context.Context, part string, puts map[string][]byte,
	deletes []string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.writes++
	fail := m.fail[part]
	if fail == "hang" {
		m.mu.Unlock()
		<-ctx.Done()
		m.mu.Lock()
		return ctx.Err()
	}
	if fail != "none" {
		if m.parts[part] == nil {
			m.parts[part] = map[string][]byte{}
		}
		for id, record := range puts {
			m.parts[part][id] = slices.Clone(record)
		}
	}
	if fail == "" || fail == "all" {
		for _, id := range deletes {
			delete(m.parts[part], id)
		}
	}
	if fail != "" {
		return errMirror
	}
	return nil
}

// has returns how many letters of a part the mirror has.
func (w *world) has(part string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.parts[part])
}

// load loads a part as the mirror has it.
func (w *world) load(t testing.TB, s *Store, part string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := s.Load(part, maps.All(w.parts[part])); err != nil {
		t.Error(err)
	}
}

// mirrored returns the configuration of a replica, where the namespace is the part.
func mirrored(m Mirror) Config {
	return Config{Mirror: m, Part: func(l *Letter) string { return l.Namespace }}
}

// inBubble runs a test with a store and its mirror, with a clock that does not wait.
func inBubble(t *testing.T, limits Limits, test func(t *testing.T, s *Store, m *mirror)) {
	synctest.Test(t, func(t *testing.T) {
		m := newMirror(&world{parts: map[string]map[string][]byte{}})
		cfg := mirrored(m)
		cfg.Limits = limits
		s := open(t, cfg)
		test(t, s, m)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// same are two parts whose letters have the same IDs if they are put at the same time.
var same = func() []string {
	for i := 0; ; i++ {
		if b := (&part{name: fmt.Sprint(i)}); b.offset() == (&part{name: "x"}).offset() {
			return []string{"x", b.name}
		}
	}
}()

func TestMirrorIsNotForFiles(t *testing.T) {
	_, err := Open(Config{Path: file(t), Mirror: newMirror(nil)})
	if err == nil || err.Error() != "dead letters: a store in a file has no mirror" {
		t.Errorf("got %v", err)
	}
	if err := open(t, Config{}).Load("x", nil); !errors.Is(err, errNoMirror) {
		t.Errorf("got %v", err)
	}
}

// A letter is in the mirror when Put returns, and no more when Delete does. If the mirror fails,
// letters of its part are as they were, whatever the mirror has of it, and soon the mirror is, too.
func TestMirrorFails(t *testing.T) {
	for _, fail := range []string{"none", "all", "puts", "hang"} {
		t.Run(fail, func(t *testing.T) {
			inBubble(t, Limits{}, func(t *testing.T, s *Store, m *mirror) {
				put(t, s, of("x", "a", 1, 0), of("y", "b", 2, 0), of("", "c", 3, 0))
				all := list(t, s, Query{})
				if m.has("x") != 1 || m.has("y") != 1 || m.has("") != 0 {
					t.Errorf("the mirror has %v", m.parts)
				}
				m.set("x", fail)
				failed := make(chan error)
				go func() { failed <- putOne(context.Background(), s, of("x", "a", 4, 0)) }()
				begun := time.Now()
				put(t, s, of("y", "b", 5, 0), of("", "c", 6, 0))
				if took := time.Since(begun); took != 0 {
					t.Errorf("others were held up for %v", took)
				}
				if err := <-failed; err == nil ||
					!strings.HasPrefix(err.Error(), "dead letters are not mirrored: ") {
					t.Errorf("Put: %v", err)
				}
				if n, err := s.Delete(all[0].ID, all[1].ID, all[2].ID); n != 2 || err == nil {
					t.Errorf("Delete: %d, %v", n, err)
				}
				if took := time.Since(begun); took > 3*mirrorTimeout {
					t.Errorf("that took %v", took)
				}
				if err := s.Flush(t.Context(), "x"); err == nil && fail != "none" {
					t.Error("Flush: no error")
				}
				if got := names(t, s, Query{}); got != "a@1 b@5 c@6 " {
					t.Errorf("got %s", got)
				}
				m.set("x", "")
				time.Sleep(pause)
				synctest.Wait()
				if m.has("x") != 1 || m.has("y") != 1 {
					t.Errorf("the mirror has %v", m.parts)
				}
				if n, err := s.Delete(all[0].ID); n != 1 || err != nil || m.has("x") != 0 {
					t.Errorf("Delete: %d, %v, the mirror has %d", n, err, m.has("x"))
				}
			})
		})
	}
}

// While a mirror fails, what is put again and again adds nothing to what is to be settled, and each
// failure is an error at once.
func TestMirrorFailsForLong(t *testing.T) {
	inBubble(t, Limits{}, func(t *testing.T, s *Store, m *mirror) {
		m.set("x", "none")
		for range 1000 {
			if err := putOne(t.Context(), s, of("x", "a", 1, 0)); !errors.Is(err, errMirror) {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		s.mu.Lock()
		n := len(s.parts["x"].pending)
		s.mu.Unlock()
		if n != 1 || m.writes > 1002+3600 {
			t.Errorf("%d letters are to be settled, after %d writes", n, m.writes)
		}
	})
}

// Callers share a write.
func TestMirrorIsShared(t *testing.T) {
	inBubble(t, Limits{}, func(t *testing.T, s *Store, m *mirror) {
		put(t, s, of("x", "a", 0, 0))
		m.set("x", "hang")
		done := make(chan error)
		for i := range 100 {
			go func() { done <- putOne(context.Background(), s, of("x", "a", i, 0)) }()
			if i == 0 {
				synctest.Wait()
			}
		}
		synctest.Wait()
		m.set("x", "")
		failed := 0
		for range 100 {
			if err := <-done; err != nil {
				failed++
			}
		}
		if failed != 1 || m.writes != 4 { // the first, one that hangs, its end, all others
			t.Errorf("%d failed, %d writes", failed, m.writes)
		}
	})
}

// What gives way, expires or is superseded is mirrored later, if it fails, and by Flush and Close.
func TestMirrorLater(t *testing.T) {
	limits := Limits{MaxBytes: 2 * sizeOf(t, of("x", "a", 1, 0)), MaxAge: time.Hour}
	inBubble(t, limits, func(t *testing.T, s *Store, m *mirror) {
		put(t, s, of("x", "a", 1, 0), of("x", "b", 2, 0))
		m.set("x", "none")
		s.Listener("pods").Delivered(Delivery{Output: "hook", Resource: "pods", Namespace: "x",
			Name: "a", ResourceVersion: "3"})
		if err := s.Flush(t.Context(), "x"); !errors.Is(err, errMirror) {
			t.Errorf("Flush: %v", err)
		}
		put(t, s, of("y", "a", 4, 0)) // in the place of a@1
		if got := names(t, s, Query{}); got != "b@2 a@4 " || m.has("x") != 2 {
			t.Errorf("got %s, the mirror has %d", got, m.has("x"))
		}
		m.set("x", "")
		if err := s.Flush(t.Context(), "x"); err != nil || m.has("x") != 1 {
			t.Errorf("Flush: %v, the mirror has %d", err, m.has("x"))
		}
		m.set("x", "none")
		time.Sleep(time.Hour + scanEvery)
		synctest.Wait()
		if got := names(t, s, Query{}); got != "" || m.has("x") != 1 || m.has("y") != 0 {
			t.Errorf("got %s, the mirror has %v", got, m.parts)
		}
		m.set("x", "")
		time.Sleep(pause)
		synctest.Wait()
		if m.has("x") != 0 {
			t.Errorf("the mirror has %v", m.parts)
		}
		put(t, s, of("x", "a", 5, 0))
		s.Listener("pods").Delivered(Delivery{Output: "hook", Resource: "pods", Namespace: "x",
			Name: "a", ResourceVersion: "6"})
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		next := open(t, mirrored(m))
		m.load(t, next, "x")
		if got := superseded(t, next); got != "a@5hook" || s.Flush(t.Context(), "x") != errClosed {
			t.Errorf("got %s", got)
		}
	})
}

// Close ends while the mirror fails, and while it hangs.
func TestMirrorFailsAtClose(t *testing.T) {
	for _, fail := range []string{"none", "hang"} {
		inBubble(t, Limits{}, func(t *testing.T, s *Store, m *mirror) {
			put(t, s, of("x", "a", 1, 0))
			m.set("x", fail)
			s.Listener("pods").Delivered(Delivery{Output: "hook", Resource: "pods",
				Namespace: "x", Name: "a", ResourceVersion: "3"})
			begun := time.Now()
			if err := s.Close(); err != nil || time.Since(begun) > 2*mirrorTimeout+pause {
				t.Errorf("%v after %v", err, time.Since(begun))
			}
		})
	}
}

// Unload ends a Write under way, and who waits for it has an error; nothing is left of the part.
func TestUnloadEndsWrites(t *testing.T) {
	inBubble(t, Limits{}, func(t *testing.T, s *Store, m *mirror) {
		put(t, s, of("x", "a", 1, 0), of("y", "b", 2, 0))
		m.set("x", "hang")
		done := make(chan error)
		id := list(t, s, Query{})[0].ID
		go func() { done <- putOne(context.Background(), s, of("x", "a", 3, 0)) }()
		synctest.Wait()
		go func() { _, err := s.Delete(id); done <- err }()
		go func() { done <- s.Flush(context.Background(), "x") }()
		if err := s.Flush(ended(), "x"); !errors.Is(err, context.Canceled) {
			t.Errorf("Flush: %v", err)
		}
		synctest.Wait()
		begun := time.Now()
		s.Unload("x")
		s.Unload("x")
		for range 3 {
			if err := <-done; err == nil {
				t.Error("no error")
			}
		}
		if got := names(t, s, Query{}); got != "b@2 " || time.Since(begun) != 0 ||
			s.Stats().Letters != 1 || s.Stats().Bytes != sizeOf(t, of("y", "b", 2, 0)) {
			t.Errorf("got %s after %v: %+v", got, time.Since(begun), s.Stats())
		}
		m.set("x", "")
		m.load(t, s, "x")
		if got := names(t, s, Query{}); got != "a@1 b@2 " {
			t.Errorf("got %s", got)
		}
	})
}

// A letter that cannot be read is an error, and the others are there.
func TestLoadDamaged(t *testing.T) {
	inBubble(t, Limits{}, func(t *testing.T, s *Store, m *mirror) {
		put(t, s, of("x", "a", 1, 0), of("x", "b", 2, 0))
		id := list(t, s, Query{})[0].ID
		s.Unload("x")
		m.parts["x"][id][20] ^= 1
		m.parts["x"]["odd"] = nil
		err := s.Load("x", maps.All(m.parts["x"]))
		for _, id := range []string{id, "odd"} {
			want := "dead letter " + id + " cannot be read: it is not what was written"
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v", err)
			}
		}
		if got := names(t, s, Query{}); got != "b@2 " {
			t.Errorf("got %s", got)
		}
	})
}

// fate is what the API promises of a letter.
type fate struct {
	part, name string
	deletion   bool
	there      bool // the owner of its part has it
	// unsure: whether the mirror has it is not known, and matters if its owner is killed.
	unsure     bool
	superseded bool
	unmarked   bool // that may be forgotten if the owner is killed
}

// Random operations of two replicas with a mirror that fails at times, with hand-overs, compared with
// a map by the letters' versions.
func TestMirrorModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(struct{ *testing.T }{t}, mirrorModel) // it would ask for the deadline
	})
}

func mirrorModel(t *rapid.T) {
	w := &world{parts: map[string]map[string][]byte{}}
	var stores [2]*Store
	var mirrors [2]*mirror
	owner := map[string]int{same[0]: 0, same[1]: 1}
	for i := range stores {
		mirrors[i] = newMirror(w)
		cfg := mirrored(mirrors[i])
		cfg.Limits = Limits{MaxBytes: 12_000, MaxAge: -1, Drop: true}
		var err error
		if stores[i], err = Open(cfg); err != nil {
			t.Fatal(err)
		}
		defer stores[i].Close()
	}
	letters, version := map[int]*fate{}, 0
	ofPart := func(part string) (of []*fate) {
		for _, f := range letters {
			if f.part == part {
				of = append(of, f)
			}
		}
		return of
	}
	// listed returns the letters that a replica has by their versions.
	listed := func(i int) map[int]Letter {
		all, last := map[int]Letter{}, map[string]int{}
		for l, err := range stores[i].List(context.Background(), Query{}) {
			var v int
			fmt.Sscan(l.ResourceVersion, &v)
			if _, twice := all[v]; twice || err != nil || v < last[l.Namespace+l.Name] {
				t.Fatalf("replica %d has letter %d, %v, behind %v", i, v, err, last)
			}
			all[v], last[l.Namespace+l.Name] = l, v
		}
		return all
	}
	takeOver := func(part string, killed bool) {
		from := owner[part]
		stores[from].Unload(part)
		owner[part] = 1 - from
		w.mu.Lock()
		err := stores[1-from].Load(part, maps.All(w.parts[part]))
		w.mu.Unlock()
		if err != nil {
			t.Fatal(err)
		}
		if !killed {
			return
		}
		seen := map[string]bool{}
		for l := range stores[1-from].List(context.Background(), Query{}) {
			if seen[l.ResourceVersion] { // it was about to get another ID
				if n, err := stores[1-from].Delete(l.ID); n != 1 || err != nil {
					t.Fatal(n, err)
				}
			}
			seen[l.ResourceVersion] = true
		}
		now := listed(1 - from)
		for v, f := range letters {
			if f.part != part {
				continue
			}
			if l, there := now[v]; f.unsure {
				f.there = there
				f.superseded = there && l.Superseded
			} else if f.unmarked {
				f.superseded = l.Superseded
			}
			f.unsure, f.unmarked = false, false
		}
	}
	part := func(t *rapid.T) string { return rapid.SampledFrom(same).Draw(t, "part") }
	t.Repeat(map[string]func(*rapid.T){
		"put": func(t *rapid.T) {
			version++
			p := part(t)
			l := of(p, rapid.SampledFrom([]string{"a", "b"}).Draw(t, "name"), version,
				rapid.SampledFrom([]int{0, 3000}).Draw(t, "size"))
			l.Op = rapid.SampledFrom([]string{"update", "delete"}).Draw(t, "op")
			_, err := stores[owner[p]].Put(context.Background(), l)
			fails := mirrors[owner[p]].fail[p] != ""
			if errors.Is(err, ErrDropped) {
				return
			}
			if (err != nil) != fails {
				t.Fatalf("Put returns %v", err)
			}
			now := listed(owner[p])
			for v, f := range letters { // what gives way
				if _, there := now[v]; f.there && owner[f.part] == owner[p] && !there {
					if err != nil || !f.superseded && (f.part != p || f.name != l.Name || f.deletion) {
						t.Fatalf("letter %d is lost", v)
					}
					f.there, f.unsure = false, true
				}
			}
			letters[version] = &fate{part: p, name: l.Name, deletion: l.Op == "delete",
				there: err == nil, unsure: err != nil}
		},
		"delete": func(t *rapid.T) {
			i := rapid.IntRange(0, 1).Draw(t, "replica")
			var ids []string
			var fates []*fate
			want, fails := 0, false
			now := listed(i)
			for _, v := range slices.Sorted(maps.Keys(now)) {
				if rapid.Bool().Draw(t, "delete") {
					f := letters[v]
					ids, fates = append(ids, now[v].ID), append(fates, f)
					if mirrors[i].fail[f.part] != "" {
						fails = true
					} else {
						want++
					}
				}
			}
			n, err := stores[i].Delete(ids...)
			if n != want || (err != nil) != fails {
				t.Fatalf("Delete returns %d, %v, want %d", n, err, want)
			}
			for _, f := range fates {
				f.there = mirrors[i].fail[f.part] != ""
				f.unsure = f.there
			}
		},
		"deliver": func(t *rapid.T) {
			p, name := part(t), rapid.SampledFrom([]string{"a", "b"}).Draw(t, "name")
			version++
			stores[owner[p]].Listener("pods").Delivered(Delivery{Output: "hook", Resource: "pods",
				Namespace: p, Name: name, ResourceVersion: fmt.Sprint(version)})
			for _, f := range ofPart(p) {
				if f.there && f.name == name && !f.superseded {
					f.superseded, f.unmarked = true, true
				}
			}
		},
		"fail": func(t *rapid.T) {
			mirrors[rapid.IntRange(0, 1).Draw(t, "replica")].set(part(t),
				rapid.SampledFrom([]string{"", "", "none", "all", "puts"}).Draw(t, "fail"))
		},
		"wait": func(t *rapid.T) {
			time.Sleep(2 * pause)
			synctest.Wait()
			for _, f := range letters {
				if mirrors[owner[f.part]].fail[f.part] == "" {
					f.unsure, f.unmarked = false, false
				}
			}
		},
		"hand over": func(t *rapid.T) {
			p := part(t)
			fails := mirrors[owner[p]].fail[p] != ""
			err := stores[owner[p]].Flush(context.Background(), p)
			if err != nil {
				if !fails {
					t.Fatal(err)
				}
				return // it stays
			}
			for _, f := range ofPart(p) {
				f.unsure, f.unmarked = false, false
			}
			takeOver(p, false)
		},
		"kill": func(t *rapid.T) {
			p := part(t)
			mirrors[owner[p]].set(p, "none") // it is no more the owner
			mirrors[1-owner[p]].set(p, "")
			takeOver(p, true)
		},
		"": func(t *rapid.T) {
			for i := range stores {
				now, there := listed(i), 0
				for v, f := range letters {
					if f.there && owner[f.part] == i {
						there++
						if l, ok := now[v]; !ok || l.Superseded != f.superseded {
							t.Fatalf("letter %d: want %+v, has %t, %+v", v, f, ok, l)
						}
					}
				}
				if there != len(now) || stores[i].Stats().Letters != there {
					t.Fatalf("replica %d has %d letters, want %d", i, len(now), there)
				}
			}
		},
	})
}

// A letter whose Delete failed is in the mirror again, though that had deleted it; and what is
// unloaded takes no room.
func TestMirrorAfterAFailedDelete(t *testing.T) {
	inBubble(t, Limits{}, func(t *testing.T, s *Store, m *mirror) {
		put(t, s, of("x", "a", 1, 0))
		m.set("x", "all")
		if n, err := s.Delete(list(t, s, Query{})[0].ID); n != 0 || err == nil || m.has("x") != 0 {
			t.Errorf("Delete: %d, %v", n, err)
		}
		m.set("x", "")
		if err := s.Flush(t.Context(), "x"); err != nil || m.has("x") != 1 {
			t.Errorf("Flush: %v, the mirror has %d", err, m.has("x"))
		}
		s.Unload("x")
		if st := s.Stats(); st.Bytes != 0 || st.Letters != 0 || m.has("x") != 1 {
			t.Errorf("%+v", st)
		}
	})
}
