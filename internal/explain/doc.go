// Package explain runs one event through a listener's route and tells what came of it. The route,
// its select, rules, filter and handler and the expressions of its outputs are those of the daemon;
// only the source has one event, and the sinks keep what they are given.
//
// What is promised:
//   - What an answer says is sent is what the daemon would send of the event, if the listener knows
//     of the object what [Run] says.
//   - The values of parts are those of the evaluation that decided.
//   - Nothing is sent, and nothing of the daemon changes.
package explain
