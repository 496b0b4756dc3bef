package informer

import (
	"slices"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/internal/diff"
	"github.com/informerd/informerd/pkg/informer/internal/gate"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Ledger learns what becomes of events that no worker gets. It must not call the subscription.
type Ledger interface {
	// Known has a state that an earlier process has finished with.
	Known(*object.Object)
	// Dropped has a state for which the buffer had no room, or with gone, the object's delete.
	Dropped(o *object.Object, gone bool)
	// Ended has an object whose delete is refused. underway: there may be older events of it.
	Ended(o *object.Object, underway bool)
}

// auditFor begins to note what is handed on if a registration has a ledger. The caller holds mu.
func (p *processor) auditFor(reg *registration) {
	if reg.subscription.ledger == nil {
		return
	}
	if p.gate == nil {
		p.gate = gate.New(reg.store.List())
	}
	reg.column = p.gate.Join()
}

// pass notes that the event which is being handed on is not for the subscription.
func (reg *registration) pass(e *buffer.Entry) {
	if e.Op != event.Resync {
		reg.column.Refuse()
	}
}

// refuse notes that conditions have refused the event which is being handed on.
func (reg *registration) refuse(e *buffer.Entry) {
	s := reg.subscription
	if s.ledger == nil || e.Op != event.Delete {
		reg.pass(e)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ledger.Ended(e.Object, !s.buf.Empty() || reg.postponed > 0)
}

// known notes the objects with which an earlier process has finished: those of which the last event
// has not come. The caller holds both locks.
func (reg *registration) known(changed map[event.Key]bool) {
	s, e := reg.subscription, buffer.Entry{Event: event.Event{Op: event.Add}}
	if s.ledger == nil {
		return
	}
	for _, o := range reg.store.List() {
		e.Object = o
		reg.proc.gate.Note(o, false)
		switch {
		case changed[o.Key()]:
		case reg.matcher.Allows(&e):
			s.ledger.Known(o)
		default:
			reg.column.Refuse()
		}
	}
}

// Passed is what an informer has handed on of an object.
type Passed = gate.Passed

// Passed returns what the informer has handed on of objects, by the hashes of their keys, for a
// subscription with a Ledger. version is up to which the informer is complete, 0 if that is
// unknown. If the subscription is held, it gets nothing before a checkpoint has it.
func (r *Registration) Passed(hashes []uint64) (passed []Passed, version uint64, held bool) {
	p := r.reg.proc
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, hash := range hashes {
		passed = append(passed, r.reg.column.Passed(hash))
	}
	return passed, diff.ParseVersion(r.shared.informer.complete()), r.reg.held
}

// Ended returns the key of an object that has ended lately, by its hash.
func (r *Registration) Ended(hash uint64) (key event.Key, known bool) {
	r.reg.proc.mu.Lock()
	defer r.reg.proc.mu.Unlock()
	return r.reg.column.Ended(hash)
}

// Underway adds the hashes of the keys of objects that are in the buffer, with a worker or waiting
// for a retry. blocked: an informer has more, for which there is no room.
func (s *Subscription) Underway(all map[uint64]struct{}) (blocked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buf.Objects(func(key event.Key) { all[key.Hash()] = struct{}{} })
	return slices.ContainsFunc(s.regs, func(reg *registration) bool { return reg.postponed > 0 })
}
