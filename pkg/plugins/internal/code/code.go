package code

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"

	"github.com/informerd/informerd/pkg/plugins/internal/meter"
)

// Code is a module's native code. It has an engine of its own, which modules share through its
// cache, and keeps the code in there: runtimes count what they compile, so the code would be gone
// with the last of them, and two that compile at once would both do it, or meet while it is read
// from the folder.
type Code struct {
	compiler *Compiler
	key      [sha256.Size]byte // the digest of what it is made from
	limits   Limits            // it is made within
	stop     context.CancelFunc
	done     chan struct{} // closed when what follows is set

	users int  // guarded by Compiler.mu
	made  bool // guarded by Compiler.mu

	err      error
	wasm     []byte // rewritten
	fuel     string // the global that holds an instance's fuel
	cache    wazero.CompilationCache
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
}

// Wasm returns the metered module, for a runtime of RuntimeConfig to compile: it finds the native
// code there.
func (x *Code) Wasm() []byte { return x.wasm }

// Fuel returns the name of the global that holds an instance's fuel.
func (x *Code) Fuel() string { return x.fuel }

// RuntimeConfig returns the configuration of a runtime that has the code.
func (x *Code) RuntimeConfig() wazero.RuntimeConfig { return runtimeConfig(x.cache) }

// Release frees the code if nobody else uses it. If it is being made, that is ended.
func (x *Code) Release(ctx context.Context) error {
	c := x.compiler
	c.mu.Lock()
	x.users--
	last, made := x.users == 0, x.made
	if last {
		c.remove(x)
	}
	c.mu.Unlock()
	switch {
	case !last:
		return nil
	case !made:
		x.stop()
		return nil
	}
	return x.free(ctx)
}

// rewrite meters the module. One that cannot be metered is never run.
func (x *Code) rewrite(wasm []byte) error {
	metered, err := meter.Rewrite(wasm)
	x.wasm, x.fuel = metered.Module, metered.Fuel
	return err
}

// name returns the name of the entry in the folder: the digest of what the engine compiles.
func (x *Code) name() string {
	return fmt.Sprintf("%x", Digest(x.wasm))
}

func (x *Code) free(ctx context.Context) error {
	if x.compiled == nil {
		return nil
	}
	return errors.Join(x.compiled.Close(ctx), x.runtime.Close(ctx), x.cache.Close(ctx))
}
