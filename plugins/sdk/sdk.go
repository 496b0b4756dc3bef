// Package sdk embeds the SDKs for C, Rust and AssemblyScript, so that the informerd program alone
// can start a project. The Go SDK is a module of its own, which cannot be embedded from here.
package sdk

import "embed"

// Files holds each SDK in a folder of its name: everything a handler is built and tested with. The
// SDKs' own tests and installed packages are left out.
//
//go:embed c/build c/README.md c/informerd.h c/informerd c/src c/fake
//go:embed rust/build rust/README.md rust/Cargo.toml rust/src
//go:embed assemblyscript/build assemblyscript/README.md assemblyscript/.npmrc assemblyscript/package.json
//go:embed assemblyscript/package-lock.json assemblyscript/informerd assemblyscript/fake
var Files embed.FS
