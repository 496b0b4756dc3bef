package keeper

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/informerd/informerd/internal/checkpoint"
	"github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

const (
	// Interval is how often there is a cut at most, unless somebody waits for one.
	Interval = 200 * time.Millisecond
	// PublishInterval is the same for a keeper that publishes, which makes one within PublishSoon
	// if somebody waits for it.
	PublishInterval = 2 * time.Second
	PublishSoon     = 200 * time.Millisecond
	// VersionInterval is how often there is a cut with nothing but new versions of informers.
	VersionInterval = 10 * time.Second
)

// Source is what cuts are made of. All of it must be safe to call at any time while Run runs.
type Source struct {
	Informers interface {
		Cut() []informer.InformerCut
		CutAndWhole() (last, whole []informer.InformerCut)
		Kept(subscriptions []string) (waiting bool)
	}
	// Listeners returns those that go on after a restart.
	Listeners func() []Cutter
	// Flush writes the values that handlers have stored. If it fails, a keeper that publishes tries
	// again later, but for the last time.
	Flush func() error
}

// Cutter is a listener of which cuts are made.
type Cutter interface {
	Name() string
	// Select is the expression by which the listener has its objects.
	Select() string
	// Cut and Whole are as those of a route.
	Cut(to record.Writer)
	Whole(to record.Writer)
}

// target is where cuts go.
type target interface {
	informer(*informer.InformerCut)
	informerEnded(informer.InformerID)
	unbound(id informer.InformerID, listener string)
	forgotten(listener string)
	// listener returns where the records of a listener go, until the next call.
	listener(name string) record.Writer
	// empty reports whether the cut has nothing so far, and end ends it.
	empty() bool
	end() error
}

// Keeper keeps the state of a daemon. Make one with Open or Publish.
type Keeper struct {
	// Continue has Run go on without a checkpoint after an error of the disk. Set it before Run.
	Continue bool

	store     *checkpoint.Store // nil if it publishes
	published *progress         // nil if it does not
	due       func() bool       // whether a snapshot pays
	log       *slog.Logger

	written atomic.Int64 // bytes

	mu sync.Mutex // guards what follows
	// waiting is what nobody has asked for yet.
	waiting map[informer.InformerID]*informer.Stored
	loaded  map[string]*Listener
	begun   map[informer.InformerID]string // informers that have asked since the last cut
	unbound []unbound
	forgot  []string
	asked   []chan error // of those that wait for the next cut
	wake    chan struct{}
	err     error // why there are no more cuts
	stats   Stats // but for Written

	// What follows belongs to Run.
	out      target
	selects  map[string]string              // of listeners, as they were written last
	alive    map[informer.InformerID]string // versions of informers in the cut before
	versions time.Time                      // when they were written last
	killed   map[informer.InformerID]bool   // what the cut before has of their Killed
	held     bool                           // a listener waits for a cut
	waits    bool                           // for values of handlers to be written
	rotation *rotation
}

// unbound is an informer in which a listener has no part any more.
type unbound struct {
	id       informer.InformerID
	listener string
}

// Open reads what a folder has, which it makes if there is none. Close the keeper, or Run it.
func Open(dir string, log *slog.Logger) (*Keeper, error) {
	store, err := checkpoint.Open(dir)
	if err != nil {
		return nil, err
	}
	s := newState()
	var informers map[informer.InformerID]*informer.Stored
	var listeners map[string]*Listener
	if err = store.Load(s.add); err == nil {
		informers, listeners, err = s.stored()
	}
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	k := &Keeper{store: store, due: store.Due, log: log, loaded: listeners,
		wake: make(chan struct{}, 1), waiting: informers,
		begun: map[informer.InformerID]string{}, selects: map[string]string{},
		alive: map[informer.InformerID]string{}, killed: map[informer.InformerID]bool{}}
	for name, l := range listeners {
		k.selects[name] = l.Select
	}
	out := &writer{write: k.write(k.store.Commit)}
	for id, stored := range informers { // anything may be delivered after the first cut
		if !stored.Killed {
			out.settled(id, false)
		}
	}
	k.out = out
	return k, nil
}

