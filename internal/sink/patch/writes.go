package patch

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Writes knows what patches have made of objects: which versions are own writes of a listener, and
// which objects change too often. The outputs of a daemon share it. It is safe for concurrent use.
// Make one with NewWrites.
type Writes struct {
	stats struct{ changed, unchanged, skipped, pauses atomic.Uint64 }

	mu       sync.Mutex // guards clusters, and the listeners of each
	clusters map[string]*inCluster
}

// inCluster is what patches have made of the objects of one cluster.
type inCluster struct {
	loops     *loops
	versions  versions
	listeners map[string]*Own
}

// NewWrites returns a Writes that knows of no patch.
func NewWrites() *Writes { return &Writes{clusters: map[string]*inCluster{}} }

// in returns what is known of a cluster.
func (w *Writes) in(cluster string) *inCluster {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.inLocked(cluster)
}

func (w *Writes) inLocked(cluster string) *inCluster {
	c := w.clusters[cluster]
	if c == nil {
		c = &inCluster{loops: newLoops(), listeners: map[string]*Own{}, versions: versions{
			renewed: map[schema.GroupVersionResource]string{},
			missing: map[schema.GroupVersionResource]time.Time{},
		}}
		w.clusters[cluster] = c
	}
	return c
}

// Forget forgets what is known of a cluster that has left.
func (w *Writes) Forget(cluster string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.clusters, cluster)
}

// Stats are what outputs have done since the daemon began.
type Stats struct {
	Changed, Unchanged uint64 // patches that changed an object, or did not
	Skipped            uint64 // messages without anything to patch
	Pauses             uint64 // times that an object's patches were paused
}

// Stats returns the counters.
func (w *Writes) Stats() Stats {
	s := &w.stats
	return Stats{s.changed.Load(), s.unchanged.Load(), s.skipped.Load(), s.pauses.Load()}
}

// Of returns the own writes of a listener in a cluster. It is the same for all calls with both
// names, until the cluster is forgotten.
func (w *Writes) Of(cluster, listener string) *Own {
	w.mu.Lock()
	defer w.mu.Unlock()
	listeners := w.inLocked(cluster).listeners
	o := listeners[listener]
	if o == nil {
		o = &Own{objects: map[string]*written{}}
		listeners[listener] = o
	}
	return o
}

const (
	ownWait  = 5 * time.Second // the longest that an event waits for an answer
	ownKept  = 5 * time.Minute // how long a version is known
	maxKnown = 50_000          // versions of a listener
)

// Own knows the own writes of one listener in one cluster.
type Own struct {
	known atomic.Int64 // len(objects), so that most events take no lock

	mu      sync.Mutex // guards the fields below
	objects map[string]*written
	order   []version // all versions, oldest first; some are forgotten
}

// written is what is known of an object. There is one while a patch is under way or a version is
// known.
type written struct {
	underWay int
	answered chan struct{} // closed when the next patch ends
	versions map[string]madeOf
}

// madeOf is what a version was made of.
type madeOf struct {
	base  string // the version before
	until time.Time
}

type version struct{ id, text string }

// idOf returns what identifies an object. Some aggregated APIs have no uids.
func idOf(o *object.Object) string {
	if uid := o.UID(); uid != "" {
		return uid
	}
	return o.Kind() + " " + o.Key().String()
}

// begin records that a patch of an object is under way. The caller calls done with its result: the
// version that the patch made, "" if it made none, and of which one.
func (o *Own) begin(id string) (done func(made, base string)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	w := o.objects[id]
	if w == nil {
		w = &written{answered: make(chan struct{}), versions: map[string]madeOf{}}
		o.objects[id] = w
		o.known.Store(int64(len(o.objects)))
	}
	w.underWay++
	return func(made, base string) { o.end(id, w, made, base) }
}

func (o *Own) end(id string, w *written, made, base string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	w.underWay--
	close(w.answered)
	w.answered = make(chan struct{})
	if made != "" {
		w.versions[made] = madeOf{base, time.Now().Add(ownKept)}
		o.order = append(o.order, version{id, made})
	}
	o.forgetOldest()
	o.release(id, w)
}

// release forgets an object of which nothing is known.
func (o *Own) release(id string, w *written) {
	if w.underWay == 0 && len(w.versions) == 0 && o.objects[id] == w {
		delete(o.objects, id)
		o.known.Store(int64(len(o.objects)))
	}
}

// forgetOldest removes versions that have expired or are too many, and those at the front that are
// forgotten already.
func (o *Own) forgetOldest() {
	now, n := time.Now(), 0
	for ; n < len(o.order); n++ {
		oldest := o.order[n]
		w := o.objects[oldest.id]
		if w == nil {
			continue
		}
		v, ok := w.versions[oldest.text]
		if ok && now.Before(v.until) && len(o.order)-n <= maxKnown {
			break
		}
		delete(w.versions, oldest.text)
		o.release(oldest.id, w)
	}
	o.order = o.order[n:]
}

// Own reports whether an event is an update that a patch of the listener made: from its old state
// to the new one. It waits for the answer to a patch of the object that is under way, for a few
// seconds at most, or until ctx is done; then the event is not own.
func (o *Own) Own(ctx context.Context, e *event.Event) bool {
	if o.known.Load() == 0 {
		return false
	}
	mayBe := e.Op == event.Update && e.Missed == 0 && e.Old != nil
	id, seen := idOf(e.Object), e.Object.ResourceVersion()
	var timeout <-chan time.Time
	for {
		base, known, answered := o.look(id, seen)
		switch {
		case !mayBe:
			return false
		case known:
			return base == e.Old.ResourceVersion()
		case answered == nil:
			return false
		}
		if timeout == nil {
			timer := time.NewTimer(ownWait)
			defer timer.Stop()
			timeout = timer.C
		}
		select {
		case <-answered:
		case <-timeout:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// look returns of which version a patch made the one that is seen, and whether that is known. If
// not, and a patch is under way, answered is closed when that ends. Older versions of the object
// are forgotten.
func (o *Own) look(id, seen string) (base string, known bool, answered <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	w := o.objects[id]
	if w == nil {
		return "", false, nil
	}
	made, known := w.versions[seen]
	known = known && time.Now().Before(made.until)
	for v := range w.versions {
		if older(v, seen) {
			delete(w.versions, v)
		}
	}
	if !known && w.underWay > 0 {
		answered = w.answered
	}
	o.release(id, w)
	return made.base, known, answered
}

// older reports whether a version is known to be older than another one of the same object.
// Kubernetes' are numbers that grow; others are not compared.
func older(a, b string) bool {
	x := object.ParseVersion(a)
	return x > 0 && x < object.ParseVersion(b)
}
