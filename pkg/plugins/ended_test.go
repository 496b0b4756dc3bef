package plugins

import (
	"context"
	"errors"
	"testing"

	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// lookingUp is a guest that looks up an object and then stores a value under the key "k".
func lookingUp(t *testing.T, host *Host, caches Caches) *Instance {
	t.Helper()
	m := guestModule(imported(abi.ModuleCache, "resource"), imported(abi.ModuleCache, "get"),
		imported(abi.ModuleKV, "set"))
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

func (e *ending) Get(informer, namespace, name string) *object.Object {
	e.end()
	return e.stores.Get(informer, namespace, name)
}

// The guest's time ends while the host works for it: the next function of the host that it calls
// does nothing any more.
func TestHostFunctionsDoNothingOnceTheTimeIsUp(t *testing.T) {
	host, _ := testHost(t)
	for _, ends := range []bool{true, false} {
		ctx, cancel := context.WithCancel(t.Context())
		caches := &ending{stores: ownersAndNodes(t), end: func() {}}
		i := lookingUp(t, host, caches)
		if ends {
			caches.end = func() {
				cancel()
				<-i.guest.calls.Done()
			}
		}
		_, err := i.Handle(ctx, podAdd(t))
		if stored := len(i.handler.Values()) > 0; stored == ends ||
			errors.Is(err, context.Canceled) != ends {
			t.Errorf("the time is up: %t; a value is stored: %t, %v", ends, stored, err)
		}
		cancel()
	}
}
