package plugins

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/informerd/informerd/pkg/plugins/internal/child"
	"github.com/informerd/informerd/pkg/plugins/internal/codedir"
)

// build makes the code, from the folder if it is there.
func (c *codes) build(ctx context.Context, x *code, wasm []byte, folder *codedir.Folder) error {
	if err := c.expensive(x); err != nil {
		return err
	}
	if err := x.rewrite(wasm); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(c.compiler) > 0 {
		return c.buildApart(ctx, x, int64(len(wasm)), folder)
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
		c.notKept(ctx, kept)
	}
	return nil
}

// absurd is how much longer than it may a module is expected to compile, by a rough estimate, that
// is not even tried.
const absurd = 10

// expensive refuses a module that compiles for too long by an estimate. Where nothing bounds the
// compiler, that is all there is to go by.
func (c *codes) expensive(x *code) error {
	most := x.limits.Time
	if len(c.compiler) > 0 {
		most *= absurd
	}
	if x.cost.Time <= most {
		return nil
	}
	return &child.LimitError{Of: child.OfTime, Text: fmt.Sprintf(
		"compiling it would take about %v of processor time, %v of them for function %d alone: make that simpler, or raise limits.load.time",
		x.cost.Time.Round(time.Second), x.cost.Most.Round(time.Second), x.cost.Heaviest)}
}

// compileIn compiles with an entry of the folder, which holds the code already or does so
// afterwards.
func (c *codes) compileIn(ctx context.Context, x *code, folder *codedir.Folder) error {
	entry, err := c.entry(ctx, x, folder)
	if err != nil {
		return err
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
		c.notKept(ctx, errors.Join(err, entry.Remove()))
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

// entry returns that of the folder for some code.
func (c *codes) entry(ctx context.Context, x *code, folder *codedir.Folder) (*codedir.Entry,
	error) {
	entry, err := folder.Entry(x.name())
	if err == nil && entry.Damaged != nil {
		c.log.WarnContext(ctx,
			"a handler's compiled code was damaged; it is removed and compiled again", "entry",
			entry.Path,
			"error", entry.Damaged)
	}
	return entry, err
}

func (c *codes) notKept(ctx context.Context, err error) {
	c.unkept.Add(1)
	c.log.WarnContext(ctx, "a handler's compiled code cannot be kept; the next start compiles it again", "error", err)
}
