// Package daemon is the composition root: it builds everything a configuration asks for, starts it in order, and stops
// it in the order in which events flow.
//
// What is promised:
//   - Nothing runs before the whole configuration is known to be good: every filter is compiled, every handler loaded,
//     compiled and configured. All mistakes are reported together, as config.Errors.
//   - A resource that the API server does not have, or an API server that does not answer, holds up the listeners
//     concerned and no others. They are tried again until they are there.
//   - Run blocks until its context is done, and then stops: first the intake, then the listeners, who get the grace
//     period to finish what is buffered, then handlers and outputs. When it returns, no goroutine is left.
//   - What is not finished by then is counted and logged, never lost silently.
package daemon
