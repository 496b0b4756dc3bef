package rules

// MaxReceivers is how many receivers a [Book] can have.
const MaxReceivers = 64

// Receivers is a set of those that get the reports of a [Book], by their numbers from 0.
type Receivers uint64

// With returns the set with a receiver added.
func (r Receivers) With(receiver int) Receivers { return r | 1<<receiver }

// without returns the set with a receiver removed.
func (r Receivers) without(receiver int) Receivers { return r &^ (1 << receiver) }

// Has reports whether a receiver is in the set.
func (r Receivers) Has(receiver int) bool { return r&(1<<receiver) != 0 }

// everyReceiver returns the set of n receivers.
func everyReceiver(n int) Receivers {
	return ^Receivers(0) >> (MaxReceivers - max(1, min(n, MaxReceivers)))
}
