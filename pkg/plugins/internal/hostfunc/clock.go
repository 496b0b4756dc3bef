package hostfunc

import (
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// ClockGroup is informerd/clock.v1.
type ClockGroup struct{ noState }

// Functions are those of clock.v1.
func (*ClockGroup) Functions() []function {
	return []function{
		plainFunc(imported(abi.ModuleClock, "now_ns"), clockNow),
	}
}

func clockNow(c call, stack []uint64) {
	stack[0] = uint64(c.now().UnixNano())
}
