// Package packing compares ways to store the JSON texts of Kubernetes objects in memory.
//
// A cache holds every object of a resource, reads few of them, and keeps replacing some. A way to
// store them is therefore judged by the size of an object at rest, then by the cost of storing one
// (once for each watch event) and of restoring the whole text (for a filter, a guest that gets the
// object, a comparison with the previous state).
//
// Objects of one owner are near copies of each other: replicas share their spec and differ in
// names, addresses and status. The contenders differ in how much they use this, which is their
// scope:
//
//   - alone: each text by itself.
//   - everything: one dictionary for all texts, made of samples of them.
//   - workload: for each workload something made of one of its objects, the base.
//
// What is shared is not free: a dictionary has a size, and encoders keep tables, some of them
// hundreds of times as large as an object. BenchmarkShare includes them, for 50 workloads of 3, 10
// and 400 objects, and BenchmarkFootprint shows them separately. Neither counts what a sync.Pool
// keeps for reuse, of which there are as many as goroutines run at once: the states of flate and of
// zstd-workload-lazy. All bases and samples are pods that are not among those being packed.
//
// The texts are pods without managedFields, as the cache gets them:
//
//   - 2KB, 10KB, 50KB: 2,000 pods of 50 workloads; the names are the sizes with managedFields.
//   - 10KB-ids: container IDs and condition times differ from pod to pod, as they do in a cluster.
//     The pods of package objects have those of their workload, which favours contenders with a
//     base.
//   - 10KB-update: 10KB-ids after a container's restart: another resourceVersion, restart count,
//     container ID and condition time.
//   - 10KB-previous: the same texts with the object's own previous state as the base: the size of
//     an old state that is kept with the new one. One pod of each workload.
//
// The workloads of package objects draw their environment from few values, so dictionaries for
// everything do better here than in a cluster; those for a workload do not depend on that.
//
// Pack and unpack are timed with one text after the other, so that no text is in the processor's
// cache from its last use; 10KB-previous has too few for that. Packing includes the exact copy that
// a store keeps. BenchmarkUnpack returns the text in new memory, as an object passed on needs, and
// BenchmarkUnpackReused in a buffer. The contender "copy" is the lower bound.
//
//	go test -run '^$' -bench . -benchtime 200ms ./packing
//	GOMAXPROCS=8 go test -run '^$' -bench Footprint -benchtime 1x ./packing
//
// The second command shows what grows with the number of goroutines that pack or unpack at once.
// The flag -cpu does not work here: its first value takes effect only after a benchmark that uses
// b.Loop has run.
package packing
