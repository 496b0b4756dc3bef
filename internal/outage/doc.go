// Package outage tests what becomes of events when an output has trouble: real routes send to real
// webhooks over TCP, a receiver of one of them fails in one of eleven ways for a while, and a model
// of objects makes the events. It has no other code.
//
// The receivers keep ledgers of what they have taken, which know nothing of informerd but its JSON.
// When all is quiet, they must agree with the model and with the routes' counters:
//
//   - every event is at its receiver, counted as missed by a later one of its object, a dead
//     letter, or counted as dropped;
//   - the last state of each object is at its receiver, or a dead letter;
//   - states of an object never go back;
//   - nothing comes twice unless a time-out or a reset explains it, and then with the same id;
//   - violated and resolved alternate for each object and rule, and the last one is true,
//     unless something was dropped or the receiver is gone;
//   - a receiver that asks for a delay is left alone for that long;
//   - every entry that was offered has ended, in one way, and the counters say in which;
//   - the listener's other output is as fast as another listener, and with OUTAGE=full both are as
//     fast as without the fault.
//
// Environment variables:
//
//	OUTAGE=full     20 runs of each fault instead of two
//	OUTAGE_SEED=N   the first run's choices, as printed by a run; the interleaving differs
package outage
