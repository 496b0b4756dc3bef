// Package configv1 is the group informerd/config.v1: the configuration that a guest reads. Every
// guest has it. It keeps nothing for a guest.
package configv1

import (
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/hostfunc"
)

// Group is informerd/config.v1.
type Group struct {
	hostfunc.Plain
	Config string // JSON
}

// Functions are those of config.v1.
func (g *Group) Functions() []hostfunc.Function {
	return []hostfunc.Function{
		hostfunc.Func(hostfunc.Imported(abi.ModuleConfig, "get"), g.get),
	}
}

func (g *Group) get(c hostfunc.Call, stack []uint64) {
	stack[0] = c.Answer(uint32(stack[0]), uint32(stack[1]), g.Config)
}
