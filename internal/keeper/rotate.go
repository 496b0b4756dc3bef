package keeper

import (
	"errors"
	"maps"
	"slices"

	"github.com/informerd/informerd/internal/checkpoint"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// rotation is a snapshot that is being written.
type rotation struct {
	waiting   map[informer.InformerID]*informer.Stored // as it was before informers
	informers []informer.InformerCut
	stop      chan struct{}
	done      chan error // has how it has ended
}

// haveBegun reports whether the listeners have what was loaded. A snapshot waits for that, since it
// has only what they have.
func (k *Keeper) haveBegun(listeners []Cutter) bool {
	has := names(listeners)
	k.mu.Lock()
	defer k.mu.Unlock()
	for name := range k.loaded {
		if !slices.Contains(has, name) {
			return false
		}
	}
	return true
}

// beginRotation copies what nobody has asked for. It comes first: what is asked for from here on is
// in the snapshot twice, and the second one counts.
func (k *Keeper) beginRotation() *rotation {
	k.mu.Lock()
	defer k.mu.Unlock()
	r := &rotation{waiting: make(map[informer.InformerID]*informer.Stored, len(k.waiting)),
		stop: make(chan struct{}), done: make(chan error, 1)}
	for id, s := range k.waiting {
		c := *s
		c.Unfinished = maps.Clone(s.Unfinished)
		r.waiting[id] = &c
	}
	return r
}

// rotate begins a new log, and has a goroutine write the snapshot of what is before it. What
// listeners have is newer than the last cut; the cuts to come say some of it again.
func (k *Keeper) rotate(r *rotation, listeners []Cutter) error {
	snapshot, err := k.store.Rotate()
	if errors.Is(err, checkpoint.ErrFailed) {
		return err
	}
	if err != nil {
		k.notWritten(err)
		return nil
	}
	k.out = &writer{write: k.write(k.store.Commit)}
	w := &writer{write: k.write(snapshot.Write)}
	for _, l := range listeners {
		to := w.listener(l.Name())
		l.Whole(to)
		to.Put(selectPart, event.Key{}, l.Select(), nil)
	}
	k.rotation = r
	go func() { r.done <- r.write(w, snapshot) }()
	return nil
}

// write writes the snapshot: one cut of the listeners, and one of the informers.
func (r *rotation) write(w *writer, to *checkpoint.Snapshot) error {
	err := w.end()
	for _, id := range slices.Collect(maps.Keys(r.waiting)) {
		if err == nil {
			w.informer(whole(id, r.waiting[id]))
			err = r.goesOn(w.err)
		}
	}
	for i := range r.informers {
		if err == nil {
			w.informer(&r.informers[i])
			err = r.goesOn(w.err)
		}
	}
	if err == nil {
		err = w.end()
	}
	if err == nil {
		err = to.Finish()
	}
	if err != nil {
		to.Abort()
	}
	return err
}

// errStopped is the error of a snapshot that is not needed.
var errStopped = errors.New("informerd is stopping")

func (r *rotation) goesOn(err error) error {
	select {
	case <-r.stop:
		return errStopped
	default:
		return err
	}
}

// endRotation looks whether the rotation has ended, if there is one.
func (k *Keeper) endRotation() {
	if k.rotation == nil {
		return
	}
	select {
	case err := <-k.rotation.done:
		if k.rotation = nil; err != nil {
			k.notWritten(err)
		}
	default:
	}
}

// notWritten notes that a snapshot cannot be written.
func (k *Keeper) notWritten(err error) {
	k.log.Warn("the snapshot of the checkpoint cannot be written, and is tried again later; nothing is lost",
		"error", err)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stats.SnapshotFailures++
}

// abort ends the rotation, if there is one.
func (r *rotation) abort() {
	if r != nil {
		close(r.stop)
		<-r.done
	}
}
