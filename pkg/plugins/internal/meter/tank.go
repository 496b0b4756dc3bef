package meter

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// HostModule is the module that rewritten modules import from; see Instantiate.
const (
	HostModule = "informerd/meter"
	visitName  = "visit"
)

// DefaultSlice is the units between two visits, unless a Tank says otherwise.
const DefaultSlice = 1 << 14

// ErrSpent ends a call that has used up its fuel.
var ErrSpent = errors.New("the fuel is spent")

// Tank is the fuel of one instance. It belongs to the goroutine that calls the instance.
type Tank struct {
	// Fuel is the name of the instance's global, Metered.Fuel.
	Fuel string
	// Slice is the most units that the guest uses between two visits; default is DefaultSlice, and
	// less as long as that takes more than a millisecond. What the guest uses in all does not
	// depend on it.
	Slice int64
	// Check is asked at each visit whether the guest may continue; an error ends the call and is
	// what it returns.
	Check func() error
	// Pause is asked after each 250 us that the guest has run, once others had a chance to run. It
	// returns when the guest may continue, or an error like Check's.
	Pause func() error

	fuel    api.MutableGlobal // what the guest may use until its next visit
	frames  api.MutableGlobal // how many values its frames may have until then
	reserve int64             // what it may use after that
	budget  int64
	size    int64         // of the last slice
	visited time.Time     // when it began
	alone   time.Duration // that the guest has run since it let others run
}

// Bind connects the tank to its instance. What a start function used is kept.
func (t *Tank) Bind(instance api.Module) {
	t.fuel = instance.ExportedGlobal(t.Fuel).(api.MutableGlobal)
	t.frames = instance.ExportedGlobal(t.Fuel + framesSuffix).(api.MutableGlobal)
}

// Fill sets the budget, for one call or several, and for instantiation, which may run a start
// function. At least 0. The caller has just looked at the clock.
func (t *Tank) Fill(budget int64, now time.Time) {
	t.budget = budget
	t.size, t.visited = DefaultSlice, now
	t.split(budget)
}

// Used returns how much was used since Fill. It may be more than the budget: the charge that was
// too much is part of it.
func (t *Tank) Used() int64 { return t.budget - t.remaining() }

// Spend charges for what a host function does. The next visit comes so much earlier, and if too
// little is left, the guest ends there.
func (t *Tank) Spend(units int64) {
	if t.fuel == nil {
		t.reserve -= units
		return
	}
	t.fuel.Set(uint64(int64(t.fuel.Get()) - units))
}

// Spent reports whether more was used than there was.
func (t *Tank) Spent() bool { return t.remaining() < 0 }

func (t *Tank) remaining() int64 {
	if t.fuel == nil {
		return t.reserve
	}
	return t.reserve + int64(t.fuel.Get())
}

// split puts into the instance what it may use until its next visit.
func (t *Tank) split(remaining int64) {
	if t.fuel == nil {
		t.reserve = remaining
		return
	}
	slice := t.Slice
	if slice <= 0 {
		slice = t.size
	}
	slice = min(slice, remaining)
	t.fuel.Set(uint64(slice))
	t.frames.Set(defaultFrames)
	t.reserve = remaining - slice
}

func (t *Tank) visit(instance api.Module) {
	if t.fuel == nil { // a start function
		t.Bind(instance)
	}
	remaining := t.remaining()
	if remaining < 0 {
		panic(ErrSpent)
	}
	if t.Check != nil {
		if err := t.Check(); err != nil {
			panic(err)
		}
	}
	t.adapt()
	t.split(remaining)
}

// A slice takes about 20 us. One of nothing but loads that no cache has takes 5 ms.
const (
	tooLong  = time.Millisecond
	minSlice = 1 << 10
	// After so long a guest lets others run: an event passes through five goroutines, and behind
	// guests that are stopped by the scheduler, each of them would wait for 10 ms.
	mostAlone = 250 * time.Microsecond
)

// adapt makes slices smaller that take too long, and larger again, and lets others run.
func (t *Tank) adapt() {
	now := time.Now()
	took := now.Sub(t.visited)
	switch {
	case took > tooLong:
		t.size = max(t.size/2, minSlice)
	case took < tooLong/4:
		t.size = min(2*t.size, DefaultSlice)
	}
	if t.alone += took; t.alone > mostAlone {
		runtime.Gosched()
		if t.alone = 0; t.Pause != nil {
			if err := t.Pause(); err != nil {
				panic(err)
			}
		}
		now = time.Now()
	}
	t.visited = now
}

// Instantiate makes the module that rewritten modules import from. A visit finds the tank of its
// instance by the context of the call.
func Instantiate(ctx context.Context, r wazero.Runtime, tank func(context.Context) *Tank) error {
	visit := func(ctx context.Context, instance api.Module, _ []uint64) {
		tank(ctx).visit(instance)
	}
	_, err := r.NewHostModuleBuilder(HostModule).NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(visit), nil, nil).Export(visitName).Instantiate(ctx)
	return err
}
