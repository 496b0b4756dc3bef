// Package daemon is the composition root. It compiles a configuration to a plan, applies the plan
// to a runtime, starts that in order, and stops it in the order in which events flow. The commands
// that only look at a configuration do the same up to the start.
//
//	configuration ──compile──> plan ──apply──> runtime ──run──> informers, listeners, endpoints
//	 + schemas                 pure, with       reads modules    until its context is done
//	                           digests          and headers
//
// # Before anything runs
//
//   - The whole configuration is known to be good: every expression is compiled and the fields it
//     reads checked against the schemas, every handler read, parsed and checked against its grants.
//     Check also loads, compiles and configures the handlers.
//   - All mistakes are reported together, as config.Errors, and the policy files that are not
//     loaded because of others are listed.
//   - Equal configurations have equal digests of their parts, and each field is in a digest.
//   - [CheckCluster] takes the schemas from the API server, which must have the resources of all
//     informers, those included in which objects are only looked up. It lists one object of each
//     and begins a watch, so that missing rights and unsupported selectors are known before
//     anything runs, and returns the Roles that are missing.
//   - Plan and Explain start nothing and ask no API server. Explain returns what the listener's
//     expressions would return.
//   - Live reads the object that is to be explained, with the configuration's connection and the
//     right to list that the informer needs; what the informer drops and the values of a Secret are
//     not shown.
//
// # While it runs
//
//   - Handlers are compiled and configured while other listeners run. One that cannot be loaded or
//     started is tried again after a second up to a minute, or nine times what the attempt took;
//     its listener is never given up.
//   - What is decided before a listener's buffer refuses nothing that its select, filter and rules
//     would accept.
//   - A listener evaluates nothing before the caches are complete in which its expressions and its
//     handler look objects up.
//   - A resource that the API server does not have, or an API server that does not answer, affects
//     only the listeners concerned. They are tried again until they can be bound.
//   - /readyz, /healthz and the log name each listener that does not get its events, with the
//     reason: missing rights, a resource that does not exist, an API server that does not answer, a
//     handler that does not start.
//
// # When it reloads
//
//   - A configuration with a mistake changes nothing, and the log, the command and the metrics say
//     so. Whatever may fail is made before anything that runs is touched.
//   - What is not different is not touched. What differs of a listener changes in place, and it
//     keeps its buffer, its outboxes and the state of its rules; only one with another resource is
//     begun again.
//   - What waits for an output that has changed goes to the new one.
//
// # When it stops
//
//   - Run and Check end while a handler is loaded as at any other moment.
//   - Run blocks until its context is done, and then stops: first the intake, then the listeners,
//     which have the configuration's shutdown.drain to finish what is in their buffers and
//     outboxes, then the endpoints, and within shutdown.close handlers and outputs. When it
//     returns, no goroutine is left.
//   - What is not finished by then is counted and logged, never lost silently.
package daemon
