// Package migrate converts configurations of kubernetes-event-exporter, kubewatch and
// shell-operator.
//
//   - What is converted selects the same events as the original, by what the tools document. What
//     differs, and what cannot be converted, is reported with its place and the reason.
//   - The result is valid: what informerd would refuse is taken out before, and reported.
//   - Secrets of the original are not in the result. It names environment variables instead, and
//     the report lists them.
//   - Nothing of the original is run: scripts are searched for configurations, and no more.
package migrate
