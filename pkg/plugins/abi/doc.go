// Package abi is the reference of informerd/v1, the interface between informerd and a WebAssembly
// handler (the guest), for authors of guests and guest SDKs. The host in pkg/plugins is built from
// the same tables. It is a leaf package.
//
// Only core WebAssembly 1.0 value types cross the boundary. Pointers and lengths are unsigned
// 32-bit numbers in an i32 and refer to the guest's own memory. There is no malloc export: a guest
// owns its buffers, and as it runs on one thread, one static buffer is enough.
//
// A guest is a core module of at most 32 MiB (limits.module) within WebAssembly 2.0, without
// threads, tail calls and exceptions. It has one memory, and its tables do not grow beyond 65,536
// elements. Its calls may be nested some 100,000 deep. Nothing of one event is left for the next
// but what the guest itself keeps in its memory, or in kv.v1.
//
// # What a guest exports
//
//	memory                                                required
//	informerd_abi_v1 () -> ()                             required, never called: its name is the major version
//	on_event (op, flags, object_len, old_len i32) -> i32  one call for each event, returns a verdict
//	on_batch (n i32) -> i32                               one call for n events, returns a verdict
//	configure () -> i32                                   optional, called once before the first event, 0 = ready
//	_initialize () -> ()                                  optional, called once before configure
//
// A guest exports on_event, or on_batch, or both. One with on_batch alone gets a single event as a
// batch of one.
//
// Configure compiles the paths the guest will read, reads its configuration and refuses bad
// settings: any result other than 0 fails the load, with the text given to result.v1 error as the
// reason.
//
// The arguments of on_event:
//
//	op           1 add, 2 update, 3 delete, 4 resync
//	flags        bits: 1 initial, 2 final state unknown, 4 earlier events of this object were missed,
//	             8 resumed: it happened while nobody watched, and states may have been passed over
//	object_len   length of the object's JSON text in bytes
//	old_len      length of the old object's JSON text; 0 if there is none (only an update has one)
//
// A guest ignores other flags: bits are only ever added.
//
// Its result, the verdict:
//
//	0 done    the event goes on to the outputs, or what was emitted does
//	1 drop    stop: nothing goes to the outputs
//	2 retry   try this event again later
//	3 fail    do not try again: to the dead letters
//
// Any other result is a protocol error. A protocol error, a trap, a call of proc_exit and a passed
// deadline are crashes: the instance is thrown away with all its memory and a new one takes its
// place. A guest must therefore treat what it remembers between events as a cache. Each worker of a
// listener has an instance of its own.
//
// # Batches
//
// The arguments of on_batch are the number of events in it. The guest pulls them with event.v1
// next, in their order; what is said below of on_event then holds for the event that was pulled
// last: its fields, its emissions and their limits, and its error text are its own. Before the
// first is pulled there is no event, and the functions that need one return wrong phase. The
// deadline of a batch is that of one event times their number.
//
// The result is the verdict for all events, also for those that were not pulled, except for those
// whose record the guest has written another verdict into; see next. A crash is one of the whole
// batch: none of its events counts as handled.
//
// # What a guest may import
//
// One module is one capability, so the import section of a guest is its request for rights. A guest
// that imports what it was not granted is refused at load.
//
//	informerd/event.v1      always granted
//	  object  (which i32, off i32, ptr i32, cap i32) -> i32
//	  path    (ptr i32, len i32) -> i32
//	  field   (which i32, handle i32, ptr i32, cap i32) -> i64
//	  changed (handle i32) -> i32
//	  prefetch (ptr i32, cap i32, handles i32, n i32) -> i32
//	  next    (ptr i32, cap i32) -> i32
//	informerd/result.v1     always granted
//	  emit    (kind i32, ptr i32, len i32) -> i32
//	  error   (ptr i32, len i32) -> ()
//	informerd/config.v1     always granted
//	  get     (ptr i32, cap i32) -> i32
//	informerd/log.v1        needs the grant "log"
//	  log     (level i32, ptr i32, len i32) -> ()
//	  enabled (level i32) -> i32
//	informerd/kv.v1         needs the grant "kv"
//	  get     (key i32, key_len i32, ptr i32, cap i32) -> i32
//	  set     (key i32, key_len i32, ptr i32, len i32, ttl_ms i64) -> i32
//	  delete  (key i32, key_len i32) -> i32
//	  cas     (key i32, key_len i32, old i32, old_len i32, ptr i32, len i32, ttl_ms i64) -> i32
//	informerd/clock.v1      needs the grant "clock"
//	  now_ns  () -> i64
//	informerd/random.v1     needs the grant "random"
//	  fill    (ptr i32, len i32) -> i32
//	informerd/http.v1       needs the grant "http"
//	  request (head i32, head_len i32, body i32, body_len i32) -> i32
//	  header  (name i32, name_len i32, ptr i32, cap i32) -> i32
//	  body    (off i32, ptr i32, cap i32) -> i32
//	informerd/cache.v1      needs the grant "cache"
//	  resource   (ptr i32, len i32) -> i32
//	  get        (resource i32, ns i32, ns_len i32, name i32, name_len i32) -> i32
//	  by_index   (resource i32, index i32, index_len i32, value i32, value_len i32) -> i32
//	  iter_next  (iter i32) -> i32
//	  iter_field (iter i32, path i32, ptr i32, cap i32) -> i64
//	  iter_close (iter i32) -> i32
//
// Within a v1 module functions are only ever added. A pointer that leaves the guest's memory is a
// trap, whatever the function. Other mistakes are answered with a status, a negative number:
//
//	-1 not found   -2 bad argument   -3 denied   -4 quota   -5 unavailable   -6 wrong phase
//
// Unless said otherwise, a result >= 0 is a length in bytes. It may exceed cap: then nothing was
// written, and the guest calls again with more room.
//
// # informerd/event.v1
//
// Which is 0 for the object and 1 for the old object.
//
// object copies a window of the JSON text, from byte off, at most cap bytes, and returns the number
// of bytes copied: 0 when off is at or behind the end. Not found if there is no old object; wrong
// phase outside of on_event.
//
// path compiles a field path such as metadata.labels["app"] and returns a handle >= 0. Only in
// configure (else wrong phase). Bad argument if the text is not a path, quota after [MaxPaths]
// paths.
//
// field reads one field. The high 32 bits of the result are a tag, the low 32 bits the full length
// of the value's text: a string's decoded text, any other value's JSON text.
//
//	tag 0 missing  1 null  2 bool  3 number  4 string  5 array  6 object
//
//	4<<32 | 7   (17179869191)   a string of 7 bytes, written if cap >= 7
//	3<<32 | 2   (12884901890)   a number whose JSON text has 2 bytes, as in 42
//	4<<32 | 0   (17179869184)   an empty string
//	1<<32 | 4   (4294967300)    null
//	0<<32 | 0   (0)             missing: there is no such field, or no old object
//	-2                          bad argument: no such handle, or which is neither 0 nor 1
//
// A missing field has length 0. All results with the top bit set are statuses.
//
// changed reports whether the field differs between the object and the old one, 1 or 0. It compares
// the texts. An add has nothing before it and a delete nothing after it, so there every field that
// exists has changed; a resync changes nothing.
//
// prefetch declares the fields that the host writes to the guest before each on_event, and at each
// next, so that reading them takes no call. Only in configure (else wrong phase). It leaves the cap
// bytes at ptr to the host, and reads n handles, i32 each, at handles; a handle plus 65536 is the
// old object's field. The result is 0. It is a bad argument if a handle is not one that path
// returned, n is more than 64, or cap is less than 4+12n; then nothing is changed. The last call
// counts; n = 0 ends it. All numbers are little-endian u32:
//
//	at ptr              n
//	at ptr + 4 + 12i    tag, length and offset of field i; tag and length are as field returns them
//	at ptr + offset     the field's text
//
// The texts follow in the order of the fields. One that no longer fits has offset 0, and those
// behind it may still fit: get it with field. A text of length 0 always fits. The guest may write
// to the buffer; it is written again for the next event, bytes behind the last text excepted.
//
// next moves to the next event of the batch and writes a record of it at ptr, five little-endian
// i32:
//
//	op, flags, object_len, old_len    as the arguments of on_event
//	verdict                           -1: that of the whole batch
//
// It returns the number of bytes written, 20 and never more than cap; not found when there is no
// event left, bad argument if cap is less than 20 (then the event at hand remains), wrong phase
// outside of on_batch. The host reads the verdict back when the guest asks for the next event or
// on_batch returns, so the guest leaves the record alone until then, or writes one of the four
// verdicts into it. Any other number but -1 is a protocol error.
//
// # informerd/result.v1
//
// emit passes an output of this event to the host; 0 = taken. Only in on_event. Emissions of an
// event count only if its verdict is done. The kinds:
//
//	1 event   a JSON object {"type": "reverse.dns.type", "data": …}: an event of its own. If there is at least one, the
//	          events go to the outputs in place of the object's event. The type is printable ASCII without spaces, at
//	          most 256 bytes; data is any JSON value, and may be left out. Types that begin with one of
//	          [ReservedTypes] are denied.
//	2 data    a JSON value that takes the place of the data of the object's event. At most one for each event: quota.
//
// A text that is not so, or another kind, is a bad argument. The number and the bytes of the
// emissions of one event are limited: quota. No guest needs a grant to emit, but the grant "emit"
// may name the kinds and the types of events that are taken: any others are denied, a kind even
// where there is no room.
//
// error says why configure refuses or why the verdict is retry or fail, for logs and dead letters;
// at most [MaxMessage] bytes are kept. The last one counts.
//
// # informerd/config.v1
//
// get copies the handler's configuration, always a JSON object ({} if there is none). It may be
// called at any time.
//
// # informerd/log.v1
//
// log writes one line to the log of informerd: level 0 debug, 1 info, 2 warn, 3 error; a level
// beyond that is taken as the nearest. Lines are cut at [MaxLogLine] bytes and limited in number
// for each second; what was left out is counted. enabled reports whether a line of that level would
// be written, 1 or 0.
//
// # informerd/kv.v1
//
// A store of small values, one for each listener. All its workers' instances share it, it outlives
// a crash and the exchange of the module, and, if the grant says so, a restart of informerd (but
// for the last second, should informerd be killed). Keys have 1 to [MaxKVKey] bytes, values at most
// [MaxKVValue], of any content. The functions work from configure on; before that they return wrong
// phase. A key of another length is a bad argument.
//
// get copies the value of a key; not found if there is none.
//
// set stores a value; 0 = stored. It is gone ttl_ms milliseconds later; 0 means as long as the
// grant allows, and so does a longer time. Bad argument if ttl_ms is negative; quota if the value
// is too long, or if there were more keys or more bytes of values than granted. A value that takes
// the place of one at least as long is always taken.
//
// delete removes a key; 0 = removed, or not found.
//
// cas is set, but only if the key's value is the old_len bytes at old, or, with old_len = -1, if
// there is no such key. 1 = stored, 0 = the value is another. Two instances that count in one value
// read it with get, and do so again until cas returns 1.
//
// # informerd/clock.v1
//
// now_ns returns the time in nanoseconds since 1970 in UTC. It may stand still or go back. The
// grant may fix it.
//
// # informerd/random.v1
//
// fill writes len random bytes; 0 = written. Bad argument if len is more than [MaxRandom]. The
// grant may name a seed: each instance then gets the same bytes in the same order.
//
// # informerd/http.v1
//
// request makes an HTTP request, waits for the answer and returns its status code, such as 200.
// Only in on_event (else wrong phase). The head is a JSON object:
//
//	{"method": "POST", "url": "https://hooks.example.com/x", "headers": {"Content-Type": "application/json"}}
//
// Without a method it is a GET; the headers may be left out. The body is any bytes, none if
// body_len is 0. There is one request at a time, and one answer: header and body read that of the
// last request until the next one or the end of the event, and a request that fails has none. What
// makes a request fail:
//
//	-2 bad argument  the head is not as above or has more than [MaxHTTPHead] bytes or [MaxHTTPHeaders] headers; the URL has
//	                 a user name, a path with dot segments or encoded slashes, or characters that are not printable ASCII;
//	                 a header's name is not a token, or occurs twice, or its value has a line break or control character
//	-3 denied        the URL, the method or the address that the host's name leads to is not granted; the header is one of
//	                 those that belong to the connection, such as Host, Content-Length or Transfer-Encoding
//	-4 quota         too many requests for this event, too large a body, or too large an answer: then the request was made
//	-5 unavailable   no answer, or none in time; the request may have been made
//
// A request that is refused before it is sent does not count. Redirects are followed up to three
// times, as long as they stay with the scheme, host and port and within the grant; any other is the
// answer, with its status and its Location. The grant may add headers that the guest does not see;
// they take the place of the guest's own. Answers are not decompressed. The time of a request is
// none of the guest's computing time, but the deadline of the event keeps running: a request is
// given up, as unavailable, once it has taken nine tenths of what was left of it, so that the guest
// can still return a verdict, or earlier if the grant says so.
//
// header copies the value of one of the answer's headers, whose name may be in any case; values of
// several of that name are joined by a comma and a space. Not found if there is none or no answer,
// bad argument if the name has more than [MaxHTTPHead] bytes.
//
// body copies a window of the answer's body, from byte off, at most cap bytes, and returns the
// number of bytes copied: 0 when off is at or behind the end. Not found if there is no answer.
//
// # informerd/cache.v1
//
// Objects of other informers are read from their caches, as these are at that moment: it takes no
// request, and two reads may see two states. Secret data is replaced by digests wherever the
// event's would be.
//
// resource returns a handle >= 0 for an informer, by its name in the configuration. It may be
// called at any time, and returns the same handle for the same name. Denied if the grant does not
// name the informer.
//
// get finds an object and returns an iterator that is on it, an integer >= 0. The namespace is
// empty for cluster-scoped objects. Not found if there is none.
//
// by_index finds the objects that have a value in one of the informer's indexes, in any order, and
// returns an iterator that is before the first of them. There may be none; an index that the
// informer does not have finds none.
//
// iter_next moves to the next object: 1 if the iterator is on one now, 0 if there is none
// left.
//
// iter_field reads a field of the object that the iterator is on: path is a handle of event.v1
// path, or -1 for the whole object, and the result is as that of event.v1 field. Not found if it
// is on none.
//
// iter_close closes an iterator; 0 = closed. Those that are open at the end of an event are
// closed then.
//
// All but resource are for on_event only (else wrong phase). A handle or iterator that is none, or
// a text of more than [MaxLookup] bytes, is a bad argument. Where the grant names namespaces, get
// is denied in any other (the empty one included), and objects of others are left out of by_index.
// Quota: there are [MaxIterators] open iterators already, or the objects that get and iter_next
// moved to for this event are more, or have more bytes, than granted; such an iter_next
// leaves the iterator on no object. Unavailable: there are no caches to read here.
//
// # WASI
//
// Guests of stock toolchains import wasi_snapshot_preview1. Of that, the clocks, random_get,
// sched_yield and proc_exit work, and what is written to stdout and stderr goes to the log, cut and
// limited as above. There are no arguments, no environment and no files: those functions answer
// with an error number. Sleeping returns at once, with the monotonic clock moved on. Sockets are
// refused at load. Where the grants "clock" and "random" fix the time or name a seed, they hold for
// WASI as well.
//
// # Commands
//
// A module with the export _start () -> () and without informerd_abi_v1 is a WASI command: a
// program of any language, without an SDK. Its memory is exported like any guest's. It imports
// nothing but wasi_snapshot_preview1, so it has no host functions. It is started again for each
// event or batch of events, and has the deadline of a batch. It reads the events from stdin, one
// line of JSON each, until the end of stdin:
//
//	{"op":"update","initial":true,"finalStateUnknown":true,"missed":2,"resumed":true,"config":{…},"object":{…},"old":{…}}
//
// op is add, update, delete or resync. initial, finalStateUnknown, missed, resumed, config (the
// handler's configuration) and old are left out if they are false, 0, {} and not there; further
// fields may be added. It writes one line to stdout for each event, in their order:
//
//	{"verdict":"done","error":"…","emit":[{"type":"reverse.dns.type","data":…},{"data":…}]}
//
// verdict is done, drop, retry or fail; the others may be left out. error is as the text of
// result.v1 error. An element of emit with a type is an emission of kind event, one without is
// data, within the same limits and the same grant. Empty lines are skipped. Then it ends, with exit
// code 0. Anything else is a crash, and none of the events counts as handled. What it writes to
// stderr goes to the log.
package abi
