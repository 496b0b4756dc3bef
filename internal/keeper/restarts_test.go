package keeper

import (
	"slices"
	"testing"

	"github.com/informerd/informerd/pkg/informer"
)

// "What was open when the process before ended waits until it is asked for, and is kept until then,
// whatever other cuts and restarts there are."
func TestWhatNobodyAsksForIsKept(t *testing.T) {
	dir := t.TempDir()
	k, w := open(t, dir), filled(t, 3)
	mustTurn(t, k, w)
	want := w.text()
	for range 3 {
		k = reopen(t, dir, k)
		other := newWorld(t)
		other.informer("nodes").join("b")
		other.informers["nodes"].put(newObject(t, "n", 1, 10))
		mustTurn(t, k, other)
		delete(other.informers, "nodes")
		mustTurn(t, k, other)
	}
	k = reopen(t, dir, k)
	if got := k.text(); got != want {
		t.Errorf("there is\n%s\nwant\n%s", got, want)
	}
	if k.Stored(informerID("pods")) == nil || k.Stored(informerID("pods")) != nil {
		t.Error("it is not there once")
	}
	if l := k.Listener("a"); l == nil || k.Listener("a") != l {
		t.Error("there is nothing of the listener until it has begun")
	}
	if k.Taken("a"); k.Listener("a") != nil {
		t.Error("there is something of a listener that has begun")
	}
}

// "A listener that is not about an informer any more has no part in it", and that is not kept for
// nobody.
func TestBound(t *testing.T) {
	dir := t.TempDir()
	k, w := open(t, dir), filled(t, 3)
	for _, name := range []string{"nodes", "jobs"} {
		w.informer(name).join("a")
	}
	w.informers["nodes"].join("b")
	mustTurn(t, k, w)
	k = reopen(t, dir, k)
	k.Stored(informerID("pods"))
	others := k.Bound("a")
	slices.SortFunc(others, compareIDs)
	if want := []informer.InformerID{informerID("jobs"), informerID("nodes")}; !slices.Equal(others,
		want) {
		t.Errorf("it was about %v, want %v", others, want)
	}
	if again := k.Bound("a"); again != nil {
		t.Errorf("it was about %v", again)
	}
	mustTurn(t, k, newWorld(t))
	k = reopen(t, dir, k)
	if s := k.Stored(informerID("jobs")); s != nil {
		t.Errorf("there is %v of an informer for nobody", s)
	}
	if s := k.Stored(informerID("nodes")); s == nil || len(s.Unfinished) != 1 ||
		s.Unfinished["a"] != nil {
		t.Errorf("there is %v of the informer of another listener", s)
	}
}

// "A listener that there is no more is forgotten with all that it had."
func TestForget(t *testing.T) {
	dir := t.TempDir()
	k, w := open(t, dir), filled(t, 3)
	w.informer("nodes").join("b")
	w.listener("b")
	mustTurn(t, k, w)
	k = reopen(t, dir, k)
	if got := k.Listeners(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("there are %q", got)
	}
	k.Forget("a")
	if k.Listener("a") != nil || k.Stored(informerID("pods")) != nil {
		t.Error("it is not forgotten")
	}
	mustTurn(t, k, newWorld(t))
	k = reopen(t, dir, k)
	if got := k.Listeners(); !slices.Equal(got, []string{"b"}) {
		t.Errorf("there are %q", got)
	}
	if k.Stored(informerID("pods")) != nil || k.Stored(informerID("nodes")) == nil {
		t.Error("another informer is forgotten")
	}
}

// Another listener of that name begins with nothing, even in the same cut.
func TestForgetAndBeginAgain(t *testing.T) {
	dir := t.TempDir()
	k, w := open(t, dir), filled(t, 3)
	mustTurn(t, k, w)
	k = reopen(t, dir, k)
	k.Forget("a")
	next := newWorld(t)
	next.listener("a").changed = map[uint64]bool{} // which has nothing to be cut
	mustTurn(t, k, next)
	k = reopen(t, dir, k)
	if l := k.Listener("a"); l == nil || l.Route.Unsent() != 0 {
		t.Errorf("there is %v", l)
	}
}

// A snapshot is of the moment at which it began.
func TestBoundDuringASnapshot(t *testing.T) {
	dir := t.TempDir()
	k, w := open(t, dir), filled(t, 3)
	w.informers["pods"].join("b")
	mustTurn(t, k, w)
	k = reopen(t, dir, k)
	r := k.beginRotation()
	k.Bound("a")
	if told := r.waiting[informerID("pods")].Unfinished; len(told) != 2 {
		t.Errorf("there is %v", told)
	}
}
