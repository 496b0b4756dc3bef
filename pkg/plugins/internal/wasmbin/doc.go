// Package wasmbin reads the binary format of WebAssembly 2.0: its numbers, names, types, sections
// and instructions, one after the other. Parse bounds a module
// before it is compiled, and package meter rewrites it. Both see the same instructions, as they are
// read here only.
//
// What is promised:
//   - Whatever the bytes are, nothing panics and nothing is reserved that the bytes do not cover.
//   - A Reader never moves behind its end. After its first error it returns zeros, does not move
//     and keeps that error.
//   - Errors are of type *Error, with the byte offset in the file.
//   - What is taken for an instruction is as long as the engine takes it for. What the engine takes
//     beyond WebAssembly 2.0 is refused wherever it has another length.
//
// Types, indexes and the order of instructions are not checked, unless the function says so.
//
// # The outline of a module
//
// Parse reads the outline of a WebAssembly module before anything is compiled, so that a
// hostile or broken file is refused cheaply and with a plain reason.
//
// What is promised:
//   - Parse never uses more than a small multiple of the file's size in memory and time.
//   - A module that Parse takes states no count that its own bytes do not cover, so that a decoder
//     which trusts counts cannot be made to reserve more than it should; locals, element items,
//     functions and data are limited in number.
//   - A function's size and branches are limited. Ifs count as 2 branches, loops as 3, instructions
//     on ranges of memory and tables as 4. So are the parameters and results of all types, and the
//     values that are checked at all branches.
//   - It sees the instructions that the engine sees: what the engine takes beyond WebAssembly 2.0
//     is refused wherever it has another length.
//   - Module.Code holds no custom sections but the functions' names, since those are the only ones
//     with a use, and not even those if one of them is longer than 16 KiB.
//   - In Module.Code no table may grow beyond MaxTableElements, whatever the file says.
//   - Module.Code has no start function of its own: it is an export, to be called before any other,
//     so that it can be called like them. If it is not a function that the engine would call, it
//     stays, for the engine to refuse.
//   - Errors have the section and the byte offset.
//
// Parse refuses instructions that are not part of WebAssembly 2.0, but does not check their types
// and order; that is left to the engine.
package wasmbin
