// Package abi is the reference of informerd/v1, the interface between informerd and a WebAssembly handler (the guest),
// for authors of guests and guest SDKs. The host in pkg/plugins is built from the same tables. It is a leaf package.
//
// Only core WebAssembly 1.0 value types cross the boundary. Pointers and lengths are unsigned 32-bit numbers in an i32
// and refer to the guest's own memory. There is no malloc export: a guest owns its buffers, and as it runs on one
// thread, one static buffer is enough.
//
// A guest is a core module of at most 8 MiB within WebAssembly 2.0, without threads, tail calls and exceptions. It has
// one memory, and its tables do not grow beyond 65,536 elements. Nothing of one event is left for the
// next but what the guest itself keeps in its memory, or in kv.v1.
//
// # What a guest exports
//
//	memory                                                required
//	informerd_abi_v1 () -> ()                             required, never called: its name is the major version
//	on_event (op, flags, object_len, old_len i32) -> i32  one call for each event, gives a verdict
//	on_batch (n i32) -> i32                               one call for n events, gives a verdict
//	configure () -> i32                                   optional, called once before the first event, 0 = ready
//	_initialize () -> ()                                  optional, called once before configure
//
// A guest exports on_event, or on_batch, or both. One with on_batch alone gets a single event as a batch of one.
//
// Configure compiles the paths the guest will read, reads its configuration and refuses bad settings: any result other
// than 0 fails the load, with the text given to result.v1 error as the reason.
//
// The arguments of on_event:
//
//	op           1 add, 2 update, 3 delete, 4 resync
//	flags        bits: 1 initial, 2 final state unknown, 4 earlier events of this object were missed
//	object_len   length of the object's JSON text in bytes
//	old_len      length of the old object's JSON text; 0 if there is none (only an update has one)
//
// Its result, the verdict:
//
//	0 done    the event goes on to the outputs, or what was emitted does
//	1 drop    stop: nothing goes to the outputs
//	2 retry   try this event again later
//	3 fail    do not try again: to the dead letters
//
// Any other result is a protocol error. A protocol error, a trap, a call of proc_exit and a passed deadline are
// crashes: the instance is thrown away with all its memory and a new one takes its place. A guest must therefore
// treat what it remembers between events as a cache. Each worker of a listener has an instance of its own.
//
// # Batches
//
// The arguments of on_batch are the number of events in it. The guest pulls them with event.v1 next, in their order; what
// is said below of on_event then holds for the event that was pulled last: its fields, its emissions and their limits, and
// its error text are its own. Before the first is pulled there is no event, and the functions that need one give wrong
// phase. The deadline of a batch is that of one event times their number.
//
// The result is the verdict for all events, also for those that were not pulled, except for those whose record the guest
// has written another verdict into; see next. A crash is one of the whole batch: none of its events counts as handled.
//
// # What a guest may import
//
// One module is one capability, so the import section of a guest is its request for rights. A guest that imports what
// it was not granted is refused at load.
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
//
// Within a v1 module functions are only ever added. A pointer that leaves the guest's memory is a trap, whatever the
// function. Other mistakes are answered with a status, a negative number:
//
//	-1 not found   -2 bad argument   -3 denied   -4 quota   -5 unavailable   -6 wrong phase
//
// Unless said otherwise, a result >= 0 is a length in bytes. It may exceed cap: then nothing was written, and the guest
// calls again with more room.
//
// # informerd/event.v1
//
// Which is 0 for the object and 1 for the old object.
//
// object copies a window of the JSON text, from byte off, at most cap bytes, and gives the number of bytes copied: 0
// when off is at or behind the end. Not found if there is no old object; wrong phase outside of on_event.
//
// path compiles a field path such as metadata.labels["app"] and gives a handle >= 0. Only in configure (else wrong
// phase). Bad argument if the text is no path, quota after [MaxPaths] paths.
//
// field reads one field. The high 32 bits of the result are a tag, the low 32 bits the full length of the value's text:
// a string's decoded text, any other value's JSON text.
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
// changed tells whether the field differs between the object and the old one, 1 or 0. It compares the texts. An add has
// nothing before it and a delete nothing after it, so there every field that exists has changed; a resync changes
// nothing.
//
// prefetch declares the fields that the host writes to the guest before each on_event, and at each next, so that reading
// them takes no call. Only in configure (else wrong phase). It gives the cap bytes at ptr to the host, and reads n handles,
// i32 each, at handles; a handle plus 65536 is the old object's field. The result is 0. It is a bad argument if a
// handle is not one that path gave, n is more than 512, or cap is less than 4+12n; then nothing is changed. The last call counts; n = 0 ends
// it. All numbers are little-endian u32:
//
//	at ptr              n
//	at ptr + 4 + 12i    tag, length and offset of field i; tag and length are as field gives them
//	at ptr + offset     the field's text
//
// The texts follow in the order of the fields. One that no longer fits has offset 0, and those behind it may still fit:
// get it with field. A text of length 0 always fits. The guest may write to the buffer; it is written anew for the next
// event, bytes behind the last text excepted.
//
// next goes on to the next event of the batch and writes a record of it at ptr, five little-endian i32:
//
//	op, flags, object_len, old_len    as the arguments of on_event
//	verdict                           -1: that of the whole batch
//
// It gives the number of bytes written, 20 and never more than cap; not found when there is no event left, bad argument if
// cap is less than 20 (then the event at hand remains), wrong phase outside of on_batch. The host reads the verdict back
// when the guest asks for the next event or on_batch returns, so the guest leaves the record alone until then, or
// writes one of the four verdicts into it. Any other number but -1 is a protocol error.
//
// # informerd/result.v1
//
// emit gives the host an output of this event; 0 = taken. Only in on_event. Emissions of an event count only if its
// verdict is done. The kinds:
//
//	1 event   a JSON object {"type": "reverse.dns.type", "data": …}: an event of its own. If there is at least one, the
//	          events go to the outputs in place of the object's event. The type is printable ASCII without spaces, at
//	          most 256 bytes; data is any JSON value, and may be left out. Types that begin with one of
//	          [ReservedTypes] are denied.
//	2 data    a JSON value that takes the place of the data of the object's event. At most one for each event: quota.
//
// A text that is not so is a bad argument. The number and the bytes of the emissions of one event are limited: quota.
//
// error says why configure refuses or why the verdict is retry or fail, for logs and dead letters; at most
// [MaxMessage] bytes are kept. The last one counts.
//
// # informerd/config.v1
//
// get copies the handler's configuration, always a JSON object ({} if there is none). It may be called at any time.
//
// # informerd/log.v1
//
// log writes one line to the log of informerd: level 0 debug, 1 info, 2 warn, 3 error; a level beyond that is taken as
// the nearest. Lines are cut at [MaxLogLine] bytes and limited in number for each second; what was left out is counted.
// enabled tells whether a line of that level would be written, 1 or 0.
//
// # informerd/kv.v1
//
// A store of small values, one for each listener. All its workers' instances share it, it outlives a crash and the exchange
// of the module, and, if the grant says so, a restart of informerd (but for the last second, should informerd be killed).
// Keys have 1 to [MaxKVKey] bytes, values at most [MaxKVValue], of any content. The functions work from configure on;
// before that they give wrong phase. A key of another length is a bad argument.
//
// get copies the value of a key; not found if there is none.
//
// set stores a value; 0 = stored. It is gone ttl_ms milliseconds later; 0 means as long as the grant allows, and so does a
// longer time. Bad argument if ttl_ms is negative; quota if the value is too long, or if there were more keys or more
// bytes of values than granted. A value that takes the place of one at least as long is always taken.
//
// delete removes a key; 0 = removed, or not found.
//
// cas is set, but only if the key's value is the old_len bytes at old, or, with old_len = -1, if there is no such key. 1 =
// stored, 0 = the value is another. Two instances that count in one value read it with get, and do so again until cas
// gives 1.
//
// # informerd/clock.v1
//
// now_ns gives the time in nanoseconds since 1970 in UTC. It may stand still or go back. The grant may fix it.
//
// # informerd/random.v1
//
// fill writes len random bytes; 0 = written. Bad argument if len is more than [MaxRandom]. The grant may name a seed: each
// instance then gets the same bytes in the same order.
//
// # WASI
//
// Guests of stock toolchains import wasi_snapshot_preview1. Of that, the clocks, random_get, sched_yield and proc_exit
// work, and what is written to stdout and stderr goes to the log, cut and limited as above. There are no arguments,
// no environment and no files: those functions answer with an error number. Sleeping returns at once, with the
// monotonic clock moved on. Sockets are refused at load. Where the grants "clock" and "random" fix the time or name a seed,
// they hold for WASI as well.
//
// # Commands
//
// A module with the export _start () -> () and without informerd_abi_v1 is a WASI command: a program of any language, without
// an SDK. Its memory is exported like any guest's. It imports nothing but wasi_snapshot_preview1, so it has no host
// functions. It is started anew for each event or batch of events, and has the deadline of a batch. It reads
// the events from stdin, one line of JSON each, until the end of stdin:
//
//	{"op":"update","initial":true,"finalStateUnknown":true,"missed":2,"config":{…},"object":{…},"old":{…}}
//
// op is add, update, delete or resync. initial, finalStateUnknown, missed, config (the handler's configuration) and old are
// left out if they are false, 0, {} and not there. It writes one line to stdout for each event, in their order:
//
//	{"verdict":"done","error":"…","emit":[{"type":"reverse.dns.type","data":…},{"data":…}]}
//
// verdict is done, drop, retry or fail; the others may be left out. error is as the text of result.v1 error. An element
// of emit with a type is an emission of kind event, one without is data, within the same limits. Empty lines are
// skipped. Then it ends, with exit code 0. Anything else is a crash, and none of the events counts as handled. What it
// writes to stderr goes to the log.
package abi
