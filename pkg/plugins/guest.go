package plugins

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/meter"
)

// phase is what a guest is doing; some host functions are for one phase only.
type phase uint8

const (
	phaseStart     phase = iota // the start function and _initialize
	phaseConfigure              // configure
	phaseIdle
	phaseBatch // on_batch, without an event at hand
	phaseEvent // an event is at hand
)

// guest is one running module: the engine's instance and the state its host functions work on. The
// first error ends it: a guest that crashed is closed and never called again.
type guest struct {
	module     *module // it is used until the guest is closed
	mod        api.Module
	memory     api.Memory
	linear     *linear   // what memory lies in
	entry      export    // on_event, or _start of a command
	batchEntry export    // on_batch
	running    *export   // what is called
	args       [4]uint64 // of both; kept, as a new one for each call would be garbage
	watch      *watch
	tank       *meter.Tank
	calls      []uint64 // of hostFunctions, one by one; nil if they are not counted

	phase    phase
	event    event.Event
	paths    []object.Path
	pathErr  error // the last path that did not compile
	emitted  output
	message  string
	fault    *fault // why a host function ended the call
	stdout   lines
	stderr   lines
	panics   heldLines // of stderr
	said     speech    // what this call wrote to stderr
	failure  error     // how the engine ended this call
	http     httpState
	cache    cacheState
	advanced time.Duration // how far sleeping moved the monotonic clock on

	prefetch  prefetch
	batch     batch
	batchTime time.Duration // the deadline of the batch
	command   *command      // what a WASI command reads and writes
	seeded    *rand.ChaCha8 // nil: real random numbers

	age age
}

// fault is why a host function ended a call.
type fault struct {
	reason Reason
	err    error
}

func (f *fault) Error() string { return f.err.Error() }

// startGuest starts an instance of a module that is used for it, and configures it. It leaves the
// module if that fails.
func startGuest(ctx context.Context, m *module) (*guest, error) {
	g := &guest{module: m, stdout: lines{to: m.log.stdout}, panics: heldLines{to: m.log.stderr},
		seeded: newSeeded(m.spec.Grants.Random)}
	g.stderr.to = g.panics.line
	m.host.guests.Add(1)
	g.watch = newWatch(g)
	g.tank = &meter.Tank{Fuel: m.fuel, Check: g.check}
	deadline := time.Now().Add(m.spec.Limits.LoadDeadline)
	var err error
	if g.linear, err = newLinear(m.maxMemory); err == nil {
		err = g.start(ctx, deadline)
	}
	if err != nil {
		_ = g.close(context.WithoutCancel(ctx)) // the first error tells more
		return nil, err
	}
	g.watch.link(context.Background()) // ctx is that of the start
	g.phase, g.message = phaseIdle, "" // what configure said is no event's reason
	g.memory = g.mod.Memory()
	return g, nil
}

func (g *guest) start(ctx context.Context, deadline time.Time) error {
	// No start functions: the engine would call them without our being able to tell their crash
	// from a link error.
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	err := g.guard(ctx, "start", time.Until(deadline), func(ctx context.Context) (err error) {
		ctx = experimental.WithMemoryAllocator(ctx, g.linear)
		g.mod, err = g.module.runtime.InstantiateModule(ctx, g.module.compiled, config)
		return err
	})
	if err != nil {
		return err
	}
	g.tank.Bind(g.mod)
	if name := g.module.startFunction; name != "" {
		if _, err := g.callStart(ctx, name, "start", deadline); err != nil {
			return err
		}
	}
	if g.module.kind == kindCommand {
		g.entry, err = g.exported(abi.ExportStart)
		return err
	}
	if _, err := g.callStart(ctx, abi.ExportInitialize, abi.ExportInitialize,
		deadline); err != nil {
		return err
	}
	g.phase = phaseConfigure
	status, err := g.callStart(ctx, abi.ExportConfigure, abi.ExportConfigure, deadline)
	if err != nil {
		return err
	}
	if status != 0 {
		return g.crash(abi.ExportConfigure, ReasonRefused, g.refusal(status))
	}
	if g.entry, err = g.exported(abi.ExportOnEvent); err != nil {
		return err
	}
	g.batchEntry, err = g.exported(abi.ExportOnBatch)
	return err
}

// callStart calls an optional export without parameters, which crashes have another name for. It is
// called once, so that neither it nor its call stack is kept.
func (g *guest) callStart(ctx context.Context, export, name string,
	deadline time.Time) (status int32, err error) {
	f, err := g.exported(export)
	if err != nil || !f.exists() {
		return 0, err
	}
	var stack [1]uint64
	err = g.guard(ctx, name, time.Until(deadline), func(ctx context.Context) error {
		return g.call(ctx, &f, stack[:])
	})
	return int32(stack[0]), err
}

// call calls a function, and refuses one that took too much of the engine's stack since the last
// look.
func (g *guest) call(ctx context.Context, f *export, stack []uint64) error {
	g.running = f
	err := f.function.CallWithStack(ctx, stack)
	g.running = nil
	if err == nil && f.size() > maxCallStack {
		err = errCallStack
	}
	return err
}

// refusal says why configure did not give 0.
func (g *guest) refusal(status int32) error {
	switch {
	case g.message != "":
		return errors.New(g.message)
	case g.pathErr != nil:
		return g.pathErr
	}
	return fmt.Errorf("result %d, without a reason", status)
}

