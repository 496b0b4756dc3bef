package deadletter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/bbolt"
)

func TestLettersComeBack(t *testing.T) {
	both(t, func(t *testing.T, cfg Config) {
		s := open(t, cfg)
		want := letter("a", 1)
		bare := Letter{Listener: "nodes", Reason: FilterFailed}
		huge := letter("b", 2)
		huge.Object = json.RawMessage(`"` + strings.Repeat("o", 3<<20) + `"`)
		huge.Old = json.RawMessage(`"` + strings.Repeat("p", 3<<20) + `"`)
		put(t, s, want, bare, huge)
		for range 2 {
			all := list(t, s, Query{})
			if len(all) != 3 {
				t.Fatalf("%d letters", len(all))
			}
			for i, w := range []Letter{want, bare, huge} {
				got := all[i]
				if age := time.Since(got.Stored); age < 0 || age > time.Minute ||
					len(got.ID) != 16 {
					t.Errorf("stored %v ago as %q", age, got.ID)
				}
				w.ID, w.Stored = got.ID, got.Stored
				if !reflect.DeepEqual(got, w) {
					t.Errorf("letter %d is %.300v, want %.300v", i, got, w)
				}
			}
			for _, head := range list(t, s, Query{Heads: true}) {
				if head.Object != nil || head.Old != nil || head.Message != nil ||
					head.Reason == "" {
					t.Errorf("a head is %.300v", head)
				}
			}
			if cfg.Path != "" {
				s = restart(t, s, cfg)
			}
		}
	})
}

// Who has no folder for letters learns that with the first one, once.
func TestInMemoryIsSaidOnce(t *testing.T) {
	both(t, func(t *testing.T, cfg Config) {
		said, want := 0, 0
		cfg.InMemory = func() { said++ }
		s := open(t, cfg)
		for range 3 {
			if said != want {
				t.Errorf("said %d times, want %d", said, want)
			}
			put(t, s, letter("a", 1))
			if cfg.Path == "" {
				want = 1
			}
		}
	})
}

func TestDelete(t *testing.T) {
	both(t, func(t *testing.T, cfg Config) {
		s := open(t, cfg)
		put(t, s, letter("a", 1), letter("b", 2), letter("c", 3))
		all := list(t, s, Query{})
		if n, err := s.Delete(all[0].ID, all[2].ID, all[0].ID, "none", ""); n != 2 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		if n, err := s.Delete(all[0].ID); n != 0 || err != nil {
			t.Errorf("again: %d, %v", n, err)
		}
		if got := names(t, s, Query{}); got != "b@2 " {
			t.Errorf("left: %s", got)
		}
		if st := s.Stats(); st.Letters != 1 || st.Listeners["pods"].Letters != 1 ||
			st.Bytes != sizeOf(t, all[1]) {
			t.Errorf("%+v", st)
		}
		if _, err := s.Delete(all[1].ID); err != nil {
			t.Fatal(err)
		}
		if st := s.Stats(); st.Bytes != 0 || st.Letters != 0 || !s.Listener("pods").Empty() {
			t.Errorf("%+v", st)
		}
	})
}

