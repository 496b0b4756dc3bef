//go:build linux || darwin || freebsd

package plugins

import (
	"errors"
	"testing"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// A guest's memory is such a one, and is given back when the guest is closed, also by a crash.
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
			large, ok := i.guest.memory.Read(0, 4*wasmbin.PageSize)
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
