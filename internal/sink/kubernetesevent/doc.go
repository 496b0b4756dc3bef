// Package kubernetesevent is the output that writes a Kubernetes Event (events.k8s.io/v1) about the
// object of each message. A [Sink] does not use client-go's recorder, which takes an event before
// the API server has it, and drops events when its queue is full. Package kube sends the
// requests.
//
// # The Event
//
//	metadata.namespace   the object's; default for cluster-scoped objects
//	metadata.name        the object's name and a hash of the message
//	metadata.annotations informerd.dev/listener, and informerd.dev/message, the message's id
//	regarding            the object, with uid and resourceVersion
//	type                 Warning for a violation with severity medium, high or critical, else Normal
//	reason               the rule's name in CamelCase, with Resolved after it if the violation has
//	                     ended; ObjectAdded, ObjectUpdated, ObjectDeleted, ObjectResynced; for other
//	                     types their last part in CamelCase: com.example.cert-expires is CertExpires
//	action               Violated or Resolved; Added, Updated, Deleted or Resynced; Observed
//	note                 the rule's message; data that is a text, or the field note or message of data
//	                     that is an object, or else the data as JSON; a sentence for other messages
//	reportingController  informerd.dev/informerd
//	eventTime            the time of the message
//
// A note has at most 1 KiB, in whole characters.
//
// # What is promised
//
//   - A message is taken when the API server has its Event.
//   - A message that is written again, since the answer was lost, has one Event.
//   - The Event is in the object's cluster, and the objects of two clusters share none.
//   - Messages with the same object, listener, type, reason, action and note are one Event with a
//     series: its count and last time are updated, at most once per interval.
//   - A series ends when nothing was added for 6 minutes; the next message is a new Event.
//   - An Event that has expired or was deleted is created again.
//   - Memory is bounded: the series of 4096 Events are known. After that, and after a restart, a
//     message begins a new Event.
//   - An object that is gone can have Events, as long as its namespace exists.
//   - A namespace that is gone or is being deleted is a permanent error. A missing right is a
//     transient one, see sink.KubeFailure.
//   - Informerd's own Events are not written about, so that watching Events does not loop. The
//     messages about them count as taken.
//   - Write does not retry, and waits at most for the interval and one answer, or two if an Event
//     has expired.
package kubernetesevent
