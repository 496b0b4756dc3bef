// Package apiserver serves lists and watches over HTTP as a Kubernetes API server does, with
// objects and changes that are prepared in advance: while a client is measured, the server copies
// bytes and does little else.
//
// # Promises
//
//   - Every client that starts after a Reset gets the same bytes: the same objects, then, as Burst
//     and Paced release them, the same changes in the same order. Changes visit the objects in
//     shuffled order, each once before any changes again. In a collection with Churn they alternate
//     between additions and deletions of the oldest object.
//   - A list with a limit comes in pages, all with the same resourceVersion. Items of built-in
//     kinds have no apiVersion and kind. As in a real server, it returns the newest state.
//   - A watch sends the changes after its resourceVersion; with resourceVersion 0 or none, it sends
//     the existing objects first. Frames are flushed when no further one is ready, and at the
//     latest after 64. Clients that ask for bookmarks get one each minute.
//   - With a PartSelector, lists and watches have that part of the objects. Together, the parts
//     have the same bytes as the whole.
//   - sendInitialEvents is rejected with a Status of code 422, as by a server without streamed
//     lists, unless Config.WatchList is set; then the objects arrive as ADDED, followed by a
//     bookmark.
//   - Objects are JSON, or protobuf for clients that prefer it, if the collection has it. Nothing
//     is compressed.
//   - The discovery endpoints that informers need exist, without the aggregated form. No
//     authentication is needed, and self access reviews are always granted.
//
// The endpoints of the benchmark itself are below /bench/: see control.go.
package apiserver
