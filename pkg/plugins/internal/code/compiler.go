package code

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// Compiler makes native code of modules. Equal modules share one Code for as long as one of them
// uses it. The exported fields are set before its first use.
type Compiler struct {
	Log *slog.Logger
	// Command starts a process that compiles; without it, this process compiles.
	Command []string
	// Dir is a folder that keeps compiled code; without it, code is kept in memory only.
	Dir string
	// Temporary are folders for compiled code that is not kept, in order of preference.
	Temporary []string

	making sync.WaitGroup

	open         sync.Once
	engine       string
	engineReason string      // why it is not the compiler
	folder       *codeFolder // nil: code is kept in memory
	openErr      error

	mu      sync.Mutex                  // guards what follows; not held while a module is compiled
	byKey   map[[sha256.Size]byte]*Code // by what it is made from
	running int                         // processes that compile
	exited  chan struct{}               // closed when one of them ends; nil if nobody waits for that
}

// DefaultTemporary returns where compiled code goes that is not kept: it is there while it is read.
// The second folder is for systems on which no other can be written to.
func DefaultTemporary() []string { return []string{os.TempDir(), "/dev/shm"} }

// Limits bound what compiling one module may take.
type Limits struct {
	Time   time.Duration // of a processor
	Memory int64         // of the compiling process and this one, in bytes
}

// Open finds the engine and opens Dir, once. Compile does it if it was not done before.
func (c *Compiler) Open(ctx context.Context) error {
	c.open.Do(func() {
		c.engine, c.engineReason = engine(ctx)
		if c.openErr = checkEngine(c.engine); c.openErr != nil {
			return
		}
		// which compiles nothing that could be kept, or takes long
		if c.engine == engineInterpreter {
			c.Command = nil
			return
		}
		if c.Dir == "" {
			return
		}
		if c.folder, c.openErr = openFolder(c.Dir); c.openErr != nil {
			c.openErr = fmt.Errorf("the folder for compiled code: %w", c.openErr)
		}
	})
	return c.openErr
}

// Engine returns what runs the modules, compiler or interpreter, and the reason if it is not the
// compiler.
func (c *Compiler) Engine(ctx context.Context) (name, reason string) {
	_ = c.Open(ctx) // a folder that cannot be used changes nothing about it
	return c.engine, c.engineReason
}

// Compile returns the code of a module; the caller must release it. The first caller has it made,
// others wait. It returns when ctx ends; making the code ends when nobody waits for it any more.
func (c *Compiler) Compile(ctx context.Context, file *wasmbin.Module, limits Limits) (*Code,
	error) {
	if err := c.Open(ctx); err != nil {
		return nil, err
	}
	k := Digest(file.Code)
	for {
		x := c.acquire(ctx, k, file, limits)
		select {
		case <-x.done:
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), x.Release(ctx))
		}
		if x.err == nil {
			return x, nil
		}
		err := errors.Join(x.err, x.Release(ctx))
		var limit *limitError
		if !errors.As(err, &limit) || x.limits == limits {
			return nil, err
		}
		// Another handler's limits were not enough, which says nothing about this one's.
	}
}

// acquire adds a user to the code, which is begun if it is not there.
func (c *Compiler) acquire(ctx context.Context, k [sha256.Size]byte, file *wasmbin.Module,
	limits Limits) *Code {
	c.mu.Lock()
	defer c.mu.Unlock()
	if x, found := c.byKey[k]; found {
		x.users++
		return x
	}
	x := &Code{compiler: c, key: k, limits: limits, users: 1,
		done: make(chan struct{}), err: errors.New("the module was not compiled to its end")}
	if c.byKey == nil {
		c.byKey = map[[sha256.Size]byte]*Code{}
	}
	c.byKey[k] = x
	making, stop := context.WithCancel(context.WithoutCancel(ctx)) // for others, too
	x.stop = stop
	c.making.Go(func() { c.make(making, x, file.Code) })
	return x
}

// make builds the code and wakes those who wait for it, even after a panic. If nobody waits any
// more, it frees the code.
func (c *Compiler) make(ctx context.Context, x *Code, wasm []byte) {
	defer x.stop()
	err := c.build(ctx, x, wasm)
	c.mu.Lock()
	x.err, x.made = err, true
	if x.err != nil {
		c.remove(x) // so that the next caller tries again
	}
	abandoned := x.users == 0
	close(x.done)
	c.mu.Unlock()
	if abandoned {
		_ = x.free(context.WithoutCancel(ctx)) // there is nobody to report it to
	}
}

// waitGrace is how much longer than its context Wait takes, since what is ended needs a moment.
const waitGrace = 500 * time.Millisecond

// Wait waits until nothing is being made, or for the end of ctx. The caller has ended the contexts
// of all Compiles before.
func (c *Compiler) Wait(ctx context.Context) error {
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

// remove makes room for another code of the same key. The caller holds mu.
func (c *Compiler) remove(x *Code) {
	if c.byKey[x.key] == x {
		delete(c.byKey, x.key)
	}
}
