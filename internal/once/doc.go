// Package once is a run of a daemon that ends by itself: once each listener is done with the first
// lists of its informers, the intake ends, and the listeners finish what they have.
//
// What is promised:
//   - A listener that cannot begin holds up no other. The run ends when all others are through.
//   - When the time is over, the run ends with what is unfinished and why.
//   - After a signal, listeners have the time to finish that they always have.
//   - The run has failed if a listener is not through, if something is unfinished or was dropped,
//     or if there are dead letters. The error has every reason, by listener.
//   - A run that is stopped by a signal before all listeners are through has failed.
package once
