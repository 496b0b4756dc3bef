package informer

import (
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/informerd/informerd/pkg/informer/internal/unfinished"
	"github.com/informerd/informerd/pkg/informer/object"
)

// InformerID identifies an informer to a checkpoint: another selector, or other fields that are
// kept, make it another informer.
type InformerID struct {
	Resource Resource
	Scope    Scope
	Keeps    string // what its Shape keeps of each object
}

// InformerCut is what has changed of an informer since the cut before, all of one moment. Applied
// in order, cuts make a [Stored]: first Whole, then Left, then all the rest.
type InformerCut struct {
	Informer InformerID
	// Whole: it is everything, and what was known before is void.
	Whole bool
	// Version is the resourceVersion up to which the objects are complete, "" if there is none.
	// They may be ahead of it, never behind.
	Version string
	// Killed: an earlier process was killed, and may have delivered what comes after Version.
	Killed bool
	// Objects are those that have changed, in their stored form. It can be read at any time.
	Objects iter.Seq[*object.Object]
	// Gone are the objects that are not stored any more. They are needed until Version has come to
	// theirs.
	Gone []Gone
	// Left are subscriptions that have left, and Unfinished is what the others have to learn.
	Left       []string
	Unfinished []UnfinishedCut
}

// UnfinishedCut is what a subscription with Track has to learn of an informer's objects. What it
// does not list, the subscription knows as it is stored.
type UnfinishedCut struct {
	Subscription string
	Whole        bool // what was known of the subscription before is void
	// Begins: until another cut has it whole, the subscription knows no object that is not among
	// the Entries. It gets the first ones when this one is kept.
	Begins bool
	// Due is when the next resync is, by the wall clock, zero if that is as it was, or never.
	Due     time.Time
	Entries []Unfinished
}

// Unfinished is an object of which a subscription has not finished the last event, and the state of
// it that the subscription knows, nil if none. If the process is killed, the subscription may also
// know the stored object, if that is Present, and those that have Gone. If it has Ended, it is not
// one any more.
type Unfinished = unfinished.Entry

// Cut returns what has changed since the cut before, of each informer that has a subscription with
// Track, or waits for one that was in its Stored. The informer stands still meanwhile, for about a
// microsecond for each object that has changed or that a subscription has finished. One goroutine
// at a time may make cuts.
func (f *Factory) Cut() []InformerCut {
	return f.cut((*informer).cut)
}

// CutAndWhole returns a cut, and everything as the cut leaves it: the cuts to come follow both.
// Objects are not copied, so that it takes little longer than a cut.
func (f *Factory) CutAndWhole() (last, whole []InformerCut) {
	last = f.cut(func(inf *informer) []InformerCut {
		c, w := inf.cutAndWhole()
		whole = append(whole, w...)
		return c
	})
	return last, whole
}

func (f *Factory) cut(each func(*informer) []InformerCut) (cuts []InformerCut) {
	f.exchanging.Lock() // or a subscription might be in the cut of neither informer
	defer f.exchanging.Unlock()
	for _, inf := range f.informers() {
		cuts = append(cuts, each(inf)...)
	}
	return cuts
}

// Forget ends the wait for a subscription that was in the Stored of some informers and will not
// join: the next cut has it among those that have left. It returns these informers.
func (f *Factory) Forget(name string) (forgot []InformerID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, sh := range f.shared {
		inf := sh.informer
		inf.proc.mu.Lock()
		if c := inf.proc.changes; c != nil && c.forget(name) {
			forgot = append(forgot, inf.id())
		}
		inf.proc.mu.Unlock()
		f.stopUnused(sh)
	}
	return forgot
}

// waits reports whether a subscription is expected that was in the informer's Stored.
func (p *processor) waits() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.changes != nil && len(p.changes.absent) > 0
}

// trackFor begins to note changes if a registration needs them. The caller holds mu.
func (p *processor) trackFor(reg *registration) {
	if reg.unfinished != nil && p.changes == nil {
		p.changes = newChanges()
		p.changes.whole = true
	}
	if p.changes != nil {
		p.changes.forget(reg.subscription.name)
	}
}

