package plugins

import (
	"slices"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/guestlog"
	"github.com/informerd/informerd/pkg/plugins/internal/hostfunc"
	"github.com/informerd/informerd/pkg/plugins/internal/hostfunc/clockv1"
	"github.com/informerd/informerd/pkg/plugins/internal/hostfunc/configv1"
	"github.com/informerd/informerd/pkg/plugins/internal/hostfunc/eventv1"
	"github.com/informerd/informerd/pkg/plugins/internal/hostfunc/kvv1"
	"github.com/informerd/informerd/pkg/plugins/internal/hostfunc/logv1"
	"github.com/informerd/informerd/pkg/plugins/internal/hostfunc/randomv1"
	"github.com/informerd/informerd/pkg/plugins/internal/kv"
	"github.com/informerd/informerd/pkg/plugins/internal/wasi"
)

// eventGroup returns the group of host functions that every guest has.
func eventGroup(s Spec, digest string) *eventv1.Group {
	return &eventv1.Group{Rules: s.Grants.Emit.rules(s.Limits.Output), Digest: digest}
}

// groups returns the other groups of host functions, each with what it gets of a spec. A new group
// is a folder below internal/hostfunc and a line here.
func (h *Host) groups(s Spec, log *guestlog.Log) []hostfunc.Group {
	g := s.Grants
	return []hostfunc.Group{
		&configv1.Group{Config: string(s.Config)},
		&logv1.Group{Log: log},
		&kvv1.Group{OpenStore: func() (*kv.Store, error) { return g.KV.open(&h.kv, s.Listener) }},
		&clockv1.Group{},
		&randomv1.Group{},
		g.HTTP.group(log),
		g.Cache.group(s.Caches),
		&wasi.Group{},
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
