package hostfunc

import (
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// RandomGroup is informerd/random.v1.
type RandomGroup struct{ noState }

// Functions are those of random.v1.
func (*RandomGroup) Functions() []function {
	return []function{
		plainFunc(imported(abi.ModuleRandom, "fill"), randomFill),
	}
}

func randomFill(c call, stack []uint64) {
	ptr, length := uint32(stack[0]), uint32(stack[1])
	if length > abi.MaxRandom {
		stack[0] = i32(abi.BadArgument)
		return
	}
	c.randomize(c.read(ptr, length))
	stack[0] = 0
}
