// Package endpoints is the daemon's HTTP server, for the machine it runs on: GET /metrics is the
// state of the listeners and informers in Prometheus' text format, GET /violations the open
// violations of rules as JSON, GET /livez, /readyz and /healthz say whether it and its listeners
// are all right. A second server may say that to others, see Server.Probes.
//
// What is promised:
//   - The address is a loopback one, but for probes, or Listen refuses it and says why.
//   - A request is answered only if its Host header names a loopback address or localhost, so that
//     a web page whose name is made to resolve to this machine reads nothing (DNS rebinding). Only
//     GET and HEAD are; bodies are not read. No answer allows another origin to read it, or anybody
//     to keep it.
//   - Every error is {"error": "…"}, and says what there is instead of what was asked for.
//   - Metrics are read from the listeners when they are asked for. Labels are bounded by the
//     configuration, and the namespaces of a rule at 1,000: those after them in alphabetical order
//     are added up as namespace "(others)".
//   - A rule has a series of informerd_rule_violations for each namespace with an open violation
//     and none beside, so that "> 0" is the alert. What tells "none" from "nobody looked" is
//     informerd_listener_violations, which each listener with rules always has, 0 included, and
//     informerd_informer_synced.
//   - /livez is 200 and ok as long as there is an answer: it is for what restarts informerd, which
//     mends nothing else.
//   - /readyz is 200 and ok if all listeners get their events. Else it is 503, says of how many
//     that is not so, and below that has a line for each of them and reason: rights that are
//     missing, a resource that is not there, a server that cannot be reached, a first list that is
//     not complete, a handler that does not start.
//   - /healthz is the same of listeners that fail, those left out that only begin. Below that is a
//     line for each listener that pauses because its handler keeps crashing: since when, until when
//     and why; it does not count as failing.
//   - What guests and the API server had to say is quoted and cut.
//   - A server for Probes answers anybody, at any address. It has /livez and the first line of
//     /readyz, and no data.
//   - /violations is sorted by listener, rule, namespace, name and uid, is written as it is read,
//     one violation a line, and holds one listener's violations in memory at a time. Its total
//     counts what the filters let through, whatever the limit. An answer that cannot be finished is
//     cut off together with its connection, never ended as if whole.
//   - At most 64 connections are open at once; more wait to be accepted. A client gets 5 s for its
//     header of at most 16 KiB, 30 s between requests, and a minute to read its answer.
//   - A request that panics is answered with 500 and logged; nothing else suffers. No request is
//     logged at info.
//   - Serve blocks until its context is done, lets requests that are under way finish, and returns
//     within a second; what a client has not read by then is cut off.
package endpoints
