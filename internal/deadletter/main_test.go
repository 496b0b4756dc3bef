package deadletter

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open opens a store and closes it with the test.
func open(t testing.TB, cfg Config) *Store {
	t.Helper()
	s, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return s
}

// restart closes a store as a daemon does that ends, and opens the same file again.
func restart(t testing.TB, s *Store, cfg Config) *Store {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return open(t, cfg)
}

// file returns a path in memory if it can, since tests write as often as a disk takes seconds for.
func file(t testing.TB) string {
	dir, err := os.MkdirTemp("/dev/shm", "deadletter-")
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return filepath.Join(dir, FileName)
}

// both runs a test with a store in memory and with one in a file.
func both(t *testing.T, test func(t *testing.T, cfg Config)) {
	t.Run("memory", func(t *testing.T) { test(t, Config{}) })
	t.Run("file", func(t *testing.T) { test(t, Config{Path: file(t)}) })
}

// bothInBubbles is both with a clock that does not wait. The test closes its store.
func bothInBubbles(t *testing.T, test func(t *testing.T, cfg Config)) {
	both(t, func(t *testing.T, cfg Config) {
		synctest.Test(t, func(t *testing.T) { test(t, cfg) })
	})
}

// letter returns a letter of pod default/NAME at a version.
func letter(name string, version int) Letter {
	return Letter{Listener: "pods", Output: "hook", Reason: Refused, Error: "410 Gone", Attempts: 1,
		First: time.Unix(1e9, 0).UTC(), Last: time.Unix(1e9+1, 5).UTC(), Cluster: "c",
		Resource: "pods", Version: "v1", Plural: "pods", Kind: "Pod", Namespace: "default",
		Name: name, UID: "u-" + name, ResourceVersion: fmt.Sprint(version), Op: "update", Missed: 2,
		Resumed: true,
		Object: json.RawMessage(fmt.Sprintf(`{"metadata":{"name":%q,"resourceVersion":"%d"}}`,
			name, version)),
		Old:     json.RawMessage(`{"old":true}`),
		Message: json.RawMessage(`{"specversion":"1.0"}`)}
}

// putOne is Put without the ID.
func putOne(ctx context.Context, s *Store, l Letter) error {
	_, err := s.Put(ctx, l)
	return err
}

func put(t testing.TB, s *Store, letters ...Letter) {
	t.Helper()
	for _, l := range letters {
		if _, err := s.Put(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
}

// list returns the selected letters.
func list(t testing.TB, s *Store, q Query) (all []Letter) {
	t.Helper()
	for l, err := range s.List(context.Background(), q) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
	return all
}

// names returns NAME@VERSION of the selected letters.
func names(t testing.TB, s *Store, q Query) string {
	t.Helper()
	text := ""
	for _, l := range list(t, s, q) {
		text += fmt.Sprintf("%s@%s ", l.Name, l.ResourceVersion)
	}
	return text
}
