package guest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/code"
	"github.com/informerd/informerd/pkg/plugins/internal/hostfunc"
)

// Guest is one running copy of a module: the engine's instance and its calls.
type Guest struct {
	module *Module
	mod    api.Module
	memory api.Memory // nil until the guest is started
	linear *Linear    // what memory is in
	caller *hostfunc.Caller
	events *hostfunc.EventState

	single    hostfunc.GuestFunction // on_event, or _start of a command
	batch     hostfunc.GuestFunction // on_batch
	args      [4]uint64              // of both; kept, as a new one for each call would be garbage
	batchTime time.Duration          // the deadline of the batch

	stdout  hostfunc.Lines
	stderr  *stderr
	wasi    *hostfunc.WASIState // nil unless the module imports it
	command *command            // the run of a WASI command
	failure error               // how the engine ended the last call

	age age
}

// start starts a guest of a module, and configures it.
func start(ctx context.Context, m *Module) (*Guest, error) {
	g := &Guest{module: m, stdout: hostfunc.Lines{To: m.cfg.Log.Stdout},
		stderr: newStderr(m.cfg.Log.Stderr),
		caller: hostfunc.NewCaller(m.code.Fuel(), m.cfg.Clock, hostfunc.NewRandom(m.cfg.Seed))}
	g.caller.AddStates(m.groups)
	g.events = hostfunc.StateOf[hostfunc.EventState](g.caller)
	if g.wasi = hostfunc.StateOf[hostfunc.WASIState](g.caller); g.wasi != nil {
		g.wasi.Stdout, g.wasi.Stderr = &g.stdout, g.stderr
	}
	m.cfg.Guests.Add(1)
	deadline := time.Now().Add(m.cfg.Limits.LoadDeadline)
	var err error
	if g.linear, err = newLinear(m.maxMemory); err == nil {
		err = g.initialize(ctx, deadline)
	}
	if err != nil {
		_ = g.Close(context.WithoutCancel(ctx)) // the first error says more
		return nil, err
	}
	g.caller.Link(context.Background()) // ctx is that of the start
	g.caller.Phase = hostfunc.PhaseIdle
	g.events.EndEvent() // the message of configure is no event's reason
	g.memory = g.mod.Memory()
	return g, nil
}

// initialize instantiates the module, and calls its start function, _initialize and configure.
func (g *Guest) initialize(ctx context.Context, deadline time.Time) error {
	// No start functions: the engine would call them without our being able to distinguish their
	// crash from a link error.
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	err := g.guard(ctx, "start", time.Until(deadline), func(ctx context.Context) (err error) {
		ctx = experimental.WithMemoryAllocator(ctx, g.linear)
		g.mod, err = g.module.runtime.InstantiateModule(ctx, g.module.compiled, config)
		return err
	})
	if err != nil {
		return err
	}
	g.caller.Tank.Bind(g.mod)
	if name := g.module.startFunction; name != "" {
		if _, err := g.callOnce(ctx, name, "start", deadline); err != nil {
			return err
		}
	}
	if g.module.kind == code.Command {
		g.single, err = hostfunc.ExportedFunction(g.mod, abi.ExportStart)
		return err
	}
	if _, err := g.callOnce(ctx, abi.ExportInitialize, abi.ExportInitialize, deadline); err != nil {
		return err
	}
	g.caller.Phase = hostfunc.PhaseConfigure
	status, err := g.callOnce(ctx, abi.ExportConfigure, abi.ExportConfigure, deadline)
	if err != nil {
		return err
	}
	if status != 0 {
		return g.crash(abi.ExportConfigure, hostfunc.ReasonRefused, g.refusal(status))
	}
	if g.single, err = hostfunc.ExportedFunction(g.mod, abi.ExportOnEvent); err != nil {
		return err
	}
	g.batch, err = hostfunc.ExportedFunction(g.mod, abi.ExportOnBatch)
	return err
}

// callOnce calls an optional export without parameters, which has another name in crashes. Neither
// it nor its call stack is kept.
func (g *Guest) callOnce(ctx context.Context, export, name string,
	deadline time.Time) (status int32, err error) {
	f, err := hostfunc.ExportedFunction(g.mod, export)
	if err != nil || !f.Exists() {
		return 0, err
	}
	var stack [1]uint64
	err = g.guard(ctx, name, time.Until(deadline), func(ctx context.Context) error {
		return g.call(ctx, &f, stack[:])
	})
	return int32(stack[0]), err
}

// refusal returns why configure did not return 0.
func (g *Guest) refusal(status int32) error {
	switch {
	case g.events.Message() != "":
		return errors.New(g.events.Message())
	case g.events.PathErr() != nil:
		return g.events.PathErr()
	}
	return fmt.Errorf("result %d, without a reason", status)
}

// Memory returns the guest's memory.
func (g *Guest) Memory() api.Memory { return g.memory }

// Size returns how many bytes the guest has: its memory, and what the stacks of its calls have
// grown by.
func (g *Guest) Size() int64 {
	return hostfunc.MemorySize(g.memory) + g.single.Grown() + g.batch.Grown()
}

// Count has the guest's calls of host functions counted, by their numbers.
func (g *Guest) Count(calls []uint64) { g.caller.Counts = calls }

// Close frees the guest. Nothing may run in it, and it must not be used afterwards.
func (g *Guest) Close(ctx context.Context) error {
	g.stdout.Flush(ctx)
	g.stderr.flush(ctx)
	g.caller.Close()
	var err error
	if g.mod != nil {
		err = g.mod.Close(ctx)
	}
	if g.linear != nil {
		g.linear.Free() // the engine has done it, unless instantiating failed
	}
	g.module.cfg.Guests.Add(-1)
	return err
}
