// Package places knows where a field is that was named at another place: deeper below its parent,
// such as the restartCount of object.status, which is one of its containerStatuses, or on an item
// of a list that is asked about, such as name in any(list, name == "web").
//
// It reads the text around the name and writes the question as it should be. It does not compile
// what it writes. Whoever proposes it tries it first.
package places
