package e2e

import (
	"context"
	"os"
	"strconv"
	"syscall"
	"testing"
)

var (
	objects  = 5000 // when informerd ends
	changed  = 500  // of them, and as many are deleted, and as many are new; with STRESS=full ten times as many
	replaced = 100  // by another one of the name
)

// TestNothingIsMissedWhileItIsAway has informerd end while thousands of objects change, and checks
// that it then tells exactly that, with no list but one of one object, which shows that the server
// has not gone back; and with a list if the history is gone.
func TestNothingIsMissedWhileItIsAway(t *testing.T) {
	needs(t)
	t.Parallel()
	if os.Getenv("STRESS") == "full" {
		objects, changed = 12_000, 5000
	}
	c := newCluster(t)
	a := newAway(t, c)
	a.create(t, objects)
	p := a.start(t)
	a.expect(t, p, "the first list")
	for _, way := range []struct {
		name      string
		signal    syscall.Signal
		compacted bool
	}{
		{"killed", syscall.SIGKILL, false},
		{"stopped", syscall.SIGTERM, false},
		{"killed, and the history is compacted", syscall.SIGKILL, true},
	} {
		if t.Failed() {
			return
		}
		a.settle(t, p)
		a.end(t, p, way.signal)
		a.change(t)
		if way.compacted {
			a.compact(t)
		}
		before := a.lists(t)
		p = a.start(t)
		a.expect(t, p, way.name)
		want := 1.0
		if way.compacted {
			want = 2
		}
		got := a.lists(t) - before
		t.Logf("%s: %v lists", way.name, got)
		if got != want {
			t.Errorf("%s: the API server has served %v lists, want %v", way.name, got, want)
		}
	}
	a.end(t, p, syscall.SIGTERM)
}

// lists returns how many lists the API server has served, by pages or as the beginning of a watch.
func (a *away) lists(t *testing.T) (n float64) {
	t.Helper()
	err := a.cluster.retry(func(ctx context.Context) error {
		text, err := a.cluster.discovery.RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
		if err != nil {
			return err
		}
		paged, _, err := sum(string(text), "apiserver_request_total",
			[]string{"verb=LIST", "resource=configmaps", "scope=cluster"})
		streamed, _, _ := sum(string(text), "apiserver_watch_list_duration_seconds_count",
			[]string{"resource=configmaps", "scope=cluster"}) // there is none before the first
		n = paged + streamed
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// compact removes the history from etcd, and from the watch cache of the API server, which ends
// with it.
func (a *away) compact(t *testing.T) {
	t.Helper()
	revision := uint64(0)
	for _, s := range a.now {
		version, err := strconv.ParseUint(s.version, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		revision = max(revision, version)
	}
	if err := a.cluster.compactEtcd(t.Context(), revision); err != nil {
		t.Fatal(err)
	}
	if err := a.cluster.killAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := a.cluster.restartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
}
