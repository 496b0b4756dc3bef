package kv

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"sync"
	"testing"
)

// remote is a backing that can be away.
type remote struct {
	mu      sync.Mutex // guards what follows
	tables  map[string]map[string]Value
	err     error
	commits int
}

func (r *remote) Load(_ context.Context, table string) (map[string]Value, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.tables[table]), r.err
}

func (r *remote) Commit(ctx context.Context, changes map[string]map[string]*Value) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, bounded := ctx.Deadline(); !bounded {
		return errors.New("the commit has no end")
	}
	if r.err != nil {
		return r.err
	}
	r.commits++
	for table, values := range changes {
		if r.tables[table] == nil {
			r.tables[table] = map[string]Value{}
		}
		for key, v := range values {
			if v == nil {
				delete(r.tables[table], key)
			} else {
				r.tables[table][key] = *v
			}
		}
	}
	return nil
}

func newRemote() *remote { return &remote{tables: map[string]map[string]Value{}} }

func (r *remote) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return fmt.Sprint(r.tables, " ", r.commits)
}

func (r *remote) expect(t *testing.T, want string) {
	t.Helper()
	if got := r.String(); got != want {
		t.Errorf("the backing has %s, want %s", got, want)
	}
}

func openBacked(t *testing.T, stores *Stores, listener, shard string, backing Backing) *Store {
	t.Helper()
	s, err := stores.Open(t.Context(), Table{listener, shard, true, backing}, roomy)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Tables of a backing are written by Flush of their shard, all at once, and by the end of a table.
func TestBacking(t *testing.T) {
	var stores Stores
	zero, one := newRemote(), newRemote()
	pods := openBacked(t, &stores, "pods", "0", zero)
	nodes := openBacked(t, &stores, "nodes", "0", zero)
	other := openBacked(t, &stores, "pods", "1", one)
	pods.set(t, "a", "1", 0)
	nodes.set(t, "a", "2", 0)
	other.set(t, "a", "3", 0)
	zero.expect(t, "map[] 0")
	for range 2 { // the second one has nothing to write
		if err := stores.Flush("0"); err != nil {
			t.Fatal(err)
		}
		zero.expect(t, "map[nodes:map[a:{2 0}] pods:map[a:{1 0}]] 1")
		one.expect(t, "map[] 0")
	}
	pods.Delete([]byte("a"))
	if err := pods.Close(); err != nil {
		t.Fatal(err)
	}
	zero.expect(t, "map[nodes:map[a:{2 0}] pods:map[]] 2")
	zero.tables["pods"]["b"] = Value{"4", 0} // as another holder of the shard does
	pods = openBacked(t, &stores, "pods", "0", zero)
	expect(t, pods, "b", "4")
	closeStores(t, &stores)
	one.expect(t, "map[pods:map[a:{3 0}]] 1")
	if err := stores.Flush("1"); err != nil {
		t.Error(err)
	}
}

// What could not be written stays for the next try, also when the table has no store, and is given
// up when the shard has another backing.
func TestBackingAway(t *testing.T) {
	var stores Stores
	r := newRemote()
	s := openBacked(t, &stores, "pods", "0", r)
	r.err = errors.New("it is away")
	s.set(t, "a", "1", 0)
	for range 2 {
		if err := stores.Flush("0"); err == nil || err.Error() != "kv: it is away" {
			t.Errorf("got %v", err)
		}
	}
	expect(t, s, "a", "1")
	if err := s.Close(); err == nil || err.Error() != "it is away" {
		t.Errorf("closing returns %v", err)
	}
	if _, err := stores.Open(t.Context(), Table{"nodes", "0", true, r}, roomy); err == nil ||
		err.Error() != "it is away" {
		t.Errorf("opening returns %v", err)
	}
	s = openBacked(t, &stores, "pods", "0", r)
	expect(t, s, "a", "1")
	s.set(t, "b", "2", 0)
	if err := s.Close(); err == nil {
		t.Error("it was written")
	}
	r.err = nil
	if err := stores.Flush("0"); err != nil {
		t.Error(err)
	}
	r.expect(t, "map[pods:map[a:{1 0} b:{2 0}]] 1")
	if n := len(stores.shards["0"].open); n > 0 {
		t.Errorf("%d tables are still in memory", n)
	}
	s = openBacked(t, &stores, "pods", "0", r)
	s.set(t, "a", "lost", 0)
	r.err = errors.New("another one has the shard")
	if err := s.Close(); err == nil {
		t.Error("it was written")
	}
	next := newRemote()
	next.tables["pods"] = map[string]Value{"a": {"theirs", 0}}
	s = openBacked(t, &stores, "pods", "0", next)
	expect(t, s, "a", "theirs")
	if err := stores.Flush("0"); err != nil {
		t.Error(err)
	}
	closeStores(t, &stores)
	next.expect(t, "map[pods:map[a:{theirs 0}]] 0")
}

// Without a backing, the tables of a listener in two shards are two as well, in memory and in the
// file.
func TestShardsWithoutBacking(t *testing.T) {
	stores := onDisk(t)
	for _, keep := range []bool{false, true} {
		for _, shard := range []string{"", "0", "1"} {
			s, err := stores.Open(t.Context(), Table{Listener: "pods", Shard: shard, Keep: keep}, roomy)
			if err != nil {
				t.Fatal(err)
			}
			expect(t, s, "a", "-")
			s.set(t, "a", shard, 0)
		}
	}
	if err := stores.Flush("1"); err != nil { // the file is one
		t.Error(err)
	}
	stores = restart(t, stores)
	for _, shard := range []string{"", "0", "1"} {
		s, err := stores.Open(t.Context(), Table{Listener: "pods", Shard: shard, Keep: true}, roomy)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, s, "a", shard)
	}
}

// A flush that takes long holds up neither other shards nor what handlers do.
func TestSlowBacking(t *testing.T) {
	stores := &Stores{Path: filepath.Join(t.TempDir(), "kv.db"), Log: slog.New(slog.DiscardHandler)}
	slow, quick := newRemote(), newRemote()
	s, other := openBacked(t, stores, "pods", "0", slow), openBacked(t, stores, "pods", "1", quick)
	s.set(t, "a", "1", 0)
	other.set(t, "a", "1", 0)
	slow.mu.Lock()
	done := make(chan error)
	go func() { done <- stores.Flush("0") }()
	s.set(t, "b", "2", 0)
	if err := stores.Flush("1"); err != nil {
		t.Error(err)
	}
	openBacked(t, stores, "nodes", "1", quick)
	if err := stores.Flush(""); err != nil {
		t.Error(err)
	}
	slow.mu.Unlock()
	if err := <-done; err != nil {
		t.Error(err)
	}
	closeStores(t, stores)
	if got := slow.tables["pods"]; len(got) != 2 {
		t.Errorf("the backing has %v", got)
	}
}
