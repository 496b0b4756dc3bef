package audit

import (
	"github.com/informerd/informerd/internal/ledger"
	"github.com/informerd/informerd/pkg/informer"
)

// The reasons why something waits, or was never seen.
const (
	inInformer = "informer"
	inBuffer   = "buffer"
	atOutput   = "output"
	isHeld     = "checkpoint"
	behind     = "the informer has not come to it"
	lost       = "the informer has handed it on, and nobody has it"
	lostOnWay  = "it was on its way to the outputs, and none has it"
)

// sight is what those on an event's way say of an object, in that order.
type sight struct {
	passed informer.Passed
	held   bool
	entry  ledger.Entry
	known  bool // there is an entry
}

// judge finds out what became of objects. What nobody has seen stays open.
func (a *auditor) judge(all []subject) {
	sights := a.look(all)
	var unsure []int
	for i := range all {
		sights[i].entry, sights[i].known = a.Ledger.Get(all[i].hash)
		if !all[i].settled(&sights[i], a.listed) || sights[i].entry.State == ledger.Earlier {
			all[i].Outcome = "" // what an earlier process has finished may wait for an output
			unsure = append(unsure, i)
		}
		a.end(&all[i])
	}
	if len(unsure) == 0 {
		return
	}
	// Each event is in one of these, from the moment in which the one before it does not have it
	// any more: what has left the buffer is with the outputs, or the ledger has it by now.
	buffered, sent := map[uint64]struct{}{}, map[uint64]struct{}{}
	blocked := a.Buffer(buffered)
	a.Outputs(sent)
	for _, i := range unsure {
		s := &all[i]
		sights[i].entry, sights[i].known = a.Ledger.Get(s.hash)
		_, isBuffered := buffered[s.hash]
		_, isSent := sent[s.hash]
		switch x := &sights[i]; {
		case s.settled(x, a.listed) && !(isSent && x.entry.State == ledger.Earlier):
		case isBuffered:
			s.Outcome, s.Reason = ledger.OutcomeWaiting, inBuffer
		case isSent:
			s.Outcome, s.Reason = ledger.OutcomeWaiting, atOutput
		case x.held:
			s.Outcome, s.Reason = ledger.OutcomeWaiting, isHeld
		case blocked && !s.behind(x):
			s.Outcome, s.Reason = ledger.OutcomeWaiting, inBuffer
		default:
			s.Outcome, s.Reason = "", s.hole(x)
			a.open = append(a.open, *s)
			continue
		}
		a.end(s)
	}
}

// look asks the informers what they have handed on, before anybody else is asked.
func (a *auditor) look(all []subject) []sight {
	sights, hashes := make([]sight, len(all)), make([]uint64, len(all))
	for i := range all {
		hashes[i] = all[i].hash
	}
	for part := range a.Parts {
		passed, _, held := a.Parts[part].Passed(hashes)
		for i := range all {
			if all[i].part == part || all[i].part < 0 && passed[i].Known {
				sights[i].passed, sights[i].held = passed[i], held
			}
		}
	}
	return sights
}

// settled reports whether what became of an object is known, and sets its outcome. That of an
// object that is gone and was ended properly is none.
func (s *subject) settled(x *sight, listed uint64) bool {
	s.Outcome, s.Reason, s.Seen = "", "", ""
	if x.known {
		s.Seen = shown(x.entry.Version)
	}
	switch {
	case s.sought && !x.known:
		return true
	case s.sought && x.entry.Gone && x.entry.State != ledger.Passed:
		if x.entry.State == ledger.Overflown {
			s.Outcome, s.Reason = x.entry.State.Outcome()
		}
		return true
	case s.sought:
		// another object has taken its name since
		return x.passed.Known && !ledger.Reaches(listed, x.passed.Version)
	case x.known && x.entry.Reaches(s.version) && x.entry.Outputs == 0:
		s.Outcome, s.Reason = x.entry.State.Outcome()
		return true
	case x.known && x.entry.Reaches(s.version):
		return false
	case x.passed.Known && x.passed.Refused && ledger.Reaches(x.passed.Version, s.version):
		s.Outcome, s.Reason = ledger.Refused.Outcome()
		return true
	}
	return false
}

// behind reports whether the informer has not handed on what the cluster has.
func (s *subject) behind(x *sight) bool {
	if s.sought {
		return x.passed.Known
	}
	return !x.passed.Known || !ledger.Reaches(x.passed.Version, s.version)
}

// hole returns why nobody has seen an object.
func (s *subject) hole(x *sight) string {
	switch {
	case x.known && x.entry.Outputs > 0 && (s.sought || x.entry.Reaches(s.version)):
		return lostOnWay
	case s.behind(x):
		return behind
	}
	return lost
}
