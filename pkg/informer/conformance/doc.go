// Package conformance holds pkg/informer to client-go's informer: its tests run both against the
// same scripted API server and compare what their handlers see and what their stores hold.
//
// A script is generated from a seed, and is a list of steps: changes of objects, and the faults
// with which the server answers. Each side runs it alone, in a world of its own without real time
// (testing/synctest), over HTTP/1.1 through pipes in memory. A script goes by what the clients ask
// and never by time: a step begins when the client has come to rest from the one before. So both
// sides meet the same faults in the same order, and must agree after every step in
//
//   - the sequence of (op, resourceVersion, UID, initial, final state unknown) of each object, for
//     a listener that was there from the start and for one that came later,
//   - the store, object by object and field by field,
//   - the last resourceVersion, and whether the informer has synced.
//
// Where pkg/informer differs on purpose, the comparison translates client-go's sequence, and a test
// in profile_test.go holds the difference itself.
//
// The seeds that run are 60, and as many as CONFORMANCE_SEEDS says if it is set; CONFORMANCE_SEED
// runs a single one and prints its script.
package conformance
