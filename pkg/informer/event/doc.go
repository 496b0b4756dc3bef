// Package event is the vocabulary that every stage of informerd shares: Object, Event, Key, Op, and Path, the way
// to read a field. It is a leaf: it imports nothing of the project and no Kubernetes package.
//
// # Objects are bytes
//
// An [Object] is the JSON text the API server sent, less what was dropped on arrival, and a header (apiVersion, kind,
// namespace, name, uid, resourceVersion, generation, deletionTimestamp, labels) scanned once by [Parser.Parse]. Nothing
// else is decoded before somebody asks: [Path.Lookup] walks the text to one field and skips the rest.
//
// What is promised:
//   - An Object is immutable and safe for concurrent use. Its text is a Go string, so nobody needs to copy it to be safe.
//   - An Object's text is one valid JSON object in valid UTF-8, with apiVersion and kind in it, and has a name. Parse
//     refuses anything else with an error that gives the byte offset.
//   - An Object never shares memory with the buffer it was parsed from.
//   - metadata.managedFields is not in the text unless [Parser.KeepManagedFields] is set; the values of a Secret's data
//     are digests.
//   - A field that is missing is a [Value] of kind [Missing], never an error.
//   - If a key stands twice in one JSON object the header refuses it (in the top level and in metadata), and Path takes
//     the first. The API server never writes such text.
package event
