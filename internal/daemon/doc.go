// Package daemon is the composition root: it builds everything a configuration asks for, starts it
// in order, and stops it in the order in which events flow.
//
// What is promised:
//   - Nothing runs before the whole configuration is known to be good: every expression is compiled
//     and the fields it reads checked against the schemas, every handler read, parsed and checked
//     against its grants. Check also loads, compiles and configures the handlers. All mistakes are
//     reported together, as config.Errors, and the policy files that are not loaded because of
//     others are named.
//   - [CheckCluster] takes the schemas from the API server, which must then have the resources of
//     all informers, those included that expressions only look objects up in. It lists one object
//     of each and begins a watch, so that missing rights and selectors that the server does not
//     take are known before anything runs, and returns the Roles that are missing.
//   - In Run handlers are compiled and configured while other listeners run. One that cannot be
//     loaded or started is tried again with pauses from a second to a minute, or nine times what a
//     try took; its listener is never given up.
//   - Run and Check end while a handler is loaded as at any other moment.
//   - What is decided before a listener's buffer refuses nothing that its select, filter and rules
//     would make something of.
//   - A listener judges nothing before the caches are there that its expressions and handler look
//     into.
//   - A resource that the API server does not have, or an API server that does not answer, holds up
//     the listeners concerned and no others. They are tried again until they are there.
//   - /readyz, /healthz and the log name each listener that does not get its events, with the
//     reason: rights that are missing, a resource that is not there, an API server that does not
//     answer, a handler that does not start.
//   - Run blocks until its context is done, and then stops: first the intake, then the listeners,
//     who get the configuration's shutdown.drain to finish what is buffered, then the endpoints,
//     and for shutdown.close handlers and outputs. When it returns, no goroutine is left.
//   - Plan and Explain start nothing and ask no API server. Explain returns what the listener's
//     expressions would return. Live reads the object that is to be explained, with the
//     configuration's connection and the right to list that the informer needs; what the informer
//     drops and the values of a Secret are not shown.
//   - What is not finished by then is counted and logged, never lost silently.
package daemon
