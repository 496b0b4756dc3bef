// Package code makes native code of WebAssembly modules: it checks, meters and compiles them. A
// Compiler makes code once for equal modules and shares it among those who use it. It compiles in a
// process of its own with limits, or in this one.
//
// # Order
//
//	wasmfile.Parse   outline of the file, sizes, features
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
package code
