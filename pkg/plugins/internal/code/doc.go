// Package code makes native code of WebAssembly modules: it checks, meters and compiles them. A
// Compiler makes code once for equal modules and shares it among those who use it. It compiles in a
// process of its own with limits, or in this one.
//
// # Order
//
//	wasmbin.Parse    outline of the file, sizes, features
//	Rules.Check      exports, imports, grants, memory; nothing is compiled before
//	meter.Rewrite    the module pays for what it executes
//	Compiler         code from the folder, from a compiling process, or from the engine here
//
// # Promises
//
//   - A module is compiled once, whoever loads it, for as long as somebody uses its code.
//   - Compile returns when its context ends; compiling ends when nobody waits for it.
//   - With Compiler.Command, this process only reads code, and never compiles a guest.
//   - A folder that is full or damaged costs time and nothing else.
//
// # Why a cache for each module
//
// Of two runtimes that compile the same module at once, both compile it, and code is released
// with the last runtime that compiled it. So a runtime that runs nothing compiles a module and
// holds it, and a file that cannot be read affects one module.
//
// This process reads code with a context that has ended: the engine looks at it before it
// compiles and not when it reads.
//
// # The process that compiles
//
// A compiler runs in a process of its own (child*.go), so that compiling a hostile module takes
// no more time and memory than it was given, and can be ended at any moment.
//
// What is promised:
//   - runJob starts a process for each job and has waited for its end when it returns, whatever
//     happened.
//   - The process has no environment, no network connection and no files but its standard streams
//     and the job's folder.
//   - It ends when the context of runJob ends, when the parent ends, when it has used
//     compileJob.Time of processor time, and when it has ten times that on the clock.
//   - On Linux it ends when its resident memory exceeds compileJob.Memory. It looks every 5 ms, and
//     the parent every 2 ms, as nothing in the child runs while its collector waits; the kernel stops
//     what grows by 256 MiB more. Elsewhere it looks at the Go runtime's own account of its memory,
//     and nobody else does.
//   - On Linux it has a lower priority than its parent, and is the first to go if the system runs
//     out of memory.
//   - What goes wrong in it is an error in the parent: a *limitError, or the compiler's own output.
//
// The time and memory of compiling a function grow with products, such as loops and the square of
// local variables: 45 KB of module can take minutes, 450 KB gigabytes, and the engine does not
// look at its context. Formulas that refuse such modules refuse the output of real compilers,
// too. RLIMIT_AS does not work, since Go reserves more addresses than it uses.
//
// # The folder of compiled code
//
// Compiled code is kept in a folder (folder*.go) from one run of the daemon to the next.
//
// What is promised:
//   - The code is run natively, so nobody else may have a hand in it: the folder is made for its
//     owner alone, and refused if it is a symbolic link or no folder, belongs to another user, or
//     is open to its group or others.
//   - An entry is given out only as it was sealed: all of its files are there with the digests they
//     had then, and no others. What is not so is removed, and the entry says why; it is empty then.
//   - openFolder removes the entries that were not asked for in the last 30 days. openFolder and
//     trim remove those that were not asked for longest, until the rest have no more than 1 GiB.
//   - Processes that share a folder may at worst remove an entry that another one is making; that
//     one's seal fails.
//
// The engine's checksum covers machine code alone, and it jumps to a damaged offset. The digests
// here detect damage, and not malice: who can write the code can write its digest.
package code
