package ledger

// State is what the last event of an object has come to.
type State uint8

// The states, the better ones first where several outputs have an event.
const (
	None       State = iota // nothing has come to an end
	Refused                 // the listener's conditions refused it before the buffer
	Unselected              // the select
	Unmatched               // the filter, or on
	Own                     // it is a patch of the listener's own
	Judged                  // the listener has rules only, which have judged it
	Discarded               // the handler dropped it
	Unwanted                // none of the outputs wants it
	Earlier                 // an earlier process delivered or filtered it
	Passed                  // it is on its way to the outputs
	Delivered               // all outputs that want it have it
	Overflown               // the buffer was full, and overflow is drop
	Dropped                 // the same, of an output's buffer
	DeadLetter
)

// The outcomes of an audit.
const (
	OutcomeDelivered  = "delivered"
	OutcomeFiltered   = "filtered"
	OutcomeEarlier    = "earlier"
	OutcomeDropped    = "dropped"
	OutcomeDeadLetter = "dead letter"
	OutcomeWaiting    = "waiting"
	OutcomeNeverSeen  = "never seen"
)

// Outcome returns what an audit calls the state, and a reason if the outcome has several.
func (s State) Outcome() (outcome, reason string) {
	switch s {
	case Refused:
		return OutcomeFiltered, "before the buffer"
	case Unselected:
		return OutcomeFiltered, "select"
	case Unmatched:
		return OutcomeFiltered, "filter"
	case Own:
		return OutcomeFiltered, "own patch"
	case Judged:
		return OutcomeFiltered, "only rules"
	case Discarded:
		return OutcomeFiltered, "handler"
	case Unwanted:
		return OutcomeFiltered, "outputs"
	case Earlier:
		return OutcomeEarlier, ""
	case Delivered:
		return OutcomeDelivered, ""
	case Overflown:
		return OutcomeDropped, "buffer"
	case Dropped:
		return OutcomeDropped, "output"
	case DeadLetter:
		return OutcomeDeadLetter, ""
	case Passed:
		return OutcomeWaiting, "output"
	}
	return OutcomeNeverSeen, ""
}
