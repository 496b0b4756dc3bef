// Package store keeps the last applied state of each object of an informer, and the indexes over
// them. It is a hash trie for each namespace, of which a snapshot costs nothing, so that readers
// never hold up the writer. It knows nothing of how objects arrive or of who wants to hear of them.
//
// # Promises
//
//   - One goroutine at a time writes; everything is safe for concurrent use.
//   - The lock is held for one change, one lookup, or one step of a Cursor, never for longer.
//   - What is returned is the stored object itself; objects are immutable.
//   - A snapshot is of one moment, and stays as it was taken.
//   - An index is what it would be if it were built from the stored objects again.
//   - An index function that panics leaves its object out of that index, and nothing else happens.
package store
