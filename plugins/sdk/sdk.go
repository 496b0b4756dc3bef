// Package sdk carries the SDKs for C, Rust and AssemblyScript, so that a project can be begun with
// nothing but the program. That for Go is a module of its own, which cannot be embedded from here.
package sdk

import "embed"

// Files are the SDKs, each in the folder of its name: what a handler is built and tested with. What
// is not named here, such as their own tests and installed packages, is not in it.
//
//go:embed c/build c/README.md c/informerd.h c/informerd c/src c/fake
//go:embed rust/build rust/README.md rust/Cargo.toml rust/src
//go:embed assemblyscript/build assemblyscript/README.md assemblyscript/.npmrc assemblyscript/package.json
//go:embed assemblyscript/package-lock.json assemblyscript/informerd assemblyscript/fake
var Files embed.FS
