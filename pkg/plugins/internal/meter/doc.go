// Package meter rewrites a WebAssembly 2.0 module so that it pays for what it executes, and can be
// stopped by its host whatever it executes: in loops, in recursion, and in instructions that work
// on large ranges.
//
// What is promised of a module that Rewrite has made:
//   - It computes the same as the original, if its fuel suffices: the same results, memory,
//     globals, tables and traps. Only tables without a maximum, or with one above options.maxTable,
//     can grow less.
//   - It uses one unit for each instruction that it executes, neither more nor less; see "Charges"
//     for the few that cost more. The number does not depend on the engine, nor on when the host
//     was visited.
//   - With as much fuel as it uses it comes to its end. With less it may end with ErrSpent, and if
//     it does not, it has done everything.
//   - Every loop and every recursion checks that there is fuel, and so does every instruction on a
//     range before it is done, every pass through a function after options.pass units, and every
//     function before it returns from calls of others. What runs between two checks is at most
//     three times options.pass, and a function of no more than 64 instructions: what a function did
//     since its own last check before it returned, its caller up to the next, and what comes before
//     a loop that a function begins with. memory.fill and memory.copy of more than options.piece
//     bytes visit the host after each piece; what they have written then stays, should the visit
//     end the call.
//   - The frames of its nested calls grow by no more than 8.5 MiB between two visits, and by one
//     frame more; see frames.go.
//   - It visits the host every Tank.Slice units, also in a start function, and also if it has no
//     memory. There the Go scheduler and the garbage collector get through, and Tank.Check may end
//     the call, which is how deadlines work, and Tank.Pause delay it.
//   - It cannot name the fuel nor anything else that was added: a module in which an index is too
//     large is refused.
//   - It is valid if the original is, and only then. Custom sections are kept, with the functions'
//     names renumbered, except for those that have offsets in the code.
//
// And of Rewrite itself: it takes no more than MaxSize bytes and makes at most eight times as much,
// in a time that grows with the size; whatever the bytes are, it does not panic. What Rewrite does
// not take is an error with its reason and place.
//
// # Charges
//
//	nop, block, loop, else, end                   nothing, they are no code
//	any other instruction                         1
//	memory.fill, memory.copy, memory.init         and 1 for each 16 bytes
//	table.fill, table.copy, table.init            and 1 for each entry
//	memory.grow                                   and 64, and 4096 for each page that was added
//	table.grow                                    and 64, and 1 for each entry that was asked for, maxTable at most
//	a call of the host                            and what the host adds with Tank.Spend
//
// An instruction is paid together with those around it, where paths part or meet, or where a
// function is called. A call that ends with a trap has not paid for the last straight run.
//
// # How a module is rewritten
//
// Two mutable i64 globals are added behind the module's own ones and exported. One is the number of
// values that frames may still take until the next visit; functions with large frames that call
// others subtract from it where they begin. It is not fuel, so that units stay instructions. The
// other is the fuel until the next visit. Code subtracts from it at the end of each straight run.
// Loops that are branched back to, and functions that call others, look whether it is below 0 where
// they begin; if so, they call an imported function, the only import that is added. It is
// behind the other imported functions, so that the numbers of all the module's own functions grow
// by one. Instructions on ranges get their length from an added function, which charges for it and
// returns it, or are calls of one that charges and does them in pieces; this costs a call, but
// no variable and no branch in the function that is rewritten, whose branches make the engine slow
// at compiling.
//
// The visit is an imported function and not a memory.grow of 0 pages, though the engine serves both
// in Go: an import needs no memory, may refuse to continue, and hands out the next slice, so that a
// single number is both the fuel and the time to the next visit, and code needs a single
// comparison. A host in another goroutine must not write the fuel, as that would be a race; it sets
// a flag for Tank.Check instead. A visit costs about 0.15 us, once in about 15 us. Where the units
// of a slice take longer than 1 ms, as loads do that no cache has, the slices get smaller.
//
// # The worst case
//
// A slice has 16,384 units, and up to 3,200 are executed before it is seen to be used up. The
// dearest unit by far is a load from where the last one says, in a memory that no cache holds: 100
// to 300 ns, so 5 ms. All others are cheaper, an instruction on a piece of 1 MiB included (0.1 ms).
// Together with large stacks and tables, which share the caches, the search in package hostile has
// found 12 ms; its testdata has the programs.
//
// # Measurements
//
// The work of BenchmarkGuests on wazero 1.12, best of 30 interleaved runs, as multiples of the
// plain run; the last column is the engine's own WithCloseOnContextDone:
//
//	                         metered   engine
//	Go: SHA-256, FNV           1.14x       3.5x
//	Go: sort                   1.26x       6.5x
//	Go: encoding/json          1.31x       6.3x
//	Go: regexp                 1.30x       5.4x
//	fib(27)                    1.14x        14x
//	loop of 7 instructions     1.99x        41x
//	loop over bytes            1.27x        21x
//
// A variant that charges for the most expensive path only where more than 32 units are due, instead
// of exactly, takes 1.2x for JSON and regexp, but charges 1.1 to 1.6 times too much, by how the
// code happens to be laid out. Rewriting a Go guest of 4 MB takes about 40 ms and makes it 18%
// larger; the engine then takes 10 to 15% longer to compile it. The worst for the engine are
// functions of nothing but small loops: compiling them takes about twice as long as without
// metering.
//
// # Why not the engine's deadline
//
// The engine's option returns to Go at each iteration and starts a goroutine for each call, and
// does not stop recursion without loops. A module that cannot be rewritten is refused: running it
// with that option would let a module choose to have no limit of fuel and stack.
package meter
