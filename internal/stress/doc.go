// Package stress tests pkg/informer on a real control plane under load: writers create, change,
// delete and recreate objects, the API server goes away and comes back, and listeners of every kind
// (fast, slow, blocking, spilling, failing, late, temporary, with a resync period) take the events.
// It has no other code.
//
// Each listener has a ledger of its deliveries. At the end, when the writers have stopped and all
// events have been delivered, every ledger must agree with the API server and with the writers'
// records:
//
//   - the last event of each object is its last state, or its deletion;
//   - states never go back, a deleted object never comes back, and a deletion is never omitted;
//   - every event has a state that was written, with that state's content;
//   - events of one object are handled one after the other, and a failed one is retried before the
//     next;
//   - an update starts from the state that the listener got before;
//   - resyncs reach only listeners that asked for them, and change nothing;
//   - every event is accounted for in the listener's counters, coalesced ones also in Missed;
//   - listeners that missed nothing have seen the same.
//
// The tests need bin/devcluster (make devcluster), or the program that DEVCLUSTER_BIN names. With
// -short they are skipped. Environment variables:
//
//	STRESS=full           5,000 objects, 60 s and three restarts, instead of 500, 10 s and one; takes up to five minutes
//	STRESS_SECONDS=N      minimum time during which the writers change objects
//	STRESS_SEED=N         the writers' choices, as printed by a run; the interleaving differs each time
package stress
