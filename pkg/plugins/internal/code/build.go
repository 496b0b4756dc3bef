package code

import (
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
)

// build makes the code, from the folder if it is there.
func (c *Compiler) build(ctx context.Context, x *Code, wasm []byte) error {
	if err := x.rewrite(wasm); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(c.Command) > 0 {
		return c.buildApart(ctx, x, int64(len(wasm)))
	}
	var kept error
	if c.folder != nil {
		if kept = c.compileIn(ctx, x, c.folder); kept == nil {
			return nil
		}
	}
	if err := c.compile(ctx, x, wazero.NewCompilationCache()); err != nil {
		return fmt.Errorf("the module is not valid: %w", err)
	}
	if kept != nil {
		c.notKept(ctx, kept)
	}
	return nil
}

// compileIn reads the code from its entry in the folder, or compiles it and adds the entry.
func (c *Compiler) compileIn(ctx context.Context, x *Code, folder *codeFolder) error {
	entry, err := c.entry(ctx, x, folder)
	if err != nil {
		return err
	}
	cache, err := wazero.NewCompilationCacheWithDir(entry.path)
	if err != nil {
		return err
	}
	if err := c.compile(ctx, x, cache); err != nil {
		return errors.Join(err, entry.remove())
	}
	if err := entry.seal(); err != nil { // it is used all the same
		c.notKept(ctx, errors.Join(err, entry.remove()))
	}
	return nil
}

// compile compiles the code with the engine of a cache, where it stays.
func (c *Compiler) compile(ctx context.Context, x *Code, cache wazero.CompilationCache) error {
	runtime := wazero.NewRuntimeWithConfig(ctx, runtimeConfig(cache))
	compiled, err := runtime.CompileModule(ctx, x.wasm)
	if err != nil {
		return errors.Join(err, runtime.Close(ctx), cache.Close(ctx))
	}
	x.cache, x.runtime, x.compiled = cache, runtime, compiled
	return nil
}

// entry returns the folder's entry for some code.
func (c *Compiler) entry(ctx context.Context, x *Code, folder *codeFolder) (*codeEntry,
	error) {
	entry, err := folder.entry(x.name())
	if err == nil && entry.damaged != nil {
		c.Log.WarnContext(ctx,
			"a handler's compiled code was damaged; it is removed and compiled again", "entry",
			entry.path,
			"error", entry.damaged)
	}
	return entry, err
}

func (c *Compiler) notKept(ctx context.Context, err error) {
	c.Log.WarnContext(ctx,
		"a handler's compiled code cannot be kept; the next start compiles it again", "error", err)
}
