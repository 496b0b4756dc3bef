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
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/informerd/informerd/pkg/plugins/internal/child"
	"github.com/informerd/informerd/pkg/plugins/internal/codedir"
	"github.com/informerd/informerd/pkg/plugins/internal/meter"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmfile"
)

// codes are those of a host's modules. Equal modules share one for as long as one of them is there.
type codes struct {
	log      *slog.Logger
	compiler []string     // the command that compiles; empty: this process does
	compiled atomic.Int64 // how many were compiled
	read     atomic.Int64 // how many came from the folder
	unkept   atomic.Int64 // how many could not be kept there
	making   sync.WaitGroup

	mu      sync.Mutex // guards what follows; not held while a module is compiled
	byKey   map[codeKey]*code
	running int // processes that compile
	// closed when one of them ends and others wait for that; nil if nobody does
	freed chan struct{}
}

// codeKey is what code is made from.
type codeKey struct {
	sum   [sha256.Size]byte
	meter meter.Options
}

// code is a module's native code. It has an engine of its own, which modules share through its
// cache, and keeps the code in there: runtimes count what they compile, so the code would be gone
// with the last of them, and two that compile at once would both do it, or meet while it is read
// from the folder.
type code struct {
	key    codeKey
	limits LoadLimits    // it is made within
	cost   wasmfile.Cost // that is expected of it
	stop   context.CancelFunc
	done   chan struct{} // closed when what follows is set

	users int  // guarded by codes.mu
	made  bool // guarded by codes.mu

	err      error
	wasm     []byte // rewritten
	fuel     string // the global that holds an instance's fuel
	cache    wazero.CompilationCache
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
}

// take returns the code of a module, which must be left in the end. The first caller has it made,
// others wait. It returns when ctx ends; making the code ends when nobody waits for it any more.
func (c *codes) take(ctx context.Context, file *wasmfile.Module, folder *codedir.Folder,
	limits LoadLimits) (*code, error) {
	key := codeKey{digestOf(file.Code), meter.Options{MaxTable: wasmfile.MaxTableElements}}
	for {
		x := c.join(ctx, key, file, folder, limits)
		select {
		case <-x.done:
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), c.leave(ctx, x))
		}
		if x.err == nil {
			return x, nil
		}
		err := errors.Join(x.err, c.leave(ctx, x))
		var limit *child.LimitError
		if !errors.As(err, &limit) || x.limits == limits {
			return nil, err
		}
		// Another handler's limits were not enough, which says nothing about this one's.
	}
}

// join makes the caller a user of the code, which is begun if it is not there.
func (c *codes) join(ctx context.Context, key codeKey, file *wasmfile.Module,
	folder *codedir.Folder, limits LoadLimits) *code {
	c.mu.Lock()
	defer c.mu.Unlock()
	if x, found := c.byKey[key]; found {
		x.users++
		return x
	}
	x := &code{key: key, limits: limits, cost: file.Cost, users: 1, done: make(chan struct{}),
		err: errors.New("the module was not compiled to its end")}
	if c.byKey == nil {
		c.byKey = map[codeKey]*code{}
	}
	c.byKey[key] = x
	making, stop := context.WithCancel(context.WithoutCancel(ctx)) // for others, too
	x.stop = stop
	c.making.Go(func() { c.make(making, x, file.Code, folder) })
	return x
}

// make builds the code and lets in those who wait for it, whatever happens. If nobody does any
// more, it frees the code.
func (c *codes) make(ctx context.Context, x *code, wasm []byte, folder *codedir.Folder) {
	defer x.stop()
	err := c.build(ctx, x, wasm, folder)
	c.mu.Lock()
	x.err, x.made = err, true
	if x.err != nil {
		c.forget(x) // who comes now tries again
	}
	abandoned := x.users == 0
	close(x.done)
	c.mu.Unlock()
	if abandoned {
		_ = x.free(context.WithoutCancel(ctx)) // nobody is left to report it to
	}
}

// leave frees the code if nobody else has it. If it is being made, that is ended.
func (c *codes) leave(ctx context.Context, x *code) error {
	c.mu.Lock()
	x.users--
	last, made := x.users == 0, x.made
	if last {
		c.forget(x)
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

// waitGrace is how long wait goes on after the end of its context, since what is ended needs a
// moment.
const waitGrace = 500 * time.Millisecond

// wait waits for what is being made, which is ended before, or for the end of ctx.
func (c *codes) wait(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		c.making.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	select {
	case <-done:
		return nil
	case <-time.After(waitGrace):
		return fmt.Errorf("compiling a handler has not ended: %w", ctx.Err())
	}
}

// forget makes room for another code of the same key. The caller holds mu.
func (c *codes) forget(x *code) {
	if c.byKey[x.key] == x {
		delete(c.byKey, x.key)
	}
}

// rewrite makes the module pay for what it does. One that cannot be metered is never run.
func (x *code) rewrite(wasm []byte) error {
	metered, err := meter.Rewrite(wasm, x.key.meter)
	x.wasm, x.fuel = metered.Module, metered.Fuel
	return err
}

// name is that of the entry in the folder: what the engine compiles.
func (x *code) name() string {
	sum := digestOf(x.wasm)
	return hex.EncodeToString(sum[:])
}

func (x *code) free(ctx context.Context) error {
	if x.compiled == nil {
		return nil
	}
	return errors.Join(x.compiled.Close(ctx), x.runtime.Close(ctx), x.cache.Close(ctx))
}