// Stored returns what there is of an informer, nil if nothing, and is called once for each
// informer that begins. That one is in each cut which is made after Stored has returned, until it
// ends.
func (k *Keeper) Stored(id informer.InformerID) *informer.Stored {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.waiting[id]
	if s != nil {
		delete(k.waiting, id)
		k.begun[id] = s.Version
	}
	return s
}

// Listener returns what there is of a listener, nil if nothing.
func (k *Keeper) Listener(name string) *Listener {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.loaded[name]
}

// Taken notes that a listener has what there was of it: its cuts follow.
func (k *Keeper) Taken(name string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.loaded, name)
}

// Listeners returns the names of the listeners that there were when the keeper was opened.
func (k *Keeper) Listeners() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Sorted(maps.Keys(k.loaded))
}

// Objects returns the objects of the informers that a listener was about, as far as nobody has asked
// for them.
func (k *Keeper) Objects(name string) map[event.Key]*object.Object {
	k.mu.Lock()
	defer k.mu.Unlock()
	all := map[event.Key]*object.Object{}
	for _, s := range k.waiting {
		if _, has := s.Unfinished[name]; has {
			for _, o := range s.Objects {
				all[o.Key()] = o
			}
		}
	}
	return all
}

// Bound notes that a listener is about the informers that it is bound to by now, and no others. It
// returns the others that it was about.
func (k *Keeper) Bound(name string) (others []informer.InformerID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, s := range k.waiting {
		if _, has := s.Unfinished[name]; has {
			others = append(others, id)
			k.unbindLocked(id, name)
		}
	}
	return others
}

func (k *Keeper) unbindLocked(id informer.InformerID, listener string) {
	s := k.waiting[id]
	k.unbound = append(k.unbound, unbound{id, listener})
	if delete(s.Unfinished, listener); len(s.Unfinished) == 0 {
		delete(k.waiting, id)
	}
}

// ForgetWith is Forget for a listener nobody takes what it had of, which is logged with the reason.
func (k *Keeper) ForgetWith(reason any, name string) {
	had, open := k.Listener(name).Route, 0
	if r := had.Rules(); r != nil {
		open = r.Open()
	}
	if n := had.Unsent(); n+open > 0 {
		k.log.Warn("what a listener had not sent is forgotten, and violations stay open at its outputs",
			"listener", name, "unsent", n, "violations", open, "reason", reason)
	}
	k.Forget(name)
}

// Forget forgets a listener that there is no more.
func (k *Keeper) Forget(name string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.loaded, name)
	k.forgot = append(k.forgot, name)
	for id, s := range k.waiting {
		if _, has := s.Unfinished[name]; has {
			k.unbindLocked(id, name)
		}
	}
}

// Run makes cuts until ctx is done, and a last one then. It returns the error of the disk. Nothing
// may be delivered before the first cut, for which Await can wait, and after ctx is done: Run notes
// that nothing was.
func (k *Keeper) Run(ctx context.Context, from Source) error {
	interval, wait := Interval, time.Duration(0)
	if k.published != nil {
		interval, wait = PublishInterval, PublishSoon
	}
	tick := time.NewTicker(interval)
	defer tick.Stop()
	var soon <-chan time.Time
	for {
		last := false
		select {
		case <-tick.C:
		case <-soon:
			soon = nil
		case <-k.wake:
			if wait > 0 { // there may be others soon, who do not put it off
				if soon == nil {
					soon = time.After(wait)
				}
				continue
			}
		case <-ctx.Done():
			last = true
			if k.published != nil {
				k.published.last = true
			}
		}
		err := k.turn(from, last)
		if k.held && wait > 0 && soon == nil {
			soon = time.After(wait)
		}
		if err == nil && last {
			err = k.settle()
		}
		if err != nil || last {
			return k.end(err)
		}
	}
}

