// Package alertmanager is the output that posts what rules report to the API v2 of an Alertmanager:
// a violation is a firing alert, its resolution ends it. Package httpsink has what an answer means,
// and when a request is worth a retry.
//
// # The alert
//
//	labels       alertname, which is the rule, severity, cluster, listener, resource, namespace, name,
//	             and the configured ones, which take the place of these except alertname
//	annotations  message: the rule's
//	startsAt     when the violation began
//	endsAt       of a violation: after four repeats of its rule, as Prometheus does it, or 30 days
//	             if it does not repeat; of a resolution: when it was observed
//
// Labels that would be empty are left out. An alert without an end would be resolved by
// Alertmanager after its resolve_timeout of minutes; so an alert has an end that is far away, and
// each repeated report of its rule moves that. Let rules repeat, as in repeat: 5m: an Alertmanager
// keeps alerts in memory, and one that was restarted has them again; and an alert ends by itself
// once nobody reports it any more, because informerd, its listener or its rule has gone.
//
// # What is promised
//
//   - A resolution has the labels of its violation, even if the object, and with it the configured
//     labels, is another one by then. So have repeated reports. This holds for 65,536 violations
//     of each listener in each cluster, also of sinks before that had the same [Sent], or the records that it has
//     written.
//   - A message that is not a rule's report is a permanent error.
//   - A label whose expression fails is a permanent error.
//   - Texts that are not UTF-8 are sent with U+FFFD for what is not.
//   - An alert that Alertmanager refuses does not keep the others of its request from it.
package alertmanager