// onEvent calls on_event.
func (g *guest) onEvent(ctx context.Context, e event.Event) (Result, error) {
	g.event, g.phase = e, phaseEvent
	g.args = eventArgs(e)
	err := g.guard(ctx, abi.ExportOnEvent, g.module.spec.Limits.Deadline, g.callEntry)
	result := Result{Verdict: Verdict(int32(g.args[0])), Message: g.message,
		Emitted: g.emitted.list, Refused: g.emitted.refused, Handler: g.module.digest}
	g.event, g.phase = event.Event{}, phaseIdle
	g.emitted, g.message = output{}, ""
	g.endEvent()
	if err != nil {
		return Result{}, err
	}
	if result.Verdict < Done || result.Verdict > Fail {
		return Result{}, g.crash(abi.ExportOnEvent, ReasonProtocol, badVerdict(result.Verdict))
	}
	if result.Verdict != Done {
		result.Emitted = nil
	}
	return result, nil
}

// size is how many bytes the guest has: its memory, and what the stacks of its calls have grown by.
func (g *guest) size() int64 {
	return sizeOf(g.memory) + g.entry.grown() + g.batchEntry.grown()
}

func (g *guest) callEntry(ctx context.Context) error {
	if err := g.writePrefetch(); err != nil {
		return err
	}
	if err := g.call(ctx, &g.entry, g.args[:]); err != nil {
		return err
	}
	return g.trim(&g.entry)
}

func badVerdict(v Verdict) error {
	return fmt.Errorf("its result is %d, it must be 0 (done), 1 (drop), 2 (retry) or 3 (fail)", v)
}

// eventArgs are the arguments of on_event.
func eventArgs(e event.Event) [4]uint64 {
	args := [4]uint64{uint64(e.Op), flags(e), uint64(uint32(e.Object.Size())), 0}
	if e.Old != nil {
		args[3] = uint64(uint32(e.Old.Size()))
	}
	return args
}

func flags(e event.Event) uint64 {
	var f uint64
	if e.Initial {
		f |= abi.FlagInitial
	}
	if e.FinalStateUnknown {
		f |= abi.FlagFinalStateUnknown
	}
	if e.Missed > 0 {
		f |= abi.FlagMissed
	}
	return f
}

// guard runs the guest for limit at most and turns what went wrong into a CrashError, or into the
// error of ctx.
func (g *guest) guard(ctx context.Context, function string, limit time.Duration,
	run func(context.Context) error) error {
	if !g.linear.enter() {
		return errClosed(g.module.spec.Listener)
	}
	defer g.linear.leave()
	begun := g.watch.begin(ctx, limit)
	budget := g.fill(function, begun)
	g.said.reset()
	g.panics.begin(function)
	defer g.panics.end(ctx)
	err := run(g.watch)
	g.failure = err
	switch took, ended := g.watch.end(); {
	case ended == context.DeadlineExceeded:
		return g.crash(function, ReasonDeadline, g.lateness(function, took))
	case ended != nil:
		return ctx.Err()
	case err == nil || g.command != nil && g.command.exited:
		return nil
	case spent(err):
		return g.crash(function, ReasonFuel,
			fmt.Errorf("the handler used more than %d units of fuel", budget))
	case g.fault != nil && g.fault.reason == ReasonProtocol:
		return g.crash(function, ReasonProtocol, g.fault.err)
	case g.module.closed.Load():
		return errClosed(g.module.spec.Listener)
	case g.nearMemoryLimit():
		return g.crash(function, ReasonMemory, fmt.Errorf("its memory is at %s of %s: %w",
			mebibytes(sizeOf(g.mod.Memory())), mebibytes(g.module.maxMemory), err))
	case g.fault != nil:
		return g.crash(function, g.fault.reason, g.fault.err)
	}
	return g.crash(function, ReasonTrap, err)
}

// lateness says by how much the deadline was passed: a guest that others have kept from running
// cannot be distinguished from a slow one.
func (g *guest) lateness(function string, took time.Duration) error {
	limit := g.module.spec.Limits.LoadDeadline
	switch function {
	case abi.ExportOnEvent:
		limit = g.module.spec.Limits.Deadline
	case abi.ExportOnBatch, abi.ExportStart:
		limit = g.batchTime
	}
	return fmt.Errorf("it ran longer than %v: it was stopped after %v", limit,
		took.Round(time.Millisecond))
}

// nearMemoryLimit guesses whether a trap came from a refused memory.grow, which the engine does not
// tell: a guest that was refused has grown its memory and stands within a quarter of what it may
// have.
func (g *guest) nearMemoryLimit() bool {
	if g.mod == nil {
		return false
	}
	size, most := sizeOf(g.mod.Memory()), g.module.maxMemory
	return size > g.module.minMemory && size > most-most/4
}

// abort ends the running call from within a host function.
func (g *guest) abort(reason Reason, format string, args ...any) {
	g.fault = &fault{reason, fmt.Errorf(format, args...)}
	panic(g.fault)
}

// close frees the instance and leaves its module; nothing may run in it, and nothing may be done
// with it afterwards.
func (g *guest) close(ctx context.Context) error {
	g.stdout.flush(ctx)
	g.stderr.flush(ctx)
	g.watch.close()
	var err error
	if g.mod != nil {
		err = g.mod.Close(ctx)
	}
	if g.linear != nil {
		g.linear.Free() // the engine has done it, unless instantiating failed
	}
	g.module.host.guests.Add(-1)
	return errors.Join(err, g.module.leave(ctx))
}
