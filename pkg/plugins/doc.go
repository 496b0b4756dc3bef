// Package plugins runs WebAssembly handlers (guests) against the interface described in package
// abi.
//
// A Host loads handlers; a Handler is one checked and compiled module with its configuration,
// limits and grants, and another one after Replace; an Instance is one worker's running copy of it.
//
// What is promised:
//   - Load fails fast. It refuses a module before compiling it if the file is broken, asks for what
//     it was not granted, has exports or imports of another type than the interface says, or could
//     use more than its limits. Then it compiles the module, starts a first instance and runs its
//     configure.
//   - A guest can do nothing but compute and call the functions of package abi. It has no files,
//     environment, arguments but a name, or sockets, and cannot sleep. A WASI command, which a
//     module is that has _start and nothing of package abi, can read events and write verdicts
//     besides; each of its runs has an instance of its own.
//   - Events come one by one or in batches, as the guest can take them and the caller has them:
//     Handle gives one event to a guest that takes batches as well, HandleBatch several to one that
//     does not.
//   - With the grant http it makes requests, one at a time, to where the grant leads and nowhere
//     else; package outbound below this one says how that is kept. A request lasts no longer than
//     the call it is made in, and counts towards its deadline. One that fails is logged with its
//     method, host and reason; URLs, headers and bodies are not.
//   - With the grant cache it reads objects of the informers and namespaces that the grant names,
//     as they stand in the caches, so many and so much for each event.
//   - What a guest may emit needs no grant; with the grant emit it is the kinds and types that the
//     grant names, and no others.
//   - Each on_event has a deadline, and so has starting an instance; a batch has one for all its
//     events. They hold for whatever a guest does, in loops, recursion and instructions on large
//     ranges, start functions included: modules are rewritten so that they pay for what they do and
//     come back to the host all the time; see package meter below this one. What runs in between is
//     at most some 20,000 instructions, or one on a megabyte; the dearest that a search has found
//     takes 12 ms. So neither other goroutines nor the garbage collector wait for a guest. A call
//     that is late is late, even if nobody could stop it.
//   - Calls that are nested so deeply that they take more than 16 MiB of the engine's stack are a
//     trap. A guest takes at most 48 MiB, and one frame, besides its memory while a call runs, and
//     1 MiB for each of on_event and on_batch afterwards.
//   - Limits.Fuel bounds what an on_event executes, in units that depend on nothing but the guest
//     and what it receives. What the host does for a guest counts, for each 16 bytes it reads,
//     writes or looks through, prefetched fields included.
//   - No module is run unmetered: Load refuses one that cannot be rewritten, and names the place in
//     it.
//   - An instance's memory never grows beyond its limit, nor do its tables, emissions, paths,
//     iterators and log lines, which are bounded as they are written. All emissions of a batch have
//     at most 8 MiB, or as much as those of one event may.
//   - On Linux, macOS and FreeBSD an instance's memory is not part of Go's heap, and grows without
//     being copied. It is given back when the guest is closed, or behind the call that is running
//     then.
//   - Data that a guest puts in place of the object's event is returned with the module it is from,
//     Result.Handler.
//   - After a crash (trap, deadline, fuel, memory, exit, protocol error) the instance is gone
//     before Handle returns; its state is never used again. The next Handle starts a new one. Other
//     instances are not affected.
//   - Replace loads a module next to the one that is there, which goes on meanwhile, and for good
//     if the new one is refused. After Replace has returned, no event goes to the old module: an
//     instance goes over before its next event or batch, and ends the current one with the old
//     guest. A guest that cannot be started then is a crash at that event. The old module is freed
//     by the last instance that leaves it.
//   - A guest is replaced by a fresh one after Limits.Recycle events, or when its memory has grown
//     to three quarters of what it may have. The fresh one is started in the background; events go
//     on with the old one until it is ready. If it cannot be started, that is logged once and tried
//     again after pauses that grow from a second to a minute. A guest that needs so much memory
//     right after its start is not replaced all the time, but may have more. After a start that
//     took some time there is no other for twenty times as long: a guest that leaks faster than
//     that reaches its limit, and crashes. Stats counts the memory of the fresh one as well.
//   - Modules of the same bytes are metered and compiled once in a Host, whoever loads them and
//     when, for as long as one of them is there. Loading one does not wait for another to be
//     compiled, unless two others are.
//   - With HostConfig.Compiler modules are compiled by processes of their own, which take no more
//     time and memory than Limits.Load says: what takes more is refused. Load returns when its
//     context ends, at any moment, and ends the process if nobody else waits for it; so does the
//     Host's Close. This process compiles no guest then: it reads what the other one has made.
//     Without HostConfig.Compiler, a rough estimate of the time is compared with the limit, and
//     that is all.
//   - With HostConfig.CacheDir compiled code outlasts the Host, and is read instead of compiled. It
//     is checked before it is run: what is not as it was written is removed and compiled again,
//     with a line in the log. So a folder that is full or damaged costs time and nothing else, and
//     no entry is kept beyond 1 GiB; one that others can write to is refused.
//   - The engine is wazero's compiler, or its interpreter where there is no compiler; Host.Engine
//     says which one, and why if it is the interpreter. What has to be known of it without a way to
//     ask, its kind and the stack of a call, is read where wazero 1.12 has it; if it is not there,
//     no handler is loaded.
//   - What a guest keeps in kv.v1 belongs to its listener: all handlers of that name in a Host
//     share it while one of them is open, whatever crashes, and beyond the Host's end if that is
//     granted. Each keeps to the limits of its own grant.
//   - A host function that is called when the guest's time is up does nothing: the call ends there.
//   - A crash is logged once, by this package, with listener and object, and with the stack of the
//     guest's functions. What a Go guest writes about its panic is in that line, and not logged a
//     second time as its output. Contents of objects are not logged, except for what a guest itself
//     writes to its log, stdout or stderr, or gives to result.v1 error before it crashes.
//   - A cancelled context ends a running call and gives the context's error, which is no crash. The
//     instance is replaced all the same.
//   - Host and Handler are safe for concurrent use; Replaces of a Handler are done one after the
//     other. An Instance belongs to one goroutine. What it starts in the background ends before its
//     Close returns.
//   - Instances are closed before their Handler, Handlers before their Host, and none while a call
//     of theirs is running; a Close also closes what is left below it. Starts of guests are ended
//     by it, and a Replace or Load that is at work fails with ErrClosed.
package plugins
