// Package object has the Kubernetes object as every stage of informerd sees it: [Object] and its
// [Key], the [Parser] that makes objects of JSON, and [Path], which reads a field. An Object is the
// JSON text that the API server sent and a small header; nothing else is decoded before it is asked
// for. The package imports nothing of the project and no Kubernetes package; its machinery is in
// internal packages below.
//
// # Promises
//
//   - An Object is immutable and safe for concurrent use.
//   - Its text is one valid JSON object in valid UTF-8, with apiVersion, kind and a name.
//   - It never shares memory with the buffer it was parsed from.
//   - What a parser has read before never changes what it makes of a text, except for the form.
//   - Text that is not an object is refused with an error that names the byte offset.
//   - Each byte that is not UTF-8 becomes U+FFFD, as in encoding/json.
//   - Of duplicate names the last one counts, as in encoding/json; the others are removed.
//   - metadata.managedFields is removed unless [Parser.KeepManagedFields] is set.
//   - The values of a Secret are digests with a secret key; nothing else remembers them. So are its
//     annotations, which may have copies, but for those that are known to be harmless.
//   - A missing field is a [Value] of kind [Missing], never an error.
//
// Fields of the header, except for the labels, must not have duplicates. The API server never
// writes duplicate names.
//
// # Reading fields
//
// [Path.Lookup] walks the text to one field and skips the rest, and [Scratch.LookupAll] walks it to
// several. A [Scratch] reads fields of many objects with the same memory.
//
// # Packed objects
//
// A parser remembers some of what it has read and reads similar objects against it: an object
// against its own last state, if [Parser.Last] returns it, or against an object of the same origin.
// An object that is nearly a copy of the other one is packed: it keeps only the difference. It
// answers like any other object and takes more work each time; [Object.Plain] undoes that. The text
// that packed objects refer to stays in memory as long as one of them does. It is at most four
// times as long as each of them, and [Object.Hold] counts it once.
//
// # Dense objects
//
// A [Condenser] makes an object dense that has not been replaced for a while and that no other
// object shares its text with. It keeps its JSON compressed with zstd, with a dictionary made of
// objects of its kind if there are many. That takes 10 to 80 us, and a third of that each time its
// text or a label is read; key, UID and resourceVersion take no longer than before. A Scratch
// decompresses an object once. The next state of the object is plain again.
//
// # Encoded objects
//
// An [Encoder] writes objects to bytes that survive the process, and a [Decoder] reads them again:
// with the same JSON and header, and in their stored form, so that a text that many objects share
// is written once. A Decoder parses every text. Any input is an error, or objects that keep the
// promises above.
//
// # Design decisions
//
// An object's text is a string, so that the compiler enforces that nobody changes what the store,
// buffers and handlers share.
//
// [Scratch.LookupAll] walks an object once for all fields, where 64 missing fields would read it
// 64 times: 16 fields take a third of the time of single walks (BenchmarkPaths). For two fields
// of an object of at most 1 KB two walks are shorter, so two are made.
//
// A Decoder parses every text, since the readers of a packed object trust its offsets. For a pod
// of 10 KB that takes 7 us, as long as reading a LIST; restoring the bytes would take 0.6 us, and
// turn a damaged file into a wrong event.
//
// The digests of Secrets are HMACs with a random key: of a plain hash of a password somebody can
// try a million a second. Digests of two informerds differ on purpose.
//
// Only what is cold is compressed, which takes several times as long as an event: 59 us for a
// ConfigMap of 8 KB, 25 us to read it again. zstd's fastest level halves what resembles nothing
// (ConfigMaps 52 %, Nodes 37 %, Events 50 %); with a dictionary of their kind it is 41 %, 18 %
// and 20 %. A dictionary of 8 KB does nearly as well as one of 32 KB; slower levels save 1 to 4
// points, and s2's output is half as large again.
package object
