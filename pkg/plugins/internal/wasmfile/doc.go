// Package wasmfile reads the outline of a WebAssembly module before anything is compiled, so that a hostile or broken
// file is refused cheaply and with a plain reason.
//
// What is promised:
//   - Parse never uses more than a small multiple of the file's size in memory and time.
//   - A module that Parse takes states no count that its own bytes do not cover, so that a decoder which trusts counts
//     cannot be made to reserve more than it should; locals, element items, functions and data are limited in number.
//   - Module.Code holds no custom sections but the functions' names, since those are the only ones with a use.
//   - Errors give the section and the byte offset.
//
// Parse does not validate instructions; that is left to the engine.
package wasmfile
