// Package stress holds pkg/informer against a real control plane while everything moves: writers
// create, change, delete and recreate objects, the API server goes away and comes back, and
// listeners of every kind (fast, slow, blocking, spilling, failing, late, coming and going, with a
// resync period) take the events. It has nothing but tests.
//
// Each listener has a ledger of what it was given. At the end, when the writers have stopped and
// the events have run out, every ledger must agree with the API server and with what the writers
// know they wrote:
//
//   - the last event of each object is its last state, or its deletion;
//   - states never go back, an object that was deleted never comes back, and a deletion is never
//     left out;
//   - no event tells of a state that was never written, and none has another state's content;
//   - events of one object are handled one after the other, and a failed one again before the next;
//   - an update starts from the state that the listener was given before;
//   - resyncs reach only those who asked, and change nothing;
//   - every event is accounted for in the listener's counters, the coalesced ones in Missed too;
//   - listeners that missed nothing have seen the same.
//
// The tests need bin/devcluster (make devcluster), or the program that DEVCLUSTER_BIN names. With
// -short they are skipped. Environment variables:
//
//	STRESS=full           5,000 objects, 60 s and three restarts, instead of 500, 10 s and one; takes up to five minutes
//	STRESS_SECONDS=N      how long the writers change objects, at least
//	STRESS_SEED=N         what the writers do, as printed by a run; the interleaving is new each time
package stress
