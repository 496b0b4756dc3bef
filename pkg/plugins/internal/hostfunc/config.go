package hostfunc

import (
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// ConfigGroup is informerd/config.v1.
type ConfigGroup struct {
	noState
	Config string // JSON
}

// Functions are those of config.v1.
func (g *ConfigGroup) Functions() []function {
	return []function{
		plainFunc(imported(abi.ModuleConfig, "get"), g.get),
	}
}

func (g *ConfigGroup) get(c call, stack []uint64) {
	stack[0] = c.answer(uint32(stack[0]), uint32(stack[1]), g.Config)
}
