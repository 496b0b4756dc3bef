// Package objects makes Kubernetes objects as an API server writes them: compact JSON,
// managedFields included, members in the order of the API types for built-in kinds and in
// alphabetical order for custom resources. The same arguments always return the same bytes, so a
// benchmark can be repeated and its figures compared. Each object has any number of later states
// (Revision), which differ from the object as created only in what such an object's controllers
// write all the time.
//
// The kinds differ in what their objects have in common, which is what decides how much informerd
// can save:
//
//   - Pods, ConfigMaps, Widgets: replicas of 50 workloads, which share nearly all of their text.
//     This is the best case.
//   - ManyWorkloadPods: replicas of 5,000 workloads, so that few objects share a text.
//   - JobPods: each pod has a Job, and with it labels and a generateName, of its own; 50 specs.
//   - SharedLabelPods: 50 workloads, but all pods have the same labels and no generateName, so that
//     only the spec says to which they belong.
//   - Nodes: alike, with labels and images of their own; a change is a heartbeat.
//   - UnlikeConfigMaps: no two have a line of text in common. One of 1 MB is as large as objects
//     get.
//   - Events, Leases: small; EndpointSlices: one element of a list changes.
//   - Secrets: random data, all of it replaced in a change. informerd keeps digests of it, the
//     others the data.
//   - Mixed: custom resources of 20 shapes, as if so many kinds were mixed in one informer.
package objects
