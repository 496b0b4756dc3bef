// Package away tests an output that is away for ten minutes while 100,000 events of 20,000 objects
// come (a quarter of that under the race detector, a tenth with -short), in virtual time: real
// subscriptions, routes and rules, and sinks that keep ledgers. It has no other code.
//
// In one test the output is the listener's only one, so that events wait in its buffer; in the
// other it has a second one, so that they wait in the outbox. What holds:
//
//   - The memory that is used for what waits is within a bound that depends on the capacities and
//     the number of objects, and not on the number of events.
//   - The listener's other output, and another listener, get each event at once.
//   - At any time, what matched is delivered, merged or waiting. Nothing is dropped.
//   - The output is tried no more often than its pauses allow, and the log has a bounded number of
//     lines.
//   - When the output is back, the last state of each object arrives within two minutes.
//   - States of an object never go back, and violated and resolved alternate, beginning with
//     violated; the last one is true.
package away
