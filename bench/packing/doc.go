// Package packing compares ways to keep the JSON texts of Kubernetes objects in memory.
//
// A cache holds every object of a resource, reads few of them, and replaces some all the time. So a
// way to keep them is judged by what an object takes at rest, then by what it costs to put one in
// (once for each watch event) and to get the whole text back (for a filter that looks, a guest that
// is handed the object, a comparison with what was there).
//
// Objects of one owner are near copies of each other: replicas share their spec and differ in
// names, addresses and status. The contenders differ in how much they make of that, which is their
// scope:
//
//   - alone: each text by itself.
//   - everything: one dictionary for all texts, made of samples of them.
//   - workload: for each workload something made of one of its objects, the base.
//
// What is shared is not free: a dictionary has a size, and encoders keep tables, some of them
// hundreds of times as large as an object. BenchmarkShare counts that in, for 50 workloads of 3, 10
// and 400 objects, and BenchmarkFootprint gives it by itself. Neither counts what is kept for reuse
// in a sync.Pool, of which there are as many as goroutines run at once: flate's and
// zstd-workload-lazy's states. All bases and samples are pods that are not among those being
// packed.
//
// The texts are pods without managedFields, as the cache gets them:
//
//   - 2KB, 10KB, 50KB: 2,000 pods of 50 workloads; the names give the size with managedFields.
//   - 10KB-ids: container IDs and condition times differ from pod to pod, as they do in a cluster.
//     The pods of package objects have those of their workload, which flatters whoever uses a base.
//   - 10KB-update: 10KB-ids after a container's restart: another resourceVersion, restart count,
//     container ID and condition time.
//   - 10KB-previous: the same texts with the object's own state before as the base: what keeping an
//     old state beside the new one takes. One pod of each workload.
//
// The workloads of package objects draw their environment from few values, so dictionaries for
// everything do better here than they would in a cluster; those for a workload do not depend on
// that.
//
// Pack and unpack are timed one text after the other, so that no text is in the processor's cache
// because it was just used; 10KB-previous has too few for that. Packing includes the exact copy a
// store keeps. BenchmarkUnpack gives the text in new memory, which an object handed on needs, and
// BenchmarkUnpackReused in a buffer. The contender "copy" is the floor of all of it.
//
//	go test -run '^$' -bench . -benchtime 200ms ./packing
//	GOMAXPROCS=8 go test -run '^$' -bench Footprint -benchtime 1x ./packing
//
// The second command shows what grows with the number of goroutines that pack or unpack at once.
// The flag -cpu would not do: the first of its values comes into force only after a benchmark that
// uses b.Loop has run.
package packing
