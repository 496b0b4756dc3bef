//go:build linux || darwin || freebsd

package plugins

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// A memory that grows stays where it is, with what is in it, and takes nothing of Go's heap.
func TestMemoryGrowsInPlaceAndOutsideOfTheHeap(t *testing.T) {
	const most, step = 64 << 20, 1 << 20
	l, err := newLinear(most)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Free()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	first := l.Reallocate(step)
	first[0] = 7
	for size := uint64(2 * step); size <= most; size += step {
		grown := l.Reallocate(size)
		if uint64(len(grown)) != size || &grown[0] != &first[0] || grown[0] != 7 {
			t.Fatalf("%d of %d bytes, which begin with %d", len(grown), size, grown[0])
		}
		grown[size-1] = 1
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > most/10 {
		t.Errorf("a memory of %d bytes has taken %d of the heap", most, grown)
	}
	if l.Reallocate(most+1) != nil {
		t.Error("it grows beyond what was reserved")
	}
}

// A guest's memory is such a one, and is given back when the guest is closed, be it by a crash.
func TestMemoryOfAGuestIsGivenBack(t *testing.T) {
	host, _ := testHost(t)
	for name, code := range map[string][]byte{"closed": konst(0), "crashed": unreachable} {
		i := instance(t, host, testSpec(onEvent(guestModule(), wasmtest.Grow(3), drop, code)))
		linear := i.guest.linear
		small, _ := i.guest.memory.Read(0, 1)
		_, err := i.Handle(t.Context(), podAdd(t))
		switch crashed := (*CrashError)(nil); {
		case errors.As(err, &crashed):
		case err != nil:
			t.Fatal(err)
		default:
			large, ok := i.guest.memory.Read(0, 4*pageSize)
			if !ok || &large[0] != &small[0] {
				t.Errorf("%s: the memory has moved as it grew", name)
			}
			if linear.freed {
				t.Errorf("%s: the memory is gone before the guest", name)
			}
			if err := i.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if !linear.freed || linear.enter() {
			t.Errorf("%s: the memory is still there", name)
		}
	}
}

// Who closes a guest under a call takes no memory away that the call works on: it is given back behind the call.
func TestMemoryStaysUntilTheCallHasEnded(t *testing.T) {
	l, err := newLinear(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	memory := l.Reallocate(pageSize)
	if !l.enter() {
		t.Fatal("a new memory cannot be used")
	}
	l.Free()
	memory[0] = 1 // would be a fault
	if l.freed || l.enter() {
		t.Errorf("freed %t, or another call may begin", l.freed)
	}
	if l.leave(); !l.freed {
		t.Error("the memory is still there")
	}
	l.Free() // does no harm
}

// lookingUp is a guest that looks up an object and then stores a value under the key "k".
func lookingUp(t *testing.T, host *Host, caches Caches) *Instance {
	t.Helper()
	m := guestModule(imported(abi.ModuleCache, "resource"), imported(abi.ModuleCache, "get"), imported(abi.ModuleKV, "set"))
	m.Data(0, "ownersshopwebk")
	spec := testSpec(onEvent(m,
		konst(0), konst(6), invoke(0), konst(6), konst(4), konst(10), konst(3), invoke(1), drop,
		konst(13), konst(1), konst(13), konst(1), konst64(0), invoke(2), drop, konst(0)))
	spec.Grants.Cache, spec.Caches = &CacheGrant{Informers: []string{"owners"}}, caches
	return instance(t, host, spec)
}

// ending are caches in which a call's time is over before the object is found.
type ending struct {
	stores
	end func()
}

func (e *ending) Get(informer, namespace, name string) *event.Object {
	e.end()
	return e.stores.Get(informer, namespace, name)
}

// The guest's time ends while the host works for it: the next function of the host that it calls does nothing any more.
func TestHostFunctionsDoNothingOnceTheTimeIsUp(t *testing.T) {
	host, _ := testHost(t)
	values, err := host.Values("pods")
	if err != nil {
		t.Fatal(err)
	}
	defer values.Close()
	for _, ends := range []bool{true, false} {
		ctx, cancel := context.WithCancel(t.Context())
		caches := &ending{stores: ownersAndNodes(t), end: func() {}}
		i := lookingUp(t, host, caches)
		if ends {
			caches.end = func() {
				cancel()
				<-i.guest.watch.Done()
			}
		}
		_, err := i.Handle(ctx, podAdd(t))
		if stored := len(values.All()) > 0; stored == ends || errors.Is(err, context.Canceled) != ends {
			t.Errorf("the time is up: %t; a value is stored: %t, %v", ends, stored, err)
		}
		cancel()
	}
}
