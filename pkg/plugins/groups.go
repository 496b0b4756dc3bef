package plugins

import (
	"slices"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/hostfunc"
	"github.com/informerd/informerd/pkg/plugins/internal/kv"
)

// eventGroup returns the group of host functions that every guest has.
func eventGroup(s Spec, digest string) *hostfunc.EventGroup {
	return &hostfunc.EventGroup{Rules: s.Grants.Emit.rules(s.Limits.Output), Digest: digest}
}

// groups returns the other groups of host functions, each with what it gets of a spec. A new group
// is a folder below internal/hostfunc and a line here.
func (h *Host) groups(s Spec, log *hostfunc.Log) []hostfunc.Group {
	g := s.Grants
	return []hostfunc.Group{
		&hostfunc.ConfigGroup{Config: string(s.Config)},
		&hostfunc.LogGroup{Log: log},
		&hostfunc.KVGroup{OpenStore: func() (*kv.Store, error) { return g.KV.open(&h.kv, s.Listener) }},
		&hostfunc.ClockGroup{},
		&hostfunc.RandomGroup{},
		g.HTTP.group(log),
		g.Cache.group(s.Caches),
		&hostfunc.WASIGroup{},
	}
}

// hostFunctions are all functions that guests may import. They are counted in this order.
var hostFunctions = func() (all []abi.Function) {
	groups := append([]hostfunc.Group{eventGroup(Spec{}, "")}, new(Host).groups(Spec{}, nil)...)
	for _, group := range groups {
		for _, f := range group.Functions() {
			all = append(all, f.Function)
		}
	}
	return all
}()

// functionNumber returns the place of a function in hostFunctions.
func functionNumber(f abi.Function) int {
	return slices.IndexFunc(hostFunctions, func(h abi.Function) bool {
		return h.Module == f.Module && h.Name == f.Name
	})
}