func TestQuery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, Config{})
		a, b, c := letter("a", 1), letter("b", 2), letter("c", 3)
		b.Listener, b.Output, b.Reason = "other", "", HandlerFailed
		put(t, s, a)
		time.Sleep(time.Hour)
		put(t, s, b, c)
		all := list(t, s, Query{})
		for _, test := range []struct {
			q    Query
			want string
		}{
			{Query{}, "a@1 b@2 c@3 "},
			{Query{Listener: "pods"}, "a@1 c@3 "},
			{Query{Output: "hook", Limit: 1}, "a@1 "},
			{Query{Reason: HandlerFailed}, "b@2 "},
			{Query{OlderThan: time.Hour}, "a@1 "},
			{Query{OlderThan: time.Hour + 1}, ""},
			{Query{IDs: []string{all[2].ID, all[0].ID, all[2].ID, "x"}}, "a@1 c@3 "},
			{Query{IDs: []string{all[2].ID, all[1].ID}, Listener: "other"}, "b@2 "},
			{Query{IDs: []string{}}, ""},
		} {
			if got := names(t, s, test.q); got != test.want {
				t.Errorf("%+v: %s, want %s", test.q, got, test.want)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// A list, while letters come and go, has each that was there all the time.
func TestListWhileLettersComeAndGo(t *testing.T) {
	both(t, func(t *testing.T, cfg Config) {
		s := open(t, cfg)
		const n = 768
		done := make(chan error, n)
		for i := range n {
			go func() { done <- putOne(context.Background(), s, letter(fmt.Sprint(i), i)) }()
		}
		for range n {
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
		seen, last := 0, ""
		for l, err := range s.List(t.Context(), Query{}) {
			if err != nil || l.ID <= last {
				t.Fatalf("%s after %s, %v", l.ID, last, err)
			}
			last = l.ID
			if l.Name != "new" {
				seen++
			}
			if seen%100 == 1 {
				put(t, s, letter("new", 1))
				if _, err := s.Delete(l.ID); err != nil {
					t.Fatal(err)
				}
			}
			if seen == n {
				break
			}
		}
		if seen != n {
			t.Errorf("%d letters, want %d", seen, n)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for _, err := range s.List(ctx, Query{}) {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		}
	})
}

// A letter that goes while a list is under way is left out.
func TestListWithoutWhatGoes(t *testing.T) {
	both(t, func(t *testing.T, cfg Config) {
		s := open(t, cfg)
		put(t, s, letter("a", 1), letter("b", 2), letter("c", 3))
		all, got := list(t, s, Query{}), ""
		for l, err := range s.List(t.Context(), Query{}) {
			if err != nil {
				t.Fatal(err)
			}
			got += l.Name
			if _, err := s.Delete(all[1].ID); err != nil {
				t.Fatal(err)
			}
		}
		if got != "ac" {
			t.Errorf("got %s", got)
		}
	})
}

// While the disk fails, everything fails and nothing is forgotten; then it goes on.
func TestDiskFailsForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := Config{Path: file(t), Limits: Limits{MaxAge: time.Hour}}
		s := open(t, cfg)
		put(t, s, letter("a", 1))
		time.Sleep(30 * time.Minute)
		put(t, s, letter("b", 1))
		id := list(t, s, Query{})[1].ID
		good := s.db
		failing := open(t, Config{Path: file(t)})
		if err := failing.Close(); err != nil {
			t.Fatal(err)
		}
		set := func(db *bbolt.DB) {
			synctest.Wait()
			s.mu.Lock()
			s.db = db
			s.mu.Unlock()
		}
		set(failing.db)
		want := failing.db.Path() + ": database not open"
		if _, err := s.Put(t.Context(), letter("c", 1)); err == nil ||
			!strings.HasSuffix(err.Error(), want) {
			t.Errorf("Put: %v", err)
		}
		if n, err := s.Delete(id); err == nil || n != 0 {
			t.Errorf("Delete: %d, %v", n, err)
		}
		s.Listener("pods").Delivered(Delivery{Output: "hook", Resource: "pods",
			Namespace: "default", Name: "b", ResourceVersion: "2"})
		time.Sleep(31 * time.Minute) // a would be gone
		if st := s.Stats(); st.Letters != 2 || st.Listeners["pods"].Expired != 0 {
			t.Errorf("%+v", st)
		}
		set(good)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if st := s.Stats(); st.Letters != 1 || st.Listeners["pods"].Expired != 1 {
			t.Errorf("%+v", st)
		}
		s = restart(t, s, cfg)
		if got := superseded(t, s); got != "b@1hook" {
			t.Errorf("got %s", got)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestFileIsPrivate(t *testing.T) {
	cfg := Config{Path: file(t)}
	if err := os.WriteFile(cfg.Path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	put(t, open(t, cfg), letter("a", 1))
	info, err := os.Stat(cfg.Path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestClosed(t *testing.T) {
	both(t, func(t *testing.T, cfg Config) {
		s := open(t, cfg)
		put(t, s, letter("a", 1))
		id := list(t, s, Query{})[0].ID
		for range 2 {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Put(t.Context(), letter("b", 1)); !errors.Is(err, errClosed) {
			t.Errorf("Put: %v", err)
		}
		if _, err := s.Delete(id); !errors.Is(err, errClosed) {
			t.Errorf("Delete: %v", err)
		}
		s.Listener("pods").Delivered(Delivery{})
	})
}