// untrack notes that a registration has left. The caller holds mu.
func (p *processor) untrack(reg *registration) {
	if p.changes == nil || reg.unfinished == nil {
		return
	}
	if _, absent := p.changes.absent[reg.subscription.name]; !absent {
		p.changes.left = append(p.changes.left, reg.subscription.name)
	}
	tracks := func(r *registration) bool { return r.unfinished != nil }
	if len(p.changes.absent) == 0 && !slices.ContainsFunc(p.regs, tracks) {
		p.changes = nil
	}
}

// cut returns the informer's cut, if it has one.
func (inf *informer) cut() []InformerCut {
	inf.proc.mu.Lock()
	defer inf.proc.mu.Unlock()
	return inf.cutLocked(false)
}

func (inf *informer) cutAndWhole() (last, whole []InformerCut) {
	inf.proc.mu.Lock()
	defer inf.proc.mu.Unlock()
	return inf.cutLocked(false), inf.cutLocked(true)
}

func (inf *informer) cutLocked(whole bool) []InformerCut {
	p, c := inf.proc, inf.proc.changes
	if c == nil {
		return nil
	}
	current := inf.reflector.Status().Current // first: what comes now is newer
	whole = whole || c.whole || c.rewound
	if version := inf.complete(); version != "" {
		c.version = version
		c.killed = c.killed && !current
		if c.rewound { // what has gone before that has versions that mean nothing now
			clear(c.gone)
			c.rewound = false
		}
	}
	cut := InformerCut{Informer: inf.id(), Whole: whole, Version: c.version, Killed: c.killed}
	if !cut.Whole {
		cut.Left = c.left
	}
	cut.Objects, cut.Gone = c.take(inf.store, cut.Whole)
	for _, reg := range p.regs {
		switch {
		case reg.unfinished == nil:
		case !reg.awaitsCut:
			cut.add(reg.subscription.name, reg.cutUnfinished(cut.Whole))
		default:
			if t, any := reg.firstCut(c.version != "", cut.Whole); any {
				cut.Unfinished = append(cut.Unfinished, t)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.absent)) {
		if set := c.absent[name]; cut.Whole {
			cut.add(name, UnfinishedCut{Whole: true, Due: c.dues[name], Entries: set.Whole()})
		} else {
			cut.add(name, UnfinishedCut{Entries: set.Cut()})
		}
	}
	return []InformerCut{cut}
}

// cutUnfinished returns what has changed of what the subscription has to learn. The caller holds
// the processor's mu.
func (reg *registration) cutUnfinished(whole bool) UnfinishedCut {
	reg.subscription.mu.Lock()
	defer reg.subscription.mu.Unlock()
	due := reg.due().Round(0)
	if whole || reg.fresh {
		reg.fresh, reg.cutDue = false, due
		return UnfinishedCut{Whole: true, Due: due, Entries: reg.unfinished.Whole()}
	}
	if due.Equal(reg.cutDue) {
		return UnfinishedCut{Entries: reg.unfinished.Cut()}
	}
	reg.cutDue = due
	return UnfinishedCut{Due: due, Entries: reg.unfinished.Cut()}
}

// add adds what there is of a subscription.
func (cut *InformerCut) add(name string, t UnfinishedCut) {
	if t.Subscription = name; t.Whole || len(t.Entries) > 0 || !t.Due.IsZero() {
		cut.Unfinished = append(cut.Unfinished, t)
	}
}

// id returns what the informer is called in a checkpoint.
func (inf *informer) id() InformerID { return InformerID{inf.resource, inf.scope, inf.keeps} }

// complete returns up to what version the store is complete, "" if that is unknown. The processor
// is locked.
func (inf *informer) complete() string {
	version := inf.reflector.Status().ResourceVersion // first: what comes now is newer
	if !inf.queue.Idle() {
		return ""
	}
	return version
}
