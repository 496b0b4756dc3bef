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
//	endsAt       of a violation: 30 days after it was sent; of a resolution: when it was observed
//
// Labels that would be empty are left out. An alert without an end would be resolved by
// Alertmanager after its resolve_timeout of minutes; so an alert has an end that is far away, and
// each repeated report of its rule moves that. An Alertmanager keeps alerts in memory, though: let
// rules repeat, as in repeat: 5m, so that one that was restarted has them again, and if violations
// may last for more than 30 days. An alert whose rule was removed while it was violated can be
// ended with amtool alert add and the same labels.
//
// # What is promised
//
//   - A resolution has the labels of its violation, even if the object, and with it the configured
//     labels, is another one by then. So have repeated reports. This holds for the 65,536
//     violations that were sent last, also by the sinks before that had the same [NewSent], until
//     informerd ends.
//   - A message that is not a rule's report is a permanent error.
//   - A label whose expression fails is a permanent error.
//   - Texts that are not UTF-8 are sent with U+FFFD for what is not.
//   - An alert that Alertmanager refuses does not keep the others of its request from it.
package alertmanager
