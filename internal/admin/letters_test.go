package admin

import (
	"context"
	"errors"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/deadletter"
)

// everywhere runs a test with the letters of a daemon, and with those of a store in this process.
func everywhere(t *testing.T, test func(t *testing.T, d DeadLetters, s *deadletter.Store)) {
	t.Run("client", func(t *testing.T) {
		s, dir := store(t, "a", "b", "c"), t.TempDir()
		serve(t, dir, Functions{Letters: s, Filter: named})
		test(t, dial(t, dir), s)
	})
	t.Run("local", func(t *testing.T) {
		s := store(t, "a", "b", "c")
		test(t, &Local{Store: s, Filter: named}, s)
	})
}

func TestList(t *testing.T) {
	everywhere(t, func(t *testing.T, d DeadLetters, s *deadletter.Store) {
		var ids []string
		for l, err := range d.List(t.Context(), Selection{}) {
			var want deadletter.Letter
			for want = range s.List(t.Context(), deadletter.Query{IDs: []string{l.ID}}) {
			}
			if err != nil || !reflect.DeepEqual(l, want) {
				t.Errorf("%+v, want %+v; %v", l, want, err)
			}
			ids = append(ids, l.ID)
		}
		for l := range d.List(t.Context(), Selection{Query: deadletter.Query{Heads: true}, Filter: "name b"}) {
			if l.Object != nil {
				t.Error("there is more than the head")
			}
		}
		for range d.List(t.Context(), Selection{}) {
			break // and nothing is left over
		}
		for _, test := range []struct {
			s    Selection
			want string
		}{
			{Selection{}, "a b c "},
			{Selection{Query: deadletter.Query{Limit: 2}}, "a b "},
			{Selection{Query: deadletter.Query{IDs: ids[1:]}}, "b c "},
			{Selection{Query: deadletter.Query{Listener: "nodes"}}, ""},
			{Selection{Query: deadletter.Query{Output: "hook"}}, ""},
			{Selection{Query: deadletter.Query{Reason: deadletter.Refused}}, "a b c "},
			{Selection{Query: deadletter.Query{OlderThan: 1 << 50}}, ""},
			{Selection{Filter: "name b"}, "b "},
			{Selection{Query: deadletter.Query{Limit: 1}, Filter: "name c"}, "c "},
			{Selection{Filter: "fails b"}, "a !dead letter ID: it failedc "},
			{Selection{Filter: "broken"}, `!no expression: "broken"`},
		} {
			if got := names(t, d, test.s); got != test.want {
				t.Errorf("%+v: %s, want %s", test.s, got, test.want)
			}
		}
	})
}

func TestDrop(t *testing.T) {
	everywhere(t, func(t *testing.T, d DeadLetters, s *deadletter.Store) {
		for _, test := range []struct {
			s         Selection
			n         int
			err, left string
		}{
			{Selection{}, 0, "no letters were selected", "a b c "},
			{Selection{Query: deadletter.Query{Heads: true, Limit: 1}}, 0, "no letters were selected", "a b c "},
			{Selection{Filter: "broken"}, 0, `no expression: "broken"`, "a b c "},
			{Selection{Query: deadletter.Query{Listener: "nodes"}}, 0, "", "a b c "},
			{Selection{Filter: "fails b"}, 2, "it failed", "b "},
			{Selection{All: true}, 1, "", ""},
		} {
			n, err := d.Drop(t.Context(), test.s)
			if n != test.n || (err == nil) != (test.err == "") ||
				err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("%+v: %d, %v", test.s, n, err)
			}
			if got := names(t, d, Selection{}); got != test.left {
				t.Errorf("%+v: %s, want %s", test.s, got, test.left)
			}
		}
	})
}

// replayer puts letters back that are named in it, and removes the others.
type replayer struct {
	*testing.T
	store  *deadletter.Store
	fails  string
	module string
	force  bool
	began  chan struct{}
}

func (r *replayer) replay(ctx context.Context, letters iter.Seq2[deadletter.Letter, error],
	module []byte, force bool, report func(Outcome)) error {
	r.module, r.force = string(module), force
	if r.began != nil {
		close(r.began)
		<-ctx.Done()
		return ctx.Err()
	}
	for l, err := range letters {
		if err != nil {
			return err
		}
		o := Outcome{ID: l.ID, Result: Delivered}
		if l.Name == r.fails {
			o.Result, o.Error = Failed, "410 Gone"
			if _, err := r.store.Put(ctx, l); err != nil {
				return err
			}
		}
		if _, err := r.store.Delete(l.ID); err != nil {
			return err
		}
		report(o)
	}
	if r.module == "broken" {
		return errors.New("the module does not load")
	}
	return nil
}

func TestReplay(t *testing.T) {
	s, dir := store(t, "a", "b", "c"), t.TempDir()
	r := &replayer{T: t, store: s, fails: "b"}
	serve(t, dir, Functions{Letters: s, Filter: named, Replay: r.replay})
	c := dial(t, dir)
	before := slices.Collect(func(yield func(string) bool) {
		for l := range c.List(t.Context(), Selection{Query: deadletter.Query{Heads: true}}) {
			yield(l.ID)
		}
	})
	var results []string
	report := func(o Outcome) {
		results = append(results, strings.TrimSpace(o.Result+" "+o.Error))
		if o.ID != before[len(results)-1] {
			t.Errorf("%+v out of turn", o)
		}
	}
	module := strings.Repeat("module\n", 1<<17)
	if err := c.Replay(t.Context(), Selection{All: true}, []byte(module), report); err != nil {
		t.Fatal(err)
	}
	want := []string{"delivered", "failed 410 Gone", "delivered"}
	if !slices.Equal(results, want) || r.module != module {
		t.Errorf("%q, module of %d bytes", results, len(r.module))
	}
	if got := names(t, c, Selection{}); got != "b " || r.force {
		t.Errorf("left: %s, force %t", got, r.force)
	}
	if err := c.Replay(t.Context(), Selection{Force: true}, nil, report); err == nil {
		t.Error("force has selected something")
	}
	if err := c.Replay(t.Context(), Selection{Force: true, Query: deadletter.Query{Listener: "nodes"}}, nil,
		report); err != nil || !r.force {
		t.Errorf("%v, force %t", err, r.force)
	}
	if err := c.Replay(t.Context(), Selection{}, nil, report); err == nil ||
		err.Error() != "no letters were selected" {
		t.Errorf("got %v", err)
	}
	if err := c.Replay(t.Context(), Selection{Query: deadletter.Query{Listener: "nodes"}}, []byte("broken"),
		report); err == nil || err.Error() != "the module does not load" {
		t.Errorf("got %v", err)
	}
	local := Local{Store: s}
	if err := local.Replay(t.Context(), Selection{All: true}, nil, nil); !errors.Is(err,
		ErrNeedsDaemon) {
		t.Errorf("got %v", err)
	}
}

// A second replay is refused while one is under way, and one ends when its client leaves.
func TestOneReplay(t *testing.T) {
	s, dir := store(t, "a"), t.TempDir()
	r := &replayer{T: t, store: s, began: make(chan struct{})}
	serve(t, dir, Functions{Letters: s, Replay: r.replay})
	c := dial(t, dir)
	ctx, leave := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Replay(ctx, Selection{All: true}, nil, func(Outcome) {}) }()
	<-r.began
	if err := c.Replay(t.Context(), Selection{All: true}, nil, nil); err == nil ||
		err.Error() != "another replay is under way: wait for its end" {
		t.Errorf("got %v", err)
	}
	leave()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if got := names(t, c, Selection{}); got != "a " {
		t.Errorf("left: %s", got)
	}
}