// errEnded is the error of those that wait for a cut when there are no more.
var errEnded = errors.New("there are no more checkpoints: informerd is stopping")

// end ends the rotation, and has nobody wait any more.
func (k *Keeper) end(err error) error {
	k.rotation.abort()
	if err == nil {
		err = k.seal()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err = err; err == nil {
		k.err = errEnded
	}
	k.answerLocked(k.asked, k.err)
	k.asked = nil
	return err
}

// seal adds two cuts that have nothing, a page apart. So there is a valid block after what is
// damaged in the cuts before, even if a whole page is, and damage is not taken for a torn cut.
func (k *Keeper) seal() error {
	out, ok := k.out.(*writer)
	if !ok {
		return nil // its last publication says that it is the last one
	}
	out.padding(sealPage)
	err := out.end()
	if err == nil {
		out.padding(0)
		err = out.end()
	}
	return err
}

func (k *Keeper) answerLocked(all []chan error, err error) {
	for _, asked := range all {
		asked <- err
	}
}

// Await returns once what has changed before the call is on disk. Its error is ctx's, or says why
// that is not so. It is nil if the checkpoint was given up.
func (k *Keeper) Await(ctx context.Context) error {
	done := make(chan error, 1)
	k.mu.Lock()
	if k.err != nil || k.stats.Failed != nil {
		defer k.mu.Unlock()
		return k.err
	}
	k.asked = append(k.asked, done)
	k.mu.Unlock()
	select {
	case k.wake <- struct{}{}:
	default: // it is awake
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// turn makes a cut, and a snapshot if that pays.
func (k *Keeper) turn(from Source, last bool) error {
	begun := time.Now()
	k.mu.Lock()
	asked, forgot, unbound := k.asked, k.forgot, k.unbound
	k.asked, k.forgot, k.unbound = nil, nil, nil
	maps.Copy(k.alive, k.begun)
	clear(k.begun)
	k.mu.Unlock()
	k.endRotation()
	var next *rotation
	var cuts []informer.InformerCut
	if k.rotation == nil && k.due() && k.haveBegun(from.Listeners()) {
		next = k.beginRotation()
		cuts, next.informers = from.Informers.CutAndWhole()
	} else {
		cuts = from.Informers.Cut()
	}
	for _, name := range forgot { // first: another one of the name may have begun
		k.out.forgotten(name)
		delete(k.selects, name)
	}
	for _, u := range unbound { // and the cuts may have another informer of that identity
		k.out.unbound(u.id, u.listener)
	}
	k.informers(cuts, begun)
	listeners := from.Listeners()
	for _, l := range listeners {
		k.listener(l)
	}
	committed, err := k.commit(from)
	if k.published != nil && !last && errors.As(err, new(unflushed)) {
		k.wait(asked, err)
		return nil
	}
	k.waits = false
	if err == nil && next != nil {
		err = k.rotate(next, listeners)
	}
	if err != nil && k.Continue {
		k.giveUp(err)
		err = nil
	}
	if err == nil {
		k.held = from.Informers.Kept(names(listeners))
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.answerLocked(asked, err)
	if err == nil && k.stats.Failed == nil {
		k.stats.Current = begun
		if committed {
			k.stats.Commits++
			k.stats.Took = time.Since(begun)
		}
	}
	return err
}

// wait has those who wait for a cut wait for the next one, in which is what is in this one.
func (k *Keeper) wait(asked []chan error, cause error) {
	if !k.waits {
		k.waits = true
		k.log.Warn("what is published waits; will try again", "error", cause)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked = append(asked, k.asked...)
}

// Close releases the folder of a keeper that does not run.
func (k *Keeper) Close() error {
	if k.store == nil {
		return nil
	}
	return k.store.Close()
}
