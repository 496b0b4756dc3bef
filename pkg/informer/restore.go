package informer

import (
	"slices"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/reflector"
	"github.com/informerd/informerd/pkg/informer/internal/unfinished"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Stored is what a checkpoint has of an informer: what all its cuts make together. See
// [InformerCut] for what its fields mean.
type Stored struct {
	Version string
	Objects []*object.Object
	Gone    []Gone
	// Unfinished has each subscription by its name, even if nothing is listed for it. Those that
	// are in Begins know no other object.
	Unfinished map[string][]Unfinished
	Begins     []string
	// Due has when the next resyncs of subscriptions are that ask for them.
	Due map[string]time.Time
	// Killed: something may have been delivered after the last cut, or what that says of Killed.
	Killed bool
}

// restore begins an informer with what a checkpoint has of it. The caller holds mu.
func (f *Factory) restore(inf *informer) {
	id := inf.id()
	if _, asked := f.asked[id]; asked || f.Stored == nil {
		return
	}
	if f.asked == nil {
		f.asked = map[InformerID]struct{}{}
	}
	f.asked[id] = struct{}{}
	if stored := f.Stored(id); stored != nil {
		inf.restore(stored)
		if f.ListFirst {
			inf.reflector.ListFirst()
		}
	}
}

// restore fills the store of an informer that does not run yet. The cuts to come are those after
// the last one that Stored has.
func (inf *informer) restore(s *Stored) {
	inf.store.Fill(s.Objects)
	c := newChanges()
	c.version, c.number, c.killed = s.Version, 1, s.Killed
	complete := object.ParseVersion(s.Version)
	known := reflector.Known{Version: s.Version, Stored: inf.store.Get,
		Gone: map[event.Key]uint64{}}
	for _, o := range s.Objects {
		known.Newest = max(known.Newest, object.ParseVersion(o.ResourceVersion()))
	}
	for _, gone := range s.Gone {
		if version := object.ParseVersion(gone.Version); version > complete {
			c.gone[gone.Key], known.Gone[gone.Key] = gone.Version, version
			known.Newest = max(known.Newest, version)
		}
	}
	for name, entries := range s.Unfinished {
		set := unfinished.New()
		if slices.Contains(s.Begins, name) {
			for _, o := range s.Objects {
				set.Restore(Unfinished{Key: o.Key(), Same: true}, c.number, c.killed)
			}
		}
		for _, e := range entries {
			set.Restore(e, c.number, c.killed)
		}
		c.absent[name] = set
		if due := s.Due[name]; !due.IsZero() {
			c.dues[name] = due
		}
	}
	inf.proc.changes = c
	inf.queue.Restored()
	inf.reflector.Resume(known)
}

// takeAbsent returns what a subscription has to learn that was in the informer's Stored and has not
// joined until now, nil if it was not. The caller holds mu.
func (p *processor) takeAbsent(s *Subscription) *unfinished.Set {
	if p.changes == nil || !s.tracks {
		return nil
	}
	return p.changes.absent[s.name]
}

// waitAgain has the informer wait for another subscription of the name, which goes on where this
// one was to: no worker has had anything of it. The caller holds mu.
func (p *processor) waitAgain(reg *registration) {
	s, c := reg.subscription, p.changes
	s.mu.Lock()
	defer s.mu.Unlock()
	reg.unfinished.Settle()
	c.absent[s.name], c.number = reg.unfinished, max(c.number, s.number)
	if reg.fresh { // no cut has noted that it joined
		c.left = slices.DeleteFunc(c.left, func(name string) bool { return name == s.name })
	}
	if due := reg.due(); !due.IsZero() {
		c.dues[s.name] = due.Round(0)
	}
}

// resume hands a subscription the difference between what it knows, or may know, and what is
// stored. The caller holds mu.
func (p *processor) resume(reg *registration, known *unfinished.Set) {
	s := reg.subscription
	s.mu.Lock()
	defer s.wake.set()
	defer s.mu.Unlock()
	reg.unfinished = known
	s.number = max(s.number, p.changes.number)
	if s.stopped {
		return // it learns nothing more
	}
	before := s.number
	for _, e := range known.Sorted() {
		for _, d := range e.Difference(reg.store.Get(e.Key)) {
			d.From = &reg.Origin
			s.put(&d, reg.unfinished, false)
		}
	}
	reg.unfinished.EndUpTo(before)
	s.useDisk()
}
