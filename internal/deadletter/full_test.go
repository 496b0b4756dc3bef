package deadletter

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A letter waits for room only a little, so that whoever puts it can do something else, and counts
// as waiting until it is put again or two minutes are over.
func TestAFullStoreIsNotWaitedForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, Config{Limits: Limits{MaxBytes: 2 * sizeOf(t, letter("a", 1))}})
		put(t, s, letter("a", 1), letter("b", 1))
		full := func(l Letter, after time.Duration) {
			t.Helper()
			begun := time.Now()
			if err := putOne(context.Background(), s, l); !errors.Is(err, errFull) {
				t.Errorf("got %v", err)
			}
			if took := time.Since(begun); took != after {
				t.Errorf("waited for %v, want %v", took, after)
			}
		}
		waiting := func(want int) {
			t.Helper()
			if n := s.Stats().Waiting; n != want {
				t.Errorf("%d are waiting, want %d", n, want)
			}
		}
		full(letter("c", 1), 2*time.Second)
		waiting(1)
		full(letter("d", 1), shortPatience) // nobody finds room
		full(letter("d", 1), shortPatience)
		waiting(2)
		if n, err := s.Delete(list(t, s, Query{})[0].ID); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		put(t, s, letter("c", 1))
		waiting(1)
		full(letter("d", 1), 2*time.Second) // there was room meanwhile
		time.Sleep(lackingFor)
		waiting(1)
		time.Sleep(time.Second)
		waiting(0)
	})
}

// Superseded letters give way to others, the oldest first, whether those would wait or not.
func TestSupersededLettersGiveWay(t *testing.T) {
	for _, drop := range []bool{false, true} {
		both(t, func(t *testing.T, cfg Config) {
			cfg.Limits = Limits{MaxBytes: 3 * sizeOf(t, letter("a", 1)), Drop: drop}
			s := open(t, cfg)
			put(t, s, letter("a", 1), letter("b", 1), letter("c", 1))
			l := letter("", 1)
			for _, name := range []string{"c", "b"} {
				s.Listener(l.Listener).Delivered(Delivery{Output: l.Output, Resource: l.Resource,
					Namespace: l.Namespace, Name: name, ResourceVersion: "2"})
			}
			put(t, s, letter("d", 1))
			put(t, s, letter("e", 1))
			var got []string
			for _, l := range list(t, s, Query{}) {
				got = append(got, l.Name)
			}
			if len(got) != 3 || got[0] != "a" || got[1] != "d" || got[2] != "e" {
				t.Errorf("drop %v: %v", drop, got)
			}
			if st := s.Stats(); st.Bytes != st.MaxBytes || st.Waiting != 0 ||
				st.Listeners[l.Listener].Dropped != 0 || s.superseded != 0 {
				t.Errorf("%+v, %d bytes superseded", st, s.superseded)
			}
		})
	}
}
