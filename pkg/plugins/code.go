package plugins

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/tetratelabs/wazero"

	"github.com/informerd/informerd/pkg/plugins/internal/codedir"
	"github.com/informerd/informerd/pkg/plugins/internal/meter"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmfile"
)

// codes are those of a host's modules. Equal modules share one for as long as one of them is there.
type codes struct {
	log      *slog.Logger
	compiled atomic.Int64 // how many were compiled
	read     atomic.Int64 // how many came from the folder

	mu    sync.Mutex // guards what follows; not held while a module is compiled
	byKey map[codeKey]*code
}

// codeKey is what code is made from.
type codeKey struct {
	sum   [sha256.Size]byte
	meter meter.Options
}

// code is a module's native code. It has an engine of its own, which modules share through its cache, and keeps the code
// in there: runtimes count what they compile, so the code would be gone with the last of them, and two that compile at
// once would both do it, or meet while it is read from the folder.
type code struct {
	key   codeKey
	users int           // guarded by codes.mu
	done  chan struct{} // closed when what follows is set

	err      error
	wasm     []byte // rewritten
	fuel     string // the global that holds an instance's fuel
	cache    wazero.CompilationCache
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
}

// take gives the code of a module, which must be left in the end. Who comes first makes it, others wait.
func (c *codes) take(ctx context.Context, file *wasmfile.Module, folder *codedir.Folder) (*code, error) {
	key := codeKey{sha256.Sum256(file.Code), meter.Options{MaxTable: wasmfile.MaxTableElements}}
	c.mu.Lock()
	x, found := c.byKey[key]
	if !found {
		x = &code{key: key, done: make(chan struct{}), err: errors.New("the module was not compiled to its end")}
		if c.byKey == nil {
			c.byKey = map[codeKey]*code{}
		}
		c.byKey[key] = x
	}
	x.users++
	c.mu.Unlock()
	if !found {
		c.make(context.WithoutCancel(ctx), x, file.Code, folder) // for others, too
	}
	select {
	case <-x.done:
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), c.leave(ctx, x))
	}
	if x.err != nil {
		return nil, errors.Join(x.err, c.leave(ctx, x))
	}
	return x, nil
}

// make builds the code and lets in who waits for it, whatever happens.
func (c *codes) make(ctx context.Context, x *code, wasm []byte, folder *codedir.Folder) {
	defer close(x.done)
	x.err = c.build(ctx, x, wasm, folder)
}

// leave frees the code if nobody else has it.
func (c *codes) leave(ctx context.Context, x *code) error {
	c.mu.Lock()
	x.users--
	last := x.users == 0
	if last {
		delete(c.byKey, x.key)
	}
	c.mu.Unlock()
	if !last {
		return nil
	}
	return x.free(ctx)
}

// build makes the code, from the folder if it is there.
func (c *codes) build(ctx context.Context, x *code, wasm []byte, folder *codedir.Folder) error {
	if err := x.rewrite(wasm); err != nil {
		return err
	}
	var kept error
	if folder != nil {
		if kept = c.compileIn(ctx, x, folder); kept == nil {
			return nil
		}
	}
	if err := c.compile(ctx, x, wazero.NewCompilationCache()); err != nil {
		return fmt.Errorf("the module is not valid: %w", err)
	}
	c.compiled.Add(1)
	if kept != nil {
		c.log.WarnContext(ctx, "a handler's compiled code cannot be kept; the next start compiles it again", "error", kept)
	}
	return nil
}

// compileIn compiles with an entry of the folder, which holds the code already or does so afterwards.
func (c *codes) compileIn(ctx context.Context, x *code, folder *codedir.Folder) error {
	entry, err := folder.Entry(x.name())
	if err != nil {
		return err
	}
	if entry.Damaged != nil {
		c.log.WarnContext(ctx, "a handler's compiled code was damaged; it is removed and compiled again", "entry", entry.Path,
			"error", entry.Damaged)
	}
	cache, err := wazero.NewCompilationCacheWithDir(entry.Path)
	if err != nil {
		return err
	}
	if err := c.compile(ctx, x, cache); err != nil {
		return errors.Join(err, entry.Remove())
	}
	changed, err := entry.Seal()
	switch {
	case err != nil: // it is used all the same
		c.compiled.Add(1)
		c.log.WarnContext(ctx, "a handler's compiled code cannot be kept; the next start compiles it again", "error",
			errors.Join(err, entry.Remove()))
	case changed:
		c.compiled.Add(1)
	default:
		c.read.Add(1)
	}
	return nil
}

// compile has the code compiled by the engine of a cache, where it stays.
func (c *codes) compile(ctx context.Context, x *code, cache wazero.CompilationCache) error {
	runtime := wazero.NewRuntimeWithConfig(ctx, runtimeConfig(cache))
	compiled, err := runtime.CompileModule(ctx, x.wasm)
	if err != nil {
		return errors.Join(err, runtime.Close(ctx), cache.Close(ctx))
	}
	x.cache, x.runtime, x.compiled = cache, runtime, compiled
	return nil
}

// rewrite makes the module pay for what it does. One that cannot be metered is never run.
func (x *code) rewrite(wasm []byte) error {
	metered, err := meter.Rewrite(wasm, x.key.meter)
	x.wasm, x.fuel = metered.Module, metered.Fuel
	return err
}

// name is that of the entry in the folder: what the engine compiles.
func (x *code) name() string {
	sum := sha256.Sum256(x.wasm)
	return hex.EncodeToString(sum[:])
}

func (x *code) free(ctx context.Context) error {
	if x.compiled == nil {
		return nil
	}
	return errors.Join(x.compiled.Close(ctx), x.runtime.Close(ctx), x.cache.Close(ctx))
}
