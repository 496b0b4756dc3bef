package deadletter

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// sizeOf returns how many bytes a letter takes in the store.
func sizeOf(t testing.TB, l Letter) int64 {
	t.Helper()
	record, err := newRecord(&l)
	if err != nil {
		t.Fatal(err)
	}
	return int64(len(record))
}

// The log says that letters have no room, and does not say it with each of them.
func TestFullIsSaidOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, said := letter("a", 1), 0
		s := open(t, Config{Limits: Limits{MaxBytes: sizeOf(t, one)}, Full: func(err error) {
			if said++; !errors.Is(err, errFull) {
				t.Error(err)
			}
		}})
		put(t, s, one)
		full := func(want int) {
			t.Helper()
			for _, name := range []string{"b", "c"} {
				if err := putOne(t.Context(), s, letter(name, 1)); !errors.Is(err, errFull) {
					t.Error(err)
				}
			}
			if said != want {
				t.Errorf("said %d times, want %d", said, want)
			}
		}
		full(1)
		full(1)
		time.Sleep(fullInterval)
		full(2)
		s.SetLimits(Limits{MaxBytes: sizeOf(t, one), Drop: true})
		time.Sleep(fullInterval)
		if _, err := s.Put(t.Context(), letter("b", 1)); !errors.Is(err, ErrDropped) || said != 2 {
			t.Errorf("%v, said %d times: a letter that is dropped does not wait", err, said)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if err := putOne(t.Context(), s, one); !errors.Is(err, errClosed) {
			t.Error(err)
		}
	})
}

func TestFullDrops(t *testing.T) {
	l := letter("a", 1)
	s := open(t, Config{Limits: Limits{MaxBytes: sizeOf(t, l) + 10, Drop: true}})
	put(t, s, l)
	for i := range 3 {
		if _, err := s.Put(t.Context(), letter(fmt.Sprint(i), 1)); !errors.Is(err, ErrDropped) {
			t.Errorf("got %v", err)
		}
	}
	l.Old = []byte(`"` + strings.Repeat("x", 5000) + `"`)
	if _, err := s.Put(t.Context(), l); !errors.Is(err, ErrDropped) ||
		!errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v", err)
	}
	if st := s.Stats().Listeners["pods"]; st.Dropped != 4 || st.Letters != 1 {
		t.Errorf("%+v", st)
	}
}

// A letter that never fits is another error than one without room. One that has room in a larger
// store gets it.
func TestTooLarge(t *testing.T) {
	l := letter("a", 1)
	size := sizeOf(t, l)
	s := open(t, Config{Limits: Limits{MaxBytes: size - 1}})
	_, err := s.Put(t.Context(), l)
	want := fmt.Sprintf("the dead letter is larger than all of a namespace may be: it has %d bytes, and those of a namespace may have %d", size, size-1)
	if !errors.Is(err, ErrTooLarge) || err.Error() != want {
		t.Errorf("got %v", err)
	}
	s.SetLimits(Limits{MaxBytes: size})
	put(t, s, l)
	s.SetLimits(Limits{MaxBytes: 2 * size})
	put(t, s, letter("b", 1))
	s.SetLimits(Limits{MaxBytes: 2 * size, Drop: true})
	if err := putOne(t.Context(), s, letter("c", 1)); !errors.Is(err, ErrDropped) {
		t.Errorf("got %v", err)
	}
}

func TestLettersExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, Config{Limits: Limits{MaxAge: time.Hour,
			MaxBytes: 2 * sizeOf(t, letter("a", 1))}})
		put(t, s, letter("a", 1))
		time.Sleep(30 * time.Minute)
		put(t, s, letter("b", 1))
		time.Sleep(30*time.Minute - 1)
		synctest.Wait()
		if got := names(t, s, Query{}); got != "a@1 b@1 " {
			t.Errorf("got %s", got)
		}
		if err := putOne(t.Context(), s, letter("c", 1)); !errors.Is(err, errFull) {
			t.Error(err)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		put(t, s, letter("c", 1))
		if got := names(t, s, Query{}); got != "b@1 c@1 " {
			t.Errorf("got %s", got)
		}
		s.SetLimits(Limits{MaxAge: 10 * time.Minute})
		synctest.Wait()
		if got := names(t, s, Query{}); got != "c@1 " {
			t.Errorf("got %s", got)
		}
		s.SetLimits(Limits{MaxAge: -1})
		time.Sleep(10 * 365 * 24 * time.Hour)
		synctest.Wait()
		st := s.Stats().Listeners["pods"]
		if st.Letters != 1 || st.Expired != 2 {
			t.Errorf("%+v", st)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// Letters expire in a file as well, what was there before included.
func TestLettersInAFileExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := Config{Path: file(t)}
		s := open(t, cfg)
		put(t, s, letter("a", 1), letter("b", 1))
		cfg.MaxAge = time.Second
		s = restart(t, s, cfg)
		time.Sleep(time.Second)
		synctest.Wait()
		if st := s.Stats(); st.Bytes != 0 || st.Listeners["pods"].Expired != 2 {
			t.Errorf("%+v", st)
		}
		cfg.MaxAge = 0
		s = restart(t, s, cfg)
		if got := names(t, s, Query{}); got != "" {
			t.Errorf("got %s", got)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// Order is that of Put, wherever the clock jumps, and after a restart. Letters from the future do
// not stay for longer.
func TestClockJumps(t *testing.T) {
	bothInBubbles(t, func(t *testing.T, cfg Config) {
		s := open(t, cfg)
		now := time.Now()
		want := ""
		at := func(d time.Duration) {
			s.mu.Lock()
			s.now = func() time.Time { return now.Add(d) }
			s.mu.Unlock()
		}
		for i, jump := range []time.Duration{0, time.Hour, -time.Hour, 100 * time.Hour,
			-100 * time.Hour, -10000 * time.Hour} {
			at(jump)
			if cfg.Path != "" {
				s = restart(t, s, cfg)
				at(jump)
			}
			put(t, s, letter("a", 2*i), letter("a", 2*i+1))
			want += fmt.Sprintf("a@%d a@%d ", 2*i, 2*i+1)
			if got := names(t, s, Query{}); got != want {
				t.Errorf("after a jump by %v: %s, want %s", jump, got, want)
			}
		}
		at(0)
		s.SetLimits(Limits{MaxAge: time.Hour})
		synctest.Wait()
		if got := names(t, s, Query{}); got != "a@0 a@1 a@2 a@3 a@6 a@7 " {
			t.Errorf("after an hour at least: %s", got)
		}
		at(time.Hour)
		s.SetLimits(Limits{MaxAge: time.Hour})
		synctest.Wait()
		if got := names(t, s, Query{}); got != "" {
			t.Errorf("after an hour more: %s", got)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// A letter that replaces another one is next to it, has room in a full store, and neither goes to
// the end nor gets in the way of others.
func TestReplacement(t *testing.T) {
	both(t, func(t *testing.T, cfg Config) {
		cfg.MaxBytes = 3 * sizeOf(t, letter("a", 1))
		s := open(t, cfg)
		put(t, s, letter("a", 1), letter("b", 2), letter("c", 3))
		all := list(t, s, Query{})
		id := all[1].ID
		for i := range 3 * spread { // however often it is tried
			again := letter("b", 2)
			again.ID, again.Attempts = id, i
			put(t, s, again)
			if i == 0 { // two outputs refuse it
				put(t, s, again)
			}
			if _, err := s.Delete(id); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				if got := names(t, s, Query{}); got != "a@1 b@2 b@2 c@3 " {
					t.Fatalf("got %s", got)
				}
			}
			id = list(t, s, Query{Heads: true})[1].ID
			if cfg.Path != "" && i == 50 {
				break
			}
		}
		if got := names(t, s, Query{}); got != "a@1 b@2 b@2 c@3 " {
			t.Errorf("got %s", got)
		}
		unknown := letter("d", 4)
		unknown.ID = "what is this"
		if err := putOne(t.Context(), s, unknown); !errors.Is(err, errFull) { // as one without
			t.Errorf("got %v", err)
		}
	})
}
