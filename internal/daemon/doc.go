// Package daemon is the composition root. It applies the plan of a configuration to a runtime,
// starts that in order, restarts the listeners that another plan changes, and stops it in the order
// in which events flow. The commands that only look at a configuration do the same up to the start.
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
//   - [CheckCluster] takes the schemas from the API server, which must have the resources of all
//     informers, those included in which objects are only looked up. It lists one object of each
//     and begins a watch, so that missing rights and unsupported selectors are known before
//     anything runs, and returns the Roles that are missing.
//   - Plan starts nothing and asks no API server.
//   - Live reads the object that is to be explained, with the configuration's connection and the
//     right to list that the informer needs; what the informer drops and the values of a Secret are
//     not shown.
//
// # While it runs
//
//   - Handlers are compiled and configured while other listeners run. One that cannot be loaded or
//     started is tried again after a second up to a minute, or nine times what the attempt took;
//     its listener is never given up.
//   - A listener evaluates nothing before the caches are complete in which its expressions and its
//     handler look objects up. Those of other clusters are not waited for.
//   - A resource that the API server does not have, or an API server that does not answer, affects
//     only the listeners concerned. They are tried again until they can be bound.
//   - A custom resource that is defined while informerd runs is listened to at once. One whose
//     definition is deleted ends with its objects, and its listeners are not ready until it is made
//     again; nothing of its second life is missed. A version that is not served any more is followed
//     to one that is, unless the configuration names it.
//   - Expressions are checked against the schema of a custom resource when their listener is bound,
//     and whenever that changes. A listener with a mistake is not ready, and goes on.
//   - A right that is missing affects only the listeners that need it. They are not ready, even if
//     they have not needed it so far; the reason and the log have the rule to grant. Within seconds
//     after it is granted they go on.
//   - /readyz, /healthz and the log name each listener that does not get its events, with the
//     reason: missing rights, a resource that does not exist, an API server that does not answer, a
//     handler that does not start.
//
// # When the configuration is reloaded
//
//   - It is reloaded on SIGHUP, by a command, and when the content of its files, its policies, its
//     modules or the files with values for handlers changes. Reloads are done one after the other.
//   - A change of a file after it was read is not missed, that before the daemon runs included.
//   - What is not a regular file is a mistake: nobody waits for a pipe.
//   - Files that only a configuration with mistakes names are watched as well, so that mending one
//     of them is enough.
//   - Nothing changes until all of the new configuration is known to be good, its handlers are
//     loaded and configured, and its outputs opened. With a mistake, nothing changes at all: the
//     log and the answer have every mistake, and a metric says so.
//   - A listener in which nothing differs is not touched.
//   - A listener in which something differs begins again: its workers finish the events that they
//     have, and then others begin with the new configuration. Its buffer, its timers, the states of
//     its rules and what waits for its outputs stay.
//   - Until what it looks up is there, and the informers of another scope have listed, it goes on
//     as it was.
//   - Another select, other rules and another scope of the informer are reported as what entered
//     and left, was violated and resolved by that.
//   - A state that the select before has refused does not come again. The object's next event may
//     have it as its old state.
//   - An API server that does not answer holds up no reload. A listener that is changed or removed
//     meanwhile does not wait for the answer.
//   - A listener whose select has changed decides everything after its buffer until a restart, and
//     the log says so.
//   - A listener that is removed, or is about another resource by now, finishes what it has within
//     shutdown.drain. One of the same name begins after that. So does one that a restart has
//     removed, with what the checkpoint has of it, but for what it had not judged.
//   - A handler, an output or an informer is closed when no listener uses it any more.
//   - A change of cluster, http, health, state or leaderElection is a mistake: it needs a restart. So
//     does one from one cluster to several, or back.
//   - What waits for an output that has changed goes to the new one.
//
// # When replicas share the work
//
//   - With sharding, a replica works on the shards that are its part. Each has its own listeners,
//     the informers of their events, and a keeper. The outputs, the dead letters, the host of
//     handlers and the informers in which objects are looked up are the replica's.
//   - A shard that is taken over goes on where its last owner has ended, by the code that goes on
//     after a restart.
//   - What replicas have in common of the shard is taken over first. Without an answer that is
//     tried again, and nothing of the shard runs until then. If it is of a later owner, the shard is
//     claimed again.
//   - A shard that is handed over ends as informerd does: first the intake, then the listeners,
//     which have a second at most; then what they have done is written down for the next owner.
//   - A replica that cannot renew its Lease in time delivers nothing from then on, and stops.
//   - A reload is about all shards. None begins or ends meanwhile, and no reload waits for one that
//     is taken over.
//
// # When there are several clusters
//
//   - Each has connections, informers, listeners and a keeper of its own, and those of each shard that
//     the replica has. The outputs, the dead letters and the host of handlers are the daemon's.
//   - One that is away, that forbids something or whose kubeconfig is unusable affects nobody else.
//   - One that joins begins as at a first start, or goes on with the checkpoint that there is.
//   - One that has other credentials goes on. One whose API server has another address, or that has
//     other labels or is named elsewhere, ends and begins as after a restart.
//   - One that leaves ends as listeners do that a reload removes, and its checkpoint is removed.
//   - The cluster that informerd itself belongs to is asked for Leases, for who may look, and for the
//     Secrets of clusters, and is not connected to if nothing needs it.
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
