// Package migrate is informerd migrate: it converts configurations of kubernetes-event-exporter and
// kubewatch.
//
//   - The result passes informerd validate, once the environment variables that it names are set.
//   - What of the original is not in it is reported with its place.
//   - Secrets of the original are never in the result.
package migrate
