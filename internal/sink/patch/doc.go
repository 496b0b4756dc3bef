// Package patch is the output that patches the object of each message on the API server: by
// server-side apply, a JSON patch or a merge patch. A [Sink] sends the patches, and [Writes], which
// the outputs of a daemon share, knows which states of objects they made, so that a listener does
// not get its own writes as events. Package kube sends the requests, each to the cluster that the
// message's object is of. What is known of the objects of one cluster says nothing of another's.
//
// # What is sent
//
//   - The patch is what the expression returns or, without one, the message's data, such as what a
//     handler emitted. null, or no data, is no patch: the message is taken. So is an empty JSON
//     patch or merge patch.
//   - It is for the message's object. In an apply or merge patch, apiVersion, kind, name and
//     namespace are filled in; if they name another object, that is a permanent error.
//   - It names the object's uid or version, so that an object that was deleted and created again is
//     not patched, and apply creates none. That the object is gone is a permanent error.
//   - managedFields are removed from apply and merge patches.
//   - Texts arrive as they are, also those that the API server's YAML reads in another way than
//     JSON.
//   - The field manager is informerd/<listener>.
//   - Apply does not take fields from other managers: a conflict is a permanent error that lists
//     them. JSON and merge patches take them.
//   - A delete has nothing to patch: the message is taken. That includes what a rule reports of a
//     deleted object.
//   - Subresources are not patched. Most resources ignore a status in a patch.
//   - With DryRun the server checks everything, and stores nothing.
//
// Objects are as informerd has them, with digests for the values of Secrets, so a patch must not
// copy those. With apply, a field that the listener applied before and that the new patch does not
// have is removed. So all applied patches of one listener for an object have to have the same
// fields, or the listeners have to be different.
//
// # Own writes
//
//   - An update is own if a patch of the listener made it: its new state of its old one. [Own.Own]
//     reports that; other listeners get the event.
//   - An answer that comes after the event is waited for, for at most 5 s. An event of an object
//     that no patch is under way for never waits.
//   - A patch that changed nothing made no version. To know this for sure, a patch names the
//     version that it is based on. If the object has changed since the message, the sink reads its
//     version and sends the patch again, at once and at most 5 times.
//   - Updates with merged states, adds, deletes and resyncs are never own.
//   - If the answer is lost, or the process starts again, the own write arrives as an event.
//   - Memory is bounded: versions are forgotten after 5 minutes, when newer ones arrive as events,
//     and beyond 50,000 for a listener; all of a cluster with [Writes.Forget].
//
// # Loops
//
//   - If the patches of all listeners have changed an object 10 times within a minute, the next one
//     waits: the error is transient and asks for a delay of a minute. Each further pause that
//     begins soon after the last one is twice as long, up to 16 minutes.
//   - Each pause is logged once, counted, and recorded as a Kubernetes Event about the object.
//   - Other objects are patched meanwhile: the error is about the message alone. Of 20,000 objects
//     of a cluster the changes are known.
//
// # Errors
//
//   - No answer, 401, 408, 409 except for apply's conflicts, 425, 429 and 5xx are transient, and so
//     is a missing right; other 4xx are permanent, such as 422, a patch that the server refuses. So
//     is an object that is too large for etcd, which is a 500.
//   - A resource that the server does not have is a transient error about the message alone, until
//     it has been missing for two minutes. See [Writes.Renewed] for one that changes its version.
//   - Write retries only what its own version check refused, and within its timeout.
package patch
