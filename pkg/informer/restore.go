package informer

import (
	"slices"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/internal/changes"
	"github.com/informerd/informerd/pkg/informer/internal/diff"
	"github.com/informerd/informerd/pkg/informer/internal/reflector"
	"github.com/informerd/informerd/pkg/informer/internal/told"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Stored is what a checkpoint has of an informer: what all its cuts make together. See
// [InformerCut] for what its fields mean.
type Stored struct {
	Version string
	Objects []*object.Object
	Gone    []Gone
	// Told has each subscription by its name, even if nothing is listed for it. Those that are in
	// Begins know no other object.
	Told   map[string][]Told
	Begins []string
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
	c := changes.New()
	c.Version, c.Number, c.Killed = s.Version, 1, s.Killed
	complete := diff.ParseVersion(s.Version)
	known := reflector.Known{Version: s.Version, Stored: inf.store.Get,
		Gone: map[event.Key]uint64{}}
	for _, o := range s.Objects {
		known.Newest = max(known.Newest, diff.ParseVersion(o.ResourceVersion()))
	}
	for _, gone := range s.Gone {
		if version := diff.ParseVersion(gone.Version); version > complete {
			c.Gone[gone.Key], known.Gone[gone.Key] = gone.Version, version
			known.Newest = max(known.Newest, version)
		}
	}
	for name, entries := range s.Told {
		set := told.New()
		if slices.Contains(s.Begins, name) {
			for _, o := range s.Objects {
				set.Restore(Told{Key: o.Key(), Same: true}, c.Number, c.Killed)
			}
		}
		for _, e := range entries {
			set.Restore(e, c.Number, c.Killed)
		}
		c.Absent[name] = set
		if due := s.Due[name]; !due.IsZero() {
			c.Dues[name] = due
		}
	}
	inf.proc.changes = c
	inf.queue.Restored()
	inf.reflector.Resume(known)
}

// takeAbsent returns what a subscription has to learn that was in the informer's Stored and has not
// joined until now, nil if it was not. The caller holds mu.
func (p *processor) takeAbsent(s *Subscription) *told.Set {
	if p.changes == nil || !s.tracks {
		return nil
	}
	return p.changes.Absent[s.name]
}

// waitAgain has the informer wait for another subscription of the name, which goes on where this
// one was to: no worker has had anything of it. The caller holds mu.
func (p *processor) waitAgain(reg *registration) {
	s, c := reg.subscription, p.changes
	s.mu.Lock()
	defer s.mu.Unlock()
	reg.told.Settle()
	c.Absent[s.name], c.Number = reg.told, max(c.Number, s.number)
	if reg.fresh { // no cut has noted that it joined
		c.Left = slices.DeleteFunc(c.Left, func(name string) bool { return name == s.name })
	}
	if due := reg.due(); !due.IsZero() {
		c.Dues[s.name] = due.Round(0)
	}
}

// resume hands a subscription the difference between what it knows, or may know, and what is
// stored. The caller holds mu.
func (p *processor) resume(reg *registration, known *told.Set) {
	s := reg.subscription
	s.mu.Lock()
	defer s.wake.set()
	defer s.mu.Unlock()
	reg.told = known
	s.number = max(s.number, p.changes.Number)
	if s.stopped {
		return // it learns nothing more
	}
	before := s.number
	changed := map[event.Key]bool{}
	for _, e := range known.Sorted() {
		for _, d := range e.Difference(reg.store.Get(e.Key)) {
			changed[e.Key] = s.put(&buffer.Entry{Event: d.Event, Known: d.Known, From: &reg.Origin,
				Owed: d.Owed, Doubt: d.Doubt}, reg.told, false)
		}
	}
	reg.told.EndUpTo(before)
	reg.known(changed)
	s.useDisk()
}
