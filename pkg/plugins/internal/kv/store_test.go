package kv

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestStore(t *testing.T) {
	s := memory(t, roomy)
	expect(t, s, "a", "-")
	s.set(t, "a", "1", 0)
	s.set(t, "b", "", 0)
	expect(t, s, "a", "1")
	expect(t, s, "b", "")
	s.set(t, "a", "22", 0)
	expect(t, s, "a", "22")
	if !s.Delete([]byte("a")) || s.Delete([]byte("a")) {
		t.Error("a key can be deleted once")
	}
	expect(t, s, "a", "-")
}

func TestSwap(t *testing.T) {
	s := memory(t, Limits{Keys: 1, Bytes: 3})
	swap := func(key, old, value string) string {
		ok, err := s.Swap([]byte(key), []byte(old), []byte(value), 0)
		return fmt.Sprint(ok, err)
	}
	add := func(key, value string) string {
		ok, err := s.Add([]byte(key), []byte(value), 0)
		return fmt.Sprint(ok, err)
	}
	for n, step := range []struct{ got, want string }{
		{swap("a", "", "1"), "false <nil>"},
		{add("a", "1"), "true <nil>"},
		{add("a", "2"), "false <nil>"},
		{swap("a", "2", "3"), "false <nil>"},
		{swap("a", "1", "333"), "true <nil>"},
		{swap("a", "333", "4444"), "true the store is full"},
		{swap("a", "333", ""), "true <nil>"},
		{add("b", ""), "true the store is full"},
	} {
		if step.got != step.want {
			t.Errorf("step %d: got %s, want %s", n, step.got, step.want)
		}
	}
}

func TestLimits(t *testing.T) {
	s := memory(t, Limits{Keys: 2, Bytes: 10})
	for n, step := range []struct {
		key, value string
		want       error
	}{
		{"a", "12345", nil},
		{"b", "123456", ErrQuota},
		{"b", "12345", nil},
		{"c", "", ErrQuota}, // a third key
		{"b", "123456", ErrQuota},
		{"b", "1234", nil},
		{"a", "123456", nil},
	} {
		if err := s.Set([]byte(step.key), []byte(step.value), 0); err != step.want {
			t.Errorf("step %d: got %v, want %v", n, err, step.want)
		}
	}
	s.Delete([]byte("a"))
	s.set(t, "c", "123456", 0)
}

// A second handler with lower limits loses nothing that the first wrote, and writes nothing that
// makes it more.
func TestHandlersOfOneListenerShareTheirTable(t *testing.T) {
	var stores Stores
	first := openStore(t, &stores, "pods", roomy, false)
	first.set(t, "a", "12345", 0)
	second := openStore(t, &stores, "pods", Limits{Keys: 1, Bytes: 3}, false)
	other := openStore(t, &stores, "nodes", roomy, false)
	expect(t, second, "a", "12345")
	expect(t, other, "a", "-")
	if err := second.Set([]byte("a"), []byte("123456"), 0); err != ErrQuota {
		t.Errorf("got %v", err)
	}
	second.set(t, "a", "1234", 0)
	first.Close()
	expect(t, second, "a", "1234")
	second.Close()
	expect(t, openStore(t, &stores, "pods", roomy, false), "a", "-")
}

func TestValuesExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t, Limits{Keys: 3, Bytes: 100, TTL: time.Hour})
		s.set(t, "minute", "1", time.Minute)
		s.set(t, "longest", "2", 0)
		s.set(t, "cut", "3", 2*time.Hour)
		time.Sleep(time.Minute - 1)
		expect(t, s, "minute", "1")
		time.Sleep(time.Nanosecond)
		expect(t, s, "minute", "-")
		if s.Delete([]byte("minute")) {
			t.Error("it is still there to be deleted")
		}
		s.set(t, "minute", "1", 0)
		time.Sleep(time.Hour - time.Minute)
		expect(t, s, "longest", "-")
		expect(t, s, "cut", "-")
		expect(t, s, "minute", "1")

		s = memory(t, roomy)
		s.set(t, "forever", "1", 0)
		time.Sleep(100 * 365 * 24 * time.Hour)
		expect(t, s, "forever", "1")
	})
}

// What is over makes room, although nobody asked for it.
func TestExpiredValuesTakeNoRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t, Limits{Keys: 10, Bytes: 100})
		for n := range 10 {
			s.set(t, fmt.Sprint(n), "0123456789", time.Duration(n+1)*time.Second)
		}
		for n := range 10 {
			key := []byte(fmt.Sprint("new", n))
			if err := s.Set(key, []byte("0123456789"), 0); err != ErrQuota {
				t.Fatalf("%d: got %v", n, err)
			}
			time.Sleep(time.Second)
			if err := s.Set(key, []byte("0123456789"), 0); err != nil {
				t.Fatalf("%d: got %v", n, err)
			}
		}
	})
}

func TestConcurrentSwaps(t *testing.T) {
	s := memory(t, roomy)
	s.set(t, "n", "", 0)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 250 {
				for swapped := false; !swapped; {
					v, _ := s.Get([]byte("n"))
					swapped, _ = s.Swap([]byte("n"), []byte(v), []byte(v+"x"), 0)
				}
			}
		})
	}
	wg.Wait()
	expect(t, s, "n", strings.Repeat("x", 1000))
}

func TestReadingDoesNotAllocate(t *testing.T) {
	s := memory(t, roomy)
	key, value := []byte("key"), []byte("value")
	s.set(t, "key", "value", 0)
	if n := testing.AllocsPerRun(100, func() {
		s.Get(key)
		s.Set(key, value, 0)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A store with a file holds what a plain map would, whatever is written, and so does the file,
// however often writing fails.
func TestStoreAgainstModel(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	model, table := map[string]string{}, newTable()
	table.changed, table.wake = map[string]struct{}{}, func() {}
	s := &Store{table: table, limits: Limits{Keys: 5, Bytes: 20}}
	file := map[string]string{}
	var inFlight map[string]*Value
	for step := range 20_000 {
		key := string(rune('a' + random.IntN(8)))
		switch random.IntN(5) {
		case 0, 1:
			value := strings.Repeat("v", random.IntN(8))
			err := s.Set([]byte(key), []byte(value), 0)
			was, there := model[key]
			size := len(value)
			for _, v := range model {
				size += len(v)
			}
			fits := (there || len(model) < 5) && size-len(was) <= 20 || there &&
				len(value) <= len(was)
			if (err == nil) != fits {
				t.Fatalf("step %d: setting returns %v", step, err)
			}
			if fits {
				model[key] = value
			}
		case 2, 3:
			_, there := model[key]
			if s.Delete([]byte(key)) != there {
				t.Fatalf("step %d: deleting", step)
			}
			delete(model, key)
		default:
			if inFlight == nil {
				inFlight = table.take()
				continue
			}
			if random.IntN(2) == 0 {
				table.putBack(inFlight)
			} else {
				apply(file, inFlight)
			}
			inFlight = nil
		}
		if len(table.changed) > 5+8 {
			t.Fatalf("step %d: %d changes", step, len(table.changed))
		}
	}
	apply(file, inFlight)
	apply(file, table.take())
	if fmt.Sprint(file) != fmt.Sprint(model) {
		t.Errorf("file  %v\nmodel %v", file, model)
	}
}

func apply(file map[string]string, changes map[string]*Value) {
	for key, v := range changes {
		if v == nil {
			delete(file, key)
		} else {
			file[key] = v.Data
		}
	}
}
