// Package objects makes Kubernetes objects as an API server writes them: compact JSON,
// managedFields included, members in the order of the API types for built-in kinds and in
// alphabetical order for custom resources.
//
// The same arguments always return the same bytes, so that benchmarks can be repeated and compared.
// Each object has any number of later states (Revision), which differ from the created object only
// in what the controllers of such objects keep writing.
//
// The kinds differ in how similar their objects are, which determines how much informerd can save:
//
//   - Pods, ConfigMaps, Widgets: replicas of 50 workloads, which share nearly all of their text.
//     This is the best case.
//   - ManyWorkloadPods: replicas of 5,000 workloads, so that few objects share a text.
//   - JobPods: each pod has its own Job, and with it its own labels and generateName; 50 specs.
//   - SharedLabelPods: 50 workloads, but all pods have the same labels and no generateName, so only
//     the spec shows their workload.
//   - Nodes: similar, with their own labels and images; a change is a heartbeat.
//   - UnlikeConfigMaps: no two have a line of text in common. One of 1 MB is as large as objects
//     get.
//   - Events, Leases: small; EndpointSlices: one element of a list changes.
//   - Secrets: random data, all of which is replaced in a change. informerd keeps digests of it,
//     the other contenders the data.
//   - Mixed: custom resources of 20 shapes, as if as many kinds were mixed in one informer.
package objects
