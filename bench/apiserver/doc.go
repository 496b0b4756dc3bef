// Package apiserver serves lists and watches over HTTP as a Kubernetes API server does, of objects
// and changes that are made before anybody asks for them: while a client is measured, the server
// copies bytes and little else.
//
// What is promised:
//   - Every client that begins after a Reset gets the same bytes: the same objects, then, as Burst
//     and Paced let them out, the same changes in the same order. Changes go round the objects in
//     shuffled order, so that all have changed once before one changes again. In a collection with
//     Churn they are objects added and, in turns, the oldest deleted.
//   - A list comes in pages if it has a limit, all of one resourceVersion. Items of built-in kinds
//     come without apiVersion and kind. As a real server does, it returns the newest state.
//   - A watch gives the changes after its resourceVersion, or, with resourceVersion 0 or none,
//     first what there is. Frames are flushed when no further one is ready, and at the latest after
//     64. A bookmark comes each minute to those who ask for bookmarks.
//   - With a PartSelector, lists and watches are of that part of the objects. Together, the parts
//     are the same bytes as the whole.
//   - sendInitialEvents is refused with a Status of code 422, as by a server without streamed
//     lists, unless Config.WatchList is set; then the objects come as ADDED and a bookmark ends
//     them.
//   - Objects are JSON, or protobuf for clients that prefer it, if the collection was made with it.
//     Nothing is compressed.
//   - The discovery endpoints that informers need are there, without the aggregated form. Nobody
//     has to authenticate, and self access reviews are always granted.
//
// Below /bench/ are the handles of the benchmark: see control.go.
package apiserver
