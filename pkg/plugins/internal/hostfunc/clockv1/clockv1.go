// Package clockv1 is the group informerd/clock.v1: the time that a guest sees. It needs the grant
// clock. It keeps nothing for a guest: the clock is the Caller's, as WASI has the same.
package clockv1

import (
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/hostfunc"
)

// Group is informerd/clock.v1.
type Group struct{ hostfunc.Plain }

// Functions are those of clock.v1.
func (*Group) Functions() []hostfunc.Function {
	return []hostfunc.Function{
		hostfunc.Func(hostfunc.Imported(abi.ModuleClock, "now_ns"), now),
	}
}

func now(c hostfunc.Call, stack []uint64) {
	stack[0] = uint64(c.Now().UnixNano())
}
