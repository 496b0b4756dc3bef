package informer

import (
	"slices"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Kept notes that the last cut is kept, with these subscriptions: those that began in it get their
// initial adds now. waiting reports whether others wait for that. The goroutine that makes cuts
// calls it.
func (f *Factory) Kept(subscriptions []string) (waiting bool) {
	for _, inf := range f.informers() {
		waiting = inf.proc.kept(subscriptions, inf.store) || waiting
	}
	return waiting
}

// kept begins the registrations that the last cut has.
func (p *processor) kept(subscriptions []string, store *store.Store) (waiting bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	for _, reg := range p.regs {
		switch {
		case !reg.awaitsCut:
		case reg.cut && slices.Contains(subscriptions, reg.subscription.name):
			reg.awaitsCut, reg.nextResync = false, now.Add(reg.conditions.resync)
			p.begin(reg, store)
			if reg.rescans {
				p.rescan(reg)
			}
			p.joined.set()
		default:
			waiting = true
		}
	}
	return waiting
}

// begin hands a registration what is stored, as initial adds. The caller holds mu.
func (p *processor) begin(reg *registration, store *store.Store) {
	stored, _, _ := store.Size()
	var wanted []*object.Object
	if reg.conditions.on.Has(event.Add) {
		wanted = reg.conditions.allowed(store.List())
	}
	reg.subscription.refused.Add(uint64(stored - len(wanted)))
	reg.subscription.join(reg, wanted)
}

// firstCut returns what a cut has of a registration that is held. Nothing is delivered to it before
// the cut is kept, and then nothing that a cut with an incomplete list has not.
func (reg *registration) firstCut(complete, whole bool) (t UnfinishedCut, any bool) {
	if !complete || reg.cut && !whole {
		return t, false
	}
	reg.cut = true
	return UnfinishedCut{Subscription: reg.subscription.name, Whole: true, Begins: true}, true
}
