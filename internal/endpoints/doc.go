// Package endpoints is the daemon's HTTP server, for the machine that it runs on, or for whom the
// API server lets read it. GET /metrics
// returns the state of listeners and informers in Prometheus' text format, GET /statusz the same
// for people and their tools, and GET /violations the open violations of rules as JSON. GET /livez,
// /readyz and /healthz report whether informerd and its listeners work; a second server may report
// that to others, see Server.Probes.
//
// # Who gets an answer
//
//   - Listen refuses an address that is not a loopback one, except for probes and with Access.
//   - A request is answered only if its Host header is a loopback address or localhost, so that a
//     web page whose name resolves to this machine reads nothing (DNS rebinding).
//   - With Access there is TLS, and a request is answered only if its token is known, its owner may
//     get the path, and its Host header is an address, localhost, or a name of the certificate or
//     the configuration. All others learn the status and nothing else, whatever the path.
//   - A request that names another origin is refused.
//   - Only GET and HEAD are answered, and bodies are not read. What changes something is reached
//     only by POST, with Access, by an owner who may post to the path, with a JSON body, and not
//     from a page of others.
//   - No answer allows another origin to read it, or anybody to store it.
//   - A server for Probes answers anybody, at any address. It has /livez and the first line of
//     /readyz, and no data.
//
// # Answers
//
//   - Every error is {"error": "…"}, and says what exists instead of what was requested.
//   - Metrics are read from the listeners with each request. Labels are bounded by the
//     configuration and the clusters, and the namespaces of a rule by 1,000: those after them in alphabetical order
//     are added up as namespace "(others)".
//   - A rule has a series of informerd_rule_violations for each namespace with an open violation
//     and no other, so that "> 0" is the alert. What distinguishes "none" from "nobody looked" is
//     informerd_listener_violations, which each listener with rules always has, 0 included, and
//     informerd_informer_synced.
//   - /livez is 200 and ok as long as there is an answer: a restart fixes nothing else.
//   - /readyz is 200 and ok if all listeners get their events, and nothing has come to a halt: then
//     it has a line for each such stall, see below. Otherwise it is 503, and says
//     how many do not. It then has a line for each of them and each reason: missing rights, a resource
//     that does not exist, a server that cannot be reached, an incomplete first list, a handler
//     that does not start.
//   - Of several clusters, one that is away, slow or forbids something makes nothing unready: a
//     listener that gets its events in one of its clusters counts as ready. Clusters with an error
//     do not count, as long as there is one without. Each of them has a line.
//   - /healthz is the same for listeners that fail, without those that are only starting. It then
//     has a line for each listener that pauses because its handler keeps crashing: since when,
//     until when and why. A pause does not count as a failure.
//   - Both have a line for a checkpoint that was given up because its disk failed. That makes
//     nothing unready: the configuration wants it so.
//   - Texts of guests and the API server are quoted and cut.
//   - /statusz is the pipeline as it is, as JSON: see package status.
//   - /violations is sorted by listener, rule, namespace, name and uid, one violation a line, and
//     holds one listener's violations in memory at a time. Its total counts what matches the query,
//     whatever the limit. An answer that cannot be finished is cut off together with its
//     connection, and never ends as if it were complete.
//
// # Stalls
//
//   - A part has come to a halt if it has something to do, and nothing has come of it for 40 s. An
//     idle cluster is no stall. A [StallWatch] finds it within a minute of its beginning.
//   - A stall ends with the first look after its cause has; that of an informer which lists again
//     and again, once it has not done so for 40 s.
//   - Time that passed without a look does not count beyond two looks, such as while the machine
//     slept.
//   - Of several clusters, the stall of an informer is the error of its cluster, and of nothing else.
//   - What follows from another stall of the same listener is left out. An output that is away for
//     several listeners is one stall.
//
// # Limits
//
//   - At most 256 connections are open at once, 1,024 to the server of probes. One more has another
//     one closed, of the address with most of them, so that nobody waits for others. A client has 5 s
//     for its header of at most 16 KiB, 30 s between requests, and a minute to read its answer.
//   - A request that panics is answered with 500 and logged, and affects no other. No request is
//     logged at info.
//   - Serve blocks until its context is done, lets requests under way finish, and returns within a
//     second; what a client has not read by then is cut off.
//
// # Design decisions
//
// A kubelet that restarted informerd because a listener may not list would fix nothing and lose
// what waits. So the liveness probe is /livez, and /healthz and /readyz are for people and
// rollouts.
//
// Who may see names of objects in a cluster is known to its API server, so it is asked. Any other
// password or option would be one more thing to guard.
//
// Stalls are found by looking at the status, by one rule: there is work, and the counters of its
// end stand still. A part that hangs cannot say so. 40 s is longer than a time-out of 10 s with
// some retries.
package endpoints
