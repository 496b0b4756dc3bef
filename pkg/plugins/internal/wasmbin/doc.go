// Package wasmbin reads the binary format of WebAssembly 2.0: its numbers, names, types, sections
// and instructions, one after the other. What is done with them is the callers' business: package
// wasmfile bounds a module, and package meter rewrites it. Both see the same instructions, as they
// are read here only.
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
package wasmbin
