// Package object is a Kubernetes object as every stage of informerd has it: Object, its Key, the
// Parser that makes it of bytes, and Path, the way to read a field. It is a leaf: it imports
// nothing of the project and no Kubernetes package.
//
// # Objects are bytes
//
// An [Object] is the JSON text the API server sent, less what was dropped on arrival, and a header
// (apiVersion, kind, namespace, name, uid, resourceVersion, generation, deletionTimestamp, labels)
// found once by a [Parser]. Nothing else is decoded before somebody asks: [Path.Lookup] walks the
// text to one field and skips the rest, [Scratch.LookupAll] to several.
//
// A parser remembers some of what it has read, and reads what resembles it against that: an object
// against its own last state, if [Parser.Last] knows that, or against one of the same origin. An
// object that is nearly a copy of the other is packed: it keeps only the difference. It answers
// like any other, for some more work each time; [Object.Plain] undoes it, [Scratch] reads fields of
// many. The text that packed objects refer to is in memory as long as one of them is, is at most
// four times as long as each of them, and is counted once by [Object.Hold].
//
// An object that resembles none, or that no other one shares its base with, can be made dense by a
// [Condenser], once nobody has replaced it for a while: it keeps its JSON compressed with zstd,
// against a dictionary of some objects of its kind if there are many. That takes 10 to 80 us, and a
// third of that each time its text or a label is read; key, UID and resourceVersion take no more
// than before. A Scratch decompresses an object once. The next state is plain again.
//
// What is promised:
//   - An Object is immutable and safe for concurrent use. Its text is a Go string, so nobody needs
//     to copy it to be safe.
//   - An Object's text is one valid JSON object in valid UTF-8, with apiVersion and kind in it, and
//     has a name. Of bytes that are not UTF-8 each becomes U+FFFD, as in encoding/json. A parser
//     refuses anything else with an error that names the byte offset.
//   - An Object never shares memory with the buffer it was parsed from.
//   - What a parser has read before never changes what it makes of a text, only how fast it is and
//     what form the object has.
//   - metadata.managedFields is not in the text unless [Parser.KeepManagedFields] is set; the
//     values of a Secret's data are digests with a secret key, and nothing else remembers them.
//   - A field that is missing is a [Value] of kind [Missing], never an error.
//   - If a name occurs twice in one JSON object, the last one counts, as in encoding/json, and the
//     others are not in the Object's text. What the header needs must not occur twice, but for
//     labels. The API server never writes such text.
package object
