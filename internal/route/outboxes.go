package route

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/pkg/informer"
)

// destination is a listener's destination to one output: an outbox, and the number that the output
// has as a receiver of rules' reports. Both are the same as long as the listener uses the output.
type destination struct {
	*delivery.Outbox
	receiver int
	unwanted atomic.Uint64 // events
	restored restoredVersions

	number     uint64 // in cuts: no other destination of the listener has or had it, restarts included
	part       string // that has the outbox
	cut        bool   // cuts have the destination
	cutRetired bool   // and as retired

	// earlier are destinations to outputs of the same name that were removed. Nothing is sent
	// before they have ended.
	earlier []*destination
	over    chan struct{} // closed when the destination was retired and has ended
}

func (w *destination) setNumber(number uint64) { w.number, w.part = number, outboxPart(number) }

// noReceiver is the number of a destination that gets no reports.
const noReceiver = -1

// run is Run, once the earlier destinations have ended.
func (w *destination) run(ctx context.Context) error {
	for _, before := range w.earlier {
		select {
		case <-before.over:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	w.earlier = nil // they refer to what they had
	return w.Run(ctx)
}

// outboxes are the destinations of a route to its outputs, by name. They outlast its pipelines, and
// run while it does.
type outboxes struct {
	room room
	keep bool // for cuts

	mu     sync.Mutex // guards what follows
	byName map[string]*destination
	// retired are those that make dead letters of what is waiting. past has what they
	// had done when they had ended.
	retired map[*destination]bool
	past    totals
	number  uint64   // of the last destination
	gone    []uint64 // the numbers of destinations that have ended, for the next cut
	// run starts the senders of an outbox; nil while the route does not run.
	run func(*destination)
}

// use returns the destinations to a pipeline's outputs, in their order. Those that are not among
// them any more are retired.
func (b *outboxes) use(r *Route, p *Pipeline, retry Retry) (all []*destination, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	policy := retry.policy()
	capacity, overflow := r.outboxSize(p)
	kept := make(map[string]*destination, len(p.Outputs))
	used := map[int]bool{} // receivers
	for _, w := range b.all() {
		used[w.receiver] = true
	}
	for _, out := range p.Outputs {
		w, to := b.byName[out.To.Name], out.To.In(p.Messages.Origin().Cluster)
		if w != nil {
			w.Use(to, policy)
			err = w.Resize(capacity, overflow)
		} else if w, err = b.open(r, p, to, free(used), policy); err != nil {
			return nil, err
		}
		if err != nil {
			return nil, err
		}
		kept[out.To.Name] = w
		all = append(all, w)
	}
	for name, w := range b.byName {
		if kept[name] == nil {
			w.Retire()
			b.retire(w)
		}
	}
	b.byName = kept
	return all, nil
}

// open makes the destination to an output that the listener has not used. The caller holds mu.
func (b *outboxes) open(r *Route, p *Pipeline, out *delivery.Output, receiver int,
	policy delivery.Policy) (*destination, error) {
	b.number++
	w := &destination{receiver: receiver, over: make(chan struct{})}
	w.setNumber(b.number)
	for before := range b.retired {
		if before.Name() == out.Name {
			w.earlier = append(w.earlier, before)
		}
	}
	cfg := delivery.Config{
		Listener: r.name, Policy: policy, Letters: r.letters, Notes: r.notes,
		Log: r.log, OnRoom: func() { b.room.freedIn(w) }, Keep: r.keep, Await: r.await,
	}
	cfg.Capacity, cfg.Overflow = r.outboxSize(p)
	var err error
	if w.Outbox, err = delivery.New(out, cfg); err != nil {
		return nil, err
	}
	if b.run != nil {
		b.run(w)
	}
	return w, nil
}

// retire notes that a destination is not used any more. The caller holds mu.
func (b *outboxes) retire(w *destination) {
	b.retired[w] = true
}

// ended notes that nothing waits in an outbox that was stopped.
func (b *outboxes) ended(w *destination) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.retired[w] {
		delete(b.retired, w)
		b.past.add(w)
		if b.keep {
			b.gone = append(b.gone, w.number)
		}
		close(w.over)
	}
}

// totals are counters of destinations.
type totals struct {
	written, unwanted, retried, letters uint64
	leaving                             int // entries of retired destinations
}

func (t *totals) add(w *destination) {
	s := w.Stats()
	t.written += s.Written
	t.unwanted += w.unwanted.Load()
	t.retried += s.Retried
	t.letters += s.Letters
}

// totals returns those of all destinations that there have been, so that none falls when a
// destination goes.
func (b *outboxes) totals() totals {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.past
	for _, w := range b.byName {
		t.add(w)
	}
	for w := range b.retired {
		t.add(w)
		t.leaving += w.Stats().Queued
	}
	return t
}

// soleCapacity is how many entries the outbox of a listener's only output has room for, unless
// the buffer is smaller, or the output takes more at once.
const soleCapacity = 1024

// outboxSize returns the size of each outbox of a pipeline, and what happens if it is full.
func (r *Route) outboxSize(p *Pipeline) (capacity int, overflow informer.Overflow) {
	b := r.buffer.Load()
	switch {
	case len(p.Outputs) == 1:
		// The workers wait for it, so that events stay in the subscription.
		if b.Capacity < soleCapacity {
			return b.Capacity, informer.OverflowBlock
		}
		return max(soleCapacity, p.Outputs[0].To.Room()), informer.OverflowBlock
	case b.Overflow == informer.OverflowSpill:
		return b.Capacity, informer.OverflowLatest // what was made is not written to a file
	case b.Overflow == informer.OverflowDrop && p.Rules != nil:
		// A reload has removed the rules. Outputs that have their violations get the ends.
		return b.Capacity, informer.OverflowLatest
	}
	return b.Capacity, b.Overflow
}

// free returns a number that is not used, and adds it to those that are.
func free(used map[int]bool) int {
	n := 0
	for used[n] {
		n++
	}
	used[n] = true
	return n
}

// begin starts the senders of all outboxes, and returns the functions that let them end when all
// is delivered, and that wait until they have ended.
func (b *outboxes) begin(ctx context.Context) (stop, wait func()) {
	var wg sync.WaitGroup
	b.mu.Lock()
	defer b.mu.Unlock()
	b.run = func(w *destination) {
		wg.Go(func() {
			if w.run(ctx) == nil {
				b.ended(w)
			}
		})
	}
	for _, w := range b.all() {
		b.run(w)
	}
	stop = func() {
		for _, w := range b.present() {
			w.Stop()
		}
	}
	wait = func() {
		wg.Wait()
		b.mu.Lock()
		defer b.mu.Unlock()
		b.run = nil
	}
	return stop, wait
}

// present returns the destinations that are not retired, in no order.
func (b *outboxes) present() []*destination {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Collect(maps.Values(b.byName))
}

// all returns the destinations that there are, retired ones included, in no order. The caller holds
// mu.
func (b *outboxes) all() []*destination {
	return slices.AppendSeq(slices.Collect(maps.Values(b.byName)), maps.Keys(b.retired))
}

// list sets the destinations that there are, and returns how many of them are present ones, which
// are first. The others are retired.
func (b *outboxes) list(to *cutting) (present int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	to.destinations = slices.AppendSeq(to.destinations[:0], maps.Values(b.byName))
	present = len(to.destinations)
	to.destinations = slices.AppendSeq(to.destinations, maps.Keys(b.retired))
	return present
}

// takeGone sets the numbers of the destinations that have ended since it was called last.
func (b *outboxes) takeGone(to *cutting) {
	b.mu.Lock()
	defer b.mu.Unlock()
	to.gone = append(to.gone[:0], b.gone...)
	b.gone = b.gone[:0]
}

// late reports whether nothing that waits is sent before a time.
func (b *outboxes) late(until time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !slices.ContainsFunc(b.all(), func(w *destination) bool { return !w.Late(until) })
}

// room lets workers wait until an outbox has room. The zero value is ready.
type room struct {
	anybody atomic.Bool // waits, perhaps

	mu      sync.Mutex
	waiting chan struct{} // closed when there may be room; nil if nobody waits
}

// wait waits until blocked returns false, or ctx is done.
func (r *room) wait(ctx context.Context, blocked func() bool) {
	for blocked() {
		r.mu.Lock()
		if r.waiting == nil {
			r.waiting = make(chan struct{})
			r.anybody.Store(true)
		}
		changed := r.waiting
		r.mu.Unlock()
		if !blocked() { // since before the channel was there
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// freedIn has those that wait look again, if a destination has enough room for that.
func (r *room) freedIn(w *destination) {
	if r.anybody.Load() && w.Roomy() {
		r.freed()
	}
}

// freed has those that wait look again.
func (r *room) freed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waiting != nil {
		close(r.waiting)
		r.waiting = nil
		r.anybody.Store(false)
	}
}
