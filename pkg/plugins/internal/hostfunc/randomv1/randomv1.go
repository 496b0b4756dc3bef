// Package randomv1 is the group informerd/random.v1: random numbers for a guest. It needs the grant
// random. It keeps nothing for a guest: the numbers are the Caller's, as WASI has the same.
package randomv1

import (
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/hostfunc"
)

// Group is informerd/random.v1.
type Group struct{ hostfunc.Plain }

// Functions are those of random.v1.
func (*Group) Functions() []hostfunc.Function {
	return []hostfunc.Function{
		hostfunc.Func(hostfunc.Imported(abi.ModuleRandom, "fill"), fill),
	}
}

func fill(c hostfunc.Call, stack []uint64) {
	ptr, length := uint32(stack[0]), uint32(stack[1])
	if length > abi.MaxRandom {
		stack[0] = hostfunc.I32(abi.BadArgument)
		return
	}
	c.Randomize(c.Read(ptr, length))
	stack[0] = 0
}
