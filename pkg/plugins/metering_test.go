package plugins

import (
	"context"
	"errors"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// bulk is an instruction on a range of the memory or a table.
func bulk(op byte, immediates ...byte) []byte { return append([]byte{0xfc, op}, immediates...) }

// Each of these goes on for hours. That they end at all shows that the deadline holds; that they
// end for a want of fuel as well, and with a use that is hardly above the budget, that nothing is
// done without being paid for.
var endless = []struct {
	name   string
	module func(m *wasmtest.Module) (onEvent [][]byte)
	over   int64 // the most that is used beyond a budget
}{
	{"loop", func(*wasmtest.Module) [][]byte { return [][]byte{wasmtest.Forever} }, 1},
	{"recursion without loops", func(m *wasmtest.Module) [][]byte {
		again := append(append(local(0), konst(1)...), 0x6b) // less one
		f := m.Func("", "i", "", "", local(0), wasmtest.If(again, invoke(1), again, invoke(1)))
		return [][]byte{konst(60), invoke(f)}
	}, 10},
	{"memory.fill", func(*wasmtest.Module) [][]byte {
		return [][]byte{wasmtest.Loop(konst(0), konst(1), konst(65536), bulk(11, 0))}
	}, 4096 + 10},
	{"table.grow", func(m *wasmtest.Module) [][]byte {
		m.Table(0, -1)
		return [][]byte{wasmtest.Loop([]byte{0xd0, 0x70}, konst(65536), bulk(15, 0), drop)}
	}, 65536 + 100},
	{"memory.grow", func(*wasmtest.Module) [][]byte {
		return [][]byte{wasmtest.Loop(wasmtest.Grow(1), drop)}
	}, 4096 + 100},
}

func endlessGuest(module func(m *wasmtest.Module) [][]byte) []byte {
	m := guestModule()
	return onEvent(m, append(module(m), konst(0))...)
}

// untimed is an error's text without how long the call took that passed its deadline.
func untimed(err error) string { return took.ReplaceAllString(err.Error(), "") }

var took = regexp.MustCompile(`: it was stopped after [0-9.]+m?s`)

func expectCrash(t *testing.T, err error, function string, reason Reason, cause string) {
	t.Helper()
	var crash *CrashError
	if !errors.As(err, &crash) || crash.Func != function || crash.Reason != reason ||
		untimed(crash.Cause) != cause {
		t.Errorf("got %v\nwant %s: %s: %s", err, function, reason, cause)
	}
}

func TestDeadlineHoldsForAnyCode(t *testing.T) {
	for _, test := range endless {
		t.Run(test.name, func(t *testing.T) {
			host, _ := testHost(t)
			spec := testSpec(endlessGuest(test.module))
			spec.Limits.Deadline = 200 * time.Millisecond
			i := instance(t, host, spec)
			_, err := i.Handle(t.Context(), podAdd(t)) // which would never end
			expectCrash(t, err, "on_event", ReasonDeadline, "it ran longer than 200ms")
			if i.Fuel() == 0 {
				t.Error("it used no fuel")
			}
		})
	}
}

func TestFuelHoldsForAnyCode(t *testing.T) {
	const budget = 300_000
	for _, test := range endless {
		t.Run(test.name, func(t *testing.T) {
			host, log := testHost(t)
			spec := testSpec(endlessGuest(test.module))
			spec.Limits.Fuel, spec.Limits.Deadline = budget, time.Minute
			i := instance(t, host, spec)
			_, err := i.Handle(t.Context(), podAdd(t))
			expectCrash(t, err, "on_event", ReasonFuel,
				"the handler used more than 300000 units of fuel")
			if used := i.Fuel(); used <= budget || used > budget+test.over {
				t.Errorf("it used %d units, the budget is %d", used, budget)
			}
			if line := `reason=fuel error="the handler used more than 300000 units of fuel"`; !strings.Contains(log.String(), line) {
				t.Errorf("logged: %s", log)
			}
		})
	}
}

// With exactly what a call uses it comes to its end, with half of it it does not; a batch has as
// much for each event.
func TestFuelIsExact(t *testing.T) {
	work := wasmtest.Times(4, 1000)
	host, _ := testHost(t)
	free := instance(t, host, testSpec(onEvent(guestModule(), work, konst(0))))
	expectVerdict(t, free, podAdd(t), Done)
	used := free.Fuel()
	expectVerdict(t, free, podAdd(t), Done)
	if used < 1000 || free.Fuel() != used {
		t.Errorf("the first call used %d, the second %d", used, free.Fuel())
	}

	with := func(fuel int64) *Instance {
		spec := testSpec(onEvent(guestModule(), work, konst(0)))
		spec.Limits.Fuel = fuel
		return instance(t, host, spec)
	}
	i := with(used)
	for range 3 { // each event has its own
		expectVerdict(t, i, podAdd(t), Done)
	}
	if _, err := i.HandleBatch(t.Context(), []event.Event{podAdd(t), podAdd(t)}); err != nil {
		t.Error(err)
	}
	if i.Fuel() != 2*used {
		t.Errorf("two events used %d, one %d", i.Fuel(), used)
	}
	if _, err := with(used/2).Handle(t.Context(), podAdd(t)); !isReason(err, ReasonFuel) {
		t.Errorf("with half of it: %v", err)
	}

	batch := func(fuel int64) *Instance {
		m := guestModule()
		m.Func("on_batch", "i", "i", "iiii", work, konst(0))
		spec := testSpec(m.Bytes())
		spec.Limits.Fuel = fuel
		return instance(t, host, spec)
	}
	two := []event.Event{podAdd(t), podAdd(t)}
	if _, err := batch(used/2+1).HandleBatch(t.Context(), two); err != nil {
		t.Error(err)
	}
	_, err := batch(used/4).HandleBatch(t.Context(), two)
	if !isReason(err, ReasonFuel) || !strings.Contains(err.Error(), "in on_batch") {
		t.Errorf("with too little for a batch: %v", err)
	}
}

func isReason(err error, reason Reason) bool {
	var crash *CrashError
	return errors.As(err, &crash) && crash.Reason == reason
}

// Starting an instance may take much more than an event.
func TestStartHasNoFuelBudget(t *testing.T) {
	m := guestModule()
	m.Start(m.Func("", "", "", "i", wasmtest.Times(0, 100_000)))
	m.Func("configure", "", "i", "i", wasmtest.Times(0, 100_000), konst(0))
	spec := testSpec(onEvent(m, konst(0)))
	spec.Limits.Fuel = 10
	host, _ := testHost(t)
	i := instance(t, host, spec)
	expectVerdict(t, i, podAdd(t), Done)
	if used := i.Fuel(); used != 1 {
		t.Errorf("used %d", used)
	}
}

// The garbage collector stops the world, so that it must wait for a guest that does not leave
// native code.
func TestGarbageCollectorGetsThrough(t *testing.T) {
	for _, test := range endless[:3] {
		t.Run(test.name, func(t *testing.T) {
			host, _ := testHost(t)
			spec := testSpec(endlessGuest(test.module))
			// should nothing get through, the guest ends in the end
			spec.Limits.Deadline = time.Minute
			i := instance(t, host, spec)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c, e, ended := i.guest.calls, podAdd(t), make(chan error, 1)
			go func() {
				_, err := i.Handle(ctx, e)
				ended <- err
			}()
			for !isRunning(c) {
				runtime.Gosched()
			}
			for range 5 {
				runtime.GC()
			}
			cancel()
			if err := <-ended; err != context.Canceled {
				t.Errorf("got %v", err)
			}
		})
	}
}

// addOdd adds a function that makes a module unmeterable: the type of its block is written in two
// bytes, which is wrong, but the engine takes it.
func addOdd(m *wasmtest.Module) {
	m.Func("odd", "", "", "", []byte{0x02, 0xff, 0x7f}, konst(1), []byte{0x0b}, drop)
}

// What cannot be metered is not run, and the error names the place.
func TestModulesThatCannotBeMeteredAreRefused(t *testing.T) {
	m := guestModule()
	addOdd(m)
	wasm := onEvent(m, konst(0))
	host, log := testHost(t)
	_, err := host.Load(t.Context(), testSpec(wasm))
	const why = `the module cannot be metered: function 1, offset 90: there is no type -1`
	if want := `listener "pods": handler guest.wasm: ` + why; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if log.String() != "" {
		t.Errorf("logged %s", log)
	}
	in, err := Inspect(wasm)
	if err != nil || in.Kind != ModuleOther || in.Refusal != why {
		t.Errorf("inspected: %+v, %v", in, err)
	}
}
