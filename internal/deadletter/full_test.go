package deadletter

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A letter without room is refused at once, so that whoever puts it can do something else, and
// counts as waiting until it is put again or two minutes are over.
func TestAFullStoreIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, Config{Limits: Limits{MaxBytes: 2 * sizeOf(t, letter("a", 1))}})
		put(t, s, letter("a", 1), letter("b", 1))
		full := func(l Letter) {
			t.Helper()
			begun := time.Now()
			if err := putOne(context.Background(), s, l); !errors.Is(err, errFull) {
				t.Errorf("got %v", err)
			}
			if took := time.Since(begun); took != 0 {
				t.Errorf("waited for %v", took)
			}
		}
		waiting := func(want int) {
			t.Helper()
			if n := s.Stats().Waiting; n != want {
				t.Errorf("%d are waiting, want %d", n, want)
			}
		}
		full(letter("c", 1))
		waiting(1)
		full(letter("d", 1))
		full(letter("d", 1))
		waiting(2)
		if n, err := s.Delete(list(t, s, Query{})[0].ID); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		put(t, s, letter("c", 1))
		waiting(1)
		full(letter("d", 1))
		time.Sleep(lackingFor)
		waiting(1)
		time.Sleep(time.Second)
		waiting(0)
		if _, err := s.Put(ended(), letter("d", 1)); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

// ended is a context that has ended.
func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// of returns a letter about an object of a namespace, with a text of so many bytes.
func of(namespace, name string, version, size int) Letter {
	l := letter(name, version)
	l.Namespace, l.Object = namespace, []byte(`"`+strings.Repeat("x", size)+`"`)
	return l
}

// The letters of one namespace have a share of the store, whatever it does, so that others have
// room. The newest letter of a failure replaces older ones, except those of deletes.
func TestANamespaceHasAShare(t *testing.T) {
	for _, drop := range []bool{false, true} {
		both(t, func(t *testing.T, cfg Config) {
			one := sizeOf(t, of("noisy", "a", 10, 2000))
			cfg.Limits = Limits{MaxBytes: 12 * one, NamespaceBytes: 3 * one, Drop: drop}
			s, want := open(t, cfg), errShare
			if drop {
				want = ErrDropped
			}
			refused := func(l Letter) {
				t.Helper()
				if err := putOne(t.Context(), s, l); !errors.Is(err, want) || !errors.Is(err, errShare) ||
					!strings.Contains(err.Error(), `"noisy"`) {
					t.Errorf("got %v", err)
				}
			}
			gone := of("noisy", "a", 10, 2000)
			gone.Op = "delete"
			put(t, s, gone, of("noisy", "b", 11, 2000), of("noisy", "c", 12, 2000))
			refused(of("noisy", "d", 13, 2000))
			refused(of("noisy", "a", 14, 2000))
			put(t, s, of("noisy", "b", 15, 2000), of("quiet", "a", 16, 2000), of("", "n", 17, 2000))
			if got := names(t, s, Query{}); got != "a@10 c@12 b@15 a@16 n@17 " {
				t.Errorf("got %s", got)
			}
			large := of("noisy", "e", 18, 9000)
			if err := putOne(t.Context(), s, large); !errors.Is(err, ErrTooLarge) {
				t.Errorf("got %v", err)
			}
			// Superseded letters are removed first, here those of the namespace alone.
			l := letter("", 1)
			for _, namespace := range []string{"quiet", "noisy"} {
				s.Listener(l.Listener).Delivered(Delivery{Output: l.Output, Resource: l.Resource,
					Namespace: namespace, Name: map[string]string{"quiet": "a", "noisy": "c"}[namespace],
					ResourceVersion: "99"})
			}
			put(t, s, of("noisy", "d", 19, 2000))
			refused(of("noisy", "f", 20, 2000))
			if got := names(t, s, Query{}); got != "a@10 b@15 a@16 n@17 d@19 " {
				t.Errorf("got %s", got)
			}
			s = restart(t, s, cfg)
			if cfg.Path != "" {
				refused(of("noisy", "f", 21, 2000))
				put(t, s, of("noisy", "d", 22, 2000))
			}
		})
	}
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
				st.Listeners[l.Listener].Dropped != 0 || s.all.superseded != 0 {
				t.Errorf("%+v, %d bytes superseded", st, s.all.superseded)
			}
		})
	}
}

// Objects that wait for room are put again and again, so a letter that is refused is not written first.
func TestALetterWithoutRoomCostsLittle(t *testing.T) {
	s := open(t, Config{Limits: Limits{MaxBytes: 2 << 20}})
	put(t, s, letter("a", 1))
	large := letter("b", 1)
	large.Object = []byte(`"` + strings.Repeat("x", 2<<20-100) + `"`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const times = 100
	for range times {
		if err := putOne(context.Background(), s, large); !errors.Is(err, errFull) {
			t.Fatalf("got %v", err)
		}
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / times; each > 64<<10 {
		t.Errorf("a letter of 2 MB without room takes %d bytes", each)
	}
}
