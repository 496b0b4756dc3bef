package kv

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var roomy = Limits{Keys: 100, Bytes: 1 << 20}

func memory(t testing.TB, limits Limits) *Store {
	t.Helper()
	return openStore(t, &Stores{}, "pods", limits, false)
}

func openStore(t testing.TB, stores *Stores, listener string, limits Limits, keep bool) *Store {
	t.Helper()
	s, err := stores.Open(t.Context(), Table{Listener: listener, Keep: keep}, limits)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// onDisk returns stores with a file, closed with the test.
func onDisk(t testing.TB) *Stores {
	t.Helper()
	stores := &Stores{Path: filepath.Join(t.TempDir(), "kv.db"), Log: slog.New(slog.DiscardHandler)}
	t.Cleanup(func() { closeStores(t, stores) })
	return stores
}

func closeStores(t testing.TB, stores *Stores) {
	t.Helper()
	if err := stores.Close(); err != nil {
		t.Errorf("closing the stores: %v", err)
	}
}

func (s *Store) set(t testing.TB, key, value string, ttl time.Duration) {
	t.Helper()
	if err := s.Set([]byte(key), []byte(value), ttl); err != nil {
		t.Fatalf("setting %q: %v", key, err)
	}
}

// value returns what a key has, - for nothing.
func (s *Store) value(key string) string {
	if v, ok := s.Get([]byte(key)); ok {
		return v
	}
	return "-"
}

func expect(t testing.TB, s *Store, key, want string) {
	t.Helper()
	if got := s.value(key); got != want {
		t.Errorf("%q has %q, want %q", key, got, want)
	}
}
