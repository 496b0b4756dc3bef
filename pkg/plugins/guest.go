package plugins

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/code"
	"github.com/informerd/informerd/pkg/plugins/internal/meter"
)

// guest is one running copy of a module: the engine's instance and its calls. After its first error
// it is closed and never called again.
//
//	guest.onEvent       puts the event into the state of event.v1
//	guest.guard         begins the deadline, fills the fuel, and makes a crash of what went wrong
//	guestFunction.call  runs the guest, which calls host functions and visits package meter
//	guest.endEvent      all that host functions keep of the event is forgotten
type guest struct {
	handler *Handler
	mod     api.Module
	memory  api.Memory   // nil until the guest is started
	linear  *linear      // what memory is in
	calls   *callContext // the context of all calls, which leads from the engine to the guest
	tank    *meter.Tank

	running   *guestFunction // what is called; nil between calls
	single    guestFunction  // on_event, or _start of a command
	batch     guestFunction  // on_batch
	args      [4]uint64      // of both; kept, as a new one for each call would be garbage
	batchTime time.Duration  // the deadline of the batch
	phase     phase
	counts    []uint64 // of calls, by the functions' numbers; nil if they are not counted
	fault     *fault   // why a host function ended the call
	failure   error    // how the engine ended the last call

	// What host functions work on.
	paths  []object.Path // which the guest has compiled, by their handles
	events eventState
	cache  cacheState
	http   httpState
	turn   bool          // it has one of the host's turns
	slept  time.Duration // how far sleeping moved the monotonic clock
	seeded *rand.ChaCha8 // where its random numbers come from; nil: they are real

	stdout  lines
	stderr  *stderr
	command *command // the run of a WASI command

	age age
}

// phase is what a guest is doing; some host functions are for one phase only.
type phase uint8

// The phases.
const (
	phaseStart     phase = iota // the start function and _initialize
	phaseConfigure              // configure
	phaseIdle
	phaseBatch // on_batch, without an event at hand
	phaseEvent // an event is at hand
)

// start starts a guest of a handler, and configures it.
func start(ctx context.Context, h *Handler) (*guest, error) {
	g := &guest{handler: h, stdout: lines{to: h.log.stdout}, stderr: newStderr(h.log.stderr)}
	g.calls = newCallContext(g)
	g.tank = &meter.Tank{Fuel: h.code.Fuel(), Check: g.check,
		Pause: func() error { return h.host.turns.take(g) }}
	g.events.guest = g
	if grant := h.spec.Grants.Random; grant != nil && grant.Seed != nil {
		var seed [32]byte
		binary.LittleEndian.PutUint64(seed[:], *grant.Seed)
		g.seeded = rand.NewChaCha8(seed)
	}
	h.host.guests.Add(1)
	var err error
	if g.linear, err = newLinear(h.maxMemory); err == nil {
		err = g.initialize(ctx)
	}
	if err != nil {
		_ = g.close(context.WithoutCancel(ctx)) // the first error says more
		return nil, err
	}
	g.calls.link(context.Background()) // ctx is that of the start
	g.phase = phaseIdle
	g.events.endEvent() // the message of configure is no event's reason
	g.memory = g.mod.Memory()
	return g, nil
}

// initialize instantiates the module, and calls its start function, _initialize and configure.
func (g *guest) initialize(ctx context.Context) error {
	// No start functions: the engine would call them without our being able to distinguish their
	// crash from a link error.
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	limit := g.handler.spec.Limits.LoadDeadline // of all calls together
	err := g.guard(ctx, "start", limit, func(ctx context.Context) (err error) {
		// dozens of guests that start at once would keep all processors busy, too
		if err := g.handler.host.turns.take(g); err != nil {
			return err
		}
		ctx = experimental.WithMemoryAllocator(ctx, g.linear)
		g.mod, err = g.handler.runtime.InstantiateModule(ctx, g.handler.compiled, config)
		return err
	})
	if err != nil {
		return err
	}
	g.tank.Bind(g.mod)
	if name := g.handler.startFunction; name != "" {
		if _, err := g.callOnce(ctx, name, "start"); err != nil {
			return err
		}
	}
	if g.handler.kind == code.Command {
		g.single, err = exportedFunction(g.mod, abi.ExportStart)
		return err
	}
	if _, err := g.callOnce(ctx, abi.ExportInitialize, abi.ExportInitialize); err != nil {
		return err
	}
	g.phase = phaseConfigure
	status, err := g.callOnce(ctx, abi.ExportConfigure, abi.ExportConfigure)
	if err != nil {
		return err
	}
	if status != 0 {
		return g.crash(abi.ExportConfigure, ReasonRefused, g.refusal(status))
	}
	if g.single, err = exportedFunction(g.mod, abi.ExportOnEvent); err != nil {
		return err
	}
	g.batch, err = exportedFunction(g.mod, abi.ExportOnBatch)
	return err
}

// callOnce calls an optional export without parameters, which has another name in crashes, with the
// time that the call before has left. Neither it nor its call stack is kept.
func (g *guest) callOnce(ctx context.Context, export, name string) (status int32, err error) {
	f, err := exportedFunction(g.mod, export)
	if err != nil || f.function == nil {
		return 0, err
	}
	var stack [1]uint64
	err = g.guard(ctx, name, g.calls.remaining(), func(ctx context.Context) error {
		return g.call(ctx, &f, stack[:])
	})
	return int32(stack[0]), err
}

// refusal returns why configure did not return 0.
func (g *guest) refusal(status int32) error {
	switch {
	case g.events.message != "":
		return errors.New(g.events.message)
	case g.events.pathErr != nil:
		return g.events.pathErr
	}
	return fmt.Errorf("result %d, without a reason", status)
}

// size returns how many bytes the guest has: its memory, and what the stacks of its calls have
// grown by.
func (g *guest) size() int64 {
	return memorySize(g.memory) + g.single.grown() + g.batch.grown()
}

// close frees the guest. Nothing may run in it, and it must not be used afterwards.
func (g *guest) close(ctx context.Context) error {
	g.stdout.flush(ctx)
	g.stderr.flush(ctx)
	g.calls.close()
	var err error
	if g.mod != nil {
		err = g.mod.Close(ctx)
	}
	if g.linear != nil {
		g.linear.Free() // the engine has done it, unless instantiating failed
	}
	g.handler.host.guests.Add(-1)
	return err
}
