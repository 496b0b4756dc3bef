package keeper

import (
	"time"

	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// unflushed is the error of a cut that has to wait, since values of handlers are to be written before.
type unflushed struct{ error }

func (e unflushed) Error() string {
	return "the values of handlers cannot be written: " + e.error.Error()
}

// Unwrap returns the reason.
func (e unflushed) Unwrap() error { return e.error }

// commit commits what was added, if there is anything.
func (k *Keeper) commit(from Source) (committed bool, err error) {
	if k.out.empty() {
		return false, nil
	}
	if k.hasFailed() {
		return false, k.out.end()
	}
	if err := from.Flush(); err != nil {
		return false, unflushed{err}
	}
	k.log.Debug("committing the checkpoint")
	if err := k.out.end(); err != nil {
		return false, err
	}
	k.log.Debug("the checkpoint is committed")
	return true, nil
}

// informers adds what has changed of informers.
func (k *Keeper) informers(cuts []informer.InformerCut, now time.Time) {
	alive := make(map[informer.InformerID]string, len(cuts))
	old := now.Sub(k.versions) >= VersionInterval
	for i := range cuts {
		c := &cuts[i]
		before, was := k.alive[c.Informer]
		alive[c.Informer], k.killed[c.Informer] = c.Version, c.Killed
		if was && sameObjects(c) && (c.Version == before || !old) {
			alive[c.Informer] = before
			continue
		}
		k.out.informer(c)
	}
	for id := range k.alive {
		if _, still := alive[id]; !still {
			k.out.informerEnded(id)
		}
	}
	if k.alive = alive; old {
		k.versions = now
	}
}

// sameObjects reports whether a cut has nothing but perhaps a version.
func sameObjects(c *informer.InformerCut) bool {
	for range c.Objects {
		return false
	}
	return !c.Whole && len(c.Left)+len(c.Gone)+len(c.Unfinished) == 0
}

func names(listeners []Cutter) (names []string) {
	for _, l := range listeners {
		names = append(names, l.Name())
	}
	return names
}

// listener adds what has changed of a listener.
func (k *Keeper) listener(l Cutter) {
	to := k.out.listener(l.Name())
	l.Cut(to)
	if selects, had := k.selects[l.Name()]; !had || selects != l.Select() {
		k.selects[l.Name()] = l.Select()
		to.Put(selectPart, event.Key{}, l.Select(), nil)
	}
}
