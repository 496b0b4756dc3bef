// Package plugins runs WebAssembly handlers (guests) against the interface described in package
// abi. A Host loads handlers; a Handler is one checked and compiled module with its configuration,
// limits and grants; an Instance is one worker's running copy of it.
// What runs for an Instance is a guest (guest.go), with the functions of the host that it calls
// (functions.go); how modules are checked, metered and compiled is in the internal packages.
//
// # Loading
//
//   - Load fails fast: it refuses a bad file, a missing grant or a wrong type before it compiles.
//   - Then it compiles the module, starts a first instance and runs its configure.
//   - Modules of the same bytes are compiled once in a Host, for as long as one of them is in use.
//   - No module is run unmetered: Load refuses one that cannot be rewritten, and names the place.
//   - With HostConfig.Compiler, a process of its own compiles, within LoadTime and LoadMemory.
//   - With HostConfig.CacheDir, compiled code outlasts the Host, and is checked before it is run.
//   - Load returns when its context ends, at any moment, or with ErrClosed when the Host is closed.
//
// Loading a module does not wait for another to be compiled, unless two others are. Without
// HostConfig.Compiler this process compiles, and nothing ends that: it is for modules that are
// trusted. A folder that is full or damaged costs time and nothing else; no entry is kept beyond 1
// GiB; a folder that others can write to is refused. The engine is wazero's compiler, or its
// interpreter where there is no compiler; see Host.Engine. What must be known of it without a way
// to ask, its kind and the stack of a call, is read where wazero 1.12 has it; if it is not there,
// nothing is loaded.
//
// # What a guest can do
//
//   - It computes and calls the functions of package abi, and nothing else.
//   - It has no files, environment or sockets, no arguments but a name, and cannot sleep.
//   - With the grant http it makes requests to where the grant leads, one at a time.
//   - With the grant cache it reads objects of the informers and namespaces that the grant names.
//   - What it keeps in kv.v1 belongs to its listener, and survives crashes and the Handler's end.
//   - Without the grant emit it may emit anything within the defaults of EmitGrant.
//   - A host function that is called when the guest's time is up does nothing: the call ends there.
//
// A WASI command, a module with _start and nothing of package abi, can read events and write
// verdicts as well; each of its runs has an instance of its own. A request lasts no longer than the
// call it is made in; one that fails is logged with method, host and reason, never with URL,
// headers or body. All handlers of one name in a Host share what is in kv.v1 while one of them is
// open, and beyond the Host's end if that is granted; each keeps to the limits of its own grant.
//
// # Limits
//
//   - on_event, a batch and starting an instance each have a deadline, whatever the guest executes.
//   - A call that is late is late, even if nobody could stop it.
//   - Neither other goroutines nor the garbage collector wait for a guest.
//   - Guests that run for more than 250 us take turns, one at a time for each processor but one, and
//     so do guests that start; handlers have turns one after the other. What a guest waits for its
//     turn does not count for its deadline.
//   - Limits.Fuel bounds what an on_event executes, the host's work for it included.
//   - Memory, tables, emissions, paths, iterators and log lines never exceed their limits.
//   - Calls nested so deeply that they take more than 4 MiB of the engine's stack are a trap.
//
// A batch has one deadline for all its events. Modules are rewritten so that they pay for what they
// do and come back to the host all the time; see package meter below this one. What runs in between
// is at most some 20,000 instructions, or one on a megabyte; the slowest that a search has found
// takes 12 ms. Fuel depends on nothing but the guest and what it receives; each 16 bytes that the
// host reads, writes or walks through for it cost one unit, and each line of output 64. While a call runs, a guest takes at
// most 48 MiB and one frame besides its memory, and 1 MiB for each of on_event and on_batch
// afterwards. All emissions of a batch have at most 8 MiB, or as much as those of one event may. On
// Linux, macOS and FreeBSD, an instance's memory is outside of Go's heap and grows without being
// copied.
//
// # Crashes
//
//   - After a crash the instance is gone before Handle returns; its state is never used again.
//   - The next Handle starts a new instance. Other instances are not affected.
//   - A crash is logged once, with listener, object and the stack of the guest's functions.
//   - Contents of objects are not logged, except for what the guest itself writes.
//   - A cancelled context ends a running call and is returned as it is: not a crash.
//
// A crash is a trap, a passed deadline, spent fuel or memory, an exit or a protocol error. What a
// Go guest writes about its panic is part of the crash's line, and is not logged a second time.
// After a cancelled call, the instance is replaced as well.
//
// # Fresh guests
//
//   - A guest is replaced by a fresh one after Limits.Recycle events, or when its memory has grown.
//   - The fresh guest is started in the background; events continue with the old one until then.
//
// Memory that causes a replacement is three quarters of the limit, or more for a guest that needs
// as much right after its start. If a fresh guest cannot be started, that is logged once and tried
// again after pauses that grow from a second to a minute. After a start no other follows for twenty
// times as long as it took: a guest that leaks faster than that reaches its limit, and crashes.
// Stats counts the memory of the fresh guest as well.
//
// # Concurrency
//
//   - Host and Handler are safe for concurrent use; an Instance belongs to one goroutine.
//   - What an Instance starts in the background ends before its Close returns.
//   - Instances are closed before their Handler, Handlers before their Host.
//
// No call may be running in what is closed. A Close also closes what was opened from it and is
// still open, and ends starts of guests; a Load at work then fails with ErrClosed.
package plugins
