package plugins

import (
	"context"

	"errors"
	"fmt"

	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// compilations is a context that counts how often the engine compiles a guest: only then it asks
// for the number of workers.
type compilations struct {
	context.Context
	n      *atomic.Int64
	during func() // may be nil
}

func (c compilations) Value(key any) any {
	if strings.Contains(fmt.Sprintf("%T", key), "CompilationWorkers") {
		c.n.Add(1)
		if c.during != nil {
			c.during()
		}
	}
	return c.Context.Value(key)
}

// users are the numbers of those who have compiled a guest's code, by the engine's own books.
func users(h *Host) (all []int64) {
	byKey := inside(&h.compiler, "byKey")
	for _, key := range byKey.MapKeys() {
		engines := byKey.MapIndex(key).Elem().FieldByName("cache").Elem().Elem().FieldByName("engs")
		for e := range engines.Len() {
			engine := engines.Index(e)
			if engine.IsNil() {
				continue
			}
			modules := engine.Elem().Elem().FieldByName("compiledModules")
			for _, id := range modules.MapKeys() {
				m := modules.MapIndex(id).Elem()
				if !m.FieldByName("compiledModule").Elem().FieldByName("module").Elem().FieldByName(
					"IsHostModule").Bool() {
					all = append(all, m.FieldByName("refCount").Int())
				}
			}
		}
	}
	return all
}

// Equal modules are compiled once, whatever their listeners, configurations, limits and grants,
// also when they are loaded at once; each keeps the code for itself, and it is gone with the last
// of them.
func TestEqualModulesAreCompiledOnce(t *testing.T) {
	const handlers = 8
	host, _ := testHost(t)
	ctx := compilations{t.Context(), &atomic.Int64{}, nil}
	var loaded [handlers]*Handler
	var wg sync.WaitGroup
	for n := range loaded {
		wg.Go(func() {
			spec := testSpec(generation(true, false))
			spec.Listener, spec.Config = fmt.Sprint("listener-", n),
				fmt.Appendf(nil, `{"generation":%d}`, n)
			spec.Limits.Memory = int64(n+1) << 16
			// counts for nothing
			spec.Wasm = append(spec.Wasm, wasmtest.Section(0, []byte("\x04note"+fmt.Sprint(n)))...)
			var err error
			if loaded[n], err = host.Load(ctx, spec); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
	if n := ctx.n.Load(); n != 1 {
		t.Errorf("compiled %d times", n)
	}
	for n, h := range loaded {
		if got, want := fmt.Sprint(users(host)), fmt.Sprintf("[%d]", handlers-n+1); got != want {
			t.Errorf("%d handlers: the engine counts %s, want %s", handlers-n, got, want)
		}
		i := newInstance(t, h)
		r, err := i.Handle(t.Context(), podAdd(t))
		if g, gErr := generationOf(r, "web-1"); err != nil || gErr != nil || g != int64(n) {
			t.Errorf("handler %d: %+v, %v, %v", n, r, err, gErr)
		}
		if err := errors.Join(i.Close(t.Context()), h.Close(t.Context())); err != nil {
			t.Error(err)
		}
	}
	expectClean(t, host)
	if _, err := host.Load(ctx, testSpec(generation(true, false))); err != nil ||
		ctx.n.Load() != 2 {
		t.Errorf("loaded again: %v, compiled %d times in all", err, ctx.n.Load())
	}
}

// A module that fails to compile does so for all who load it at once, and leaves nothing behind.
func TestInvalidModulesLeaveNothing(t *testing.T) {
	host, _ := testHost(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 5 {
				_, err := host.Load(t.Context(), testSpec(onEvent(guestModule(), drop)))
				if err == nil ||
					!strings.Contains(err.Error(),
						"handler guest.wasm: the module is not valid: ") {
					t.Errorf("got %v", err)
				}
			}
		})
	}
	wg.Wait()
	expectClean(t, host)
}
