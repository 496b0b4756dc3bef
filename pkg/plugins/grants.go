package plugins

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/kv"
)

// Grants are the capabilities a guest is given on top of those that every guest has. Nil is
// refused. A zero field of a grant has its default.
type Grants struct {
	Log    *LogGrant
	KV     *KVGrant
	Clock  *ClockGrant
	Random *RandomGrant
	HTTP   *HTTPGrant
	Cache  *CacheGrant
	// Emit bounds what every guest has. Nil is a zero one.
	Emit *EmitGrant
}

// grant is one row of the table of grants: the host module that it is for, by which abi.Grants
// names it, whether it is given, and what returns what is wrong with it.
type grant struct {
	module string
	given  bool
	check  func() error // nil: nothing can be
}

func (g grant) name() string { return abi.Grants[g.module] }

// all returns the table of grants, in the order in which they are checked. A new grant is a line
// here.
func (g Grants) all(listener string) []grant {
	return []grant{
		{abi.ModuleLog, g.Log != nil, g.Log.check},
		{abi.ModuleKV, g.KV != nil, func() error { return g.KV.check(listener) }},
		{abi.ModuleClock, g.Clock != nil, nil},
		{abi.ModuleRandom, g.Random != nil, nil},
		{abi.ModuleHTTP, g.HTTP != nil, g.HTTP.check},
		{abi.ModuleCache, g.Cache != nil, g.Cache.check},
	}
}

// has reports whether the grant of a host module is given.
func (g Grants) has(name string) bool {
	return slices.ContainsFunc(g.all(""), func(one grant) bool {
		return one.name() == name && one.given
	})
}

// check returns what is wrong with the grants of a listener's handler.
func (g Grants) check(listener string) error {
	for _, one := range g.all(listener) {
		if !one.given || one.check == nil {
			continue
		}
		if err := one.check(); err != nil {
			return fmt.Errorf("grants: %s: %w", one.name(), err)
		}
	}
	if err := g.Emit.check(); err != nil {
		return fmt.Errorf("grants: emit: %w", err)
	}
	return nil
}

// withDefaults returns the grants with what was left out. It copies what it changes.
func (g Grants) withDefaults() Grants {
	g.Log = copied(g.Log, (*LogGrant).setDefaults)
	g.KV = copied(g.KV, (*KVGrant).setDefaults)
	g.HTTP = copied(g.HTTP, (*HTTPGrant).setDefaults)
	g.Cache = copied(g.Cache, (*CacheGrant).setDefaults)
	g.Emit = copied(cmp.Or(g.Emit, &EmitGrant{}), (*EmitGrant).setDefaults)
	return g
}

// copied returns a copy of a grant that was changed, nil if it is not given.
func copied[G any](grant *G, change func(*G)) *G {
	if grant == nil {
		return nil
	}
	c := *grant
	change(&c)
	return &c
}

// LogGrant lets the guest write to the log.
type LogGrant struct {
	// Level is the lowest that is written; the zero value is info.
	Level slog.Level
	// LinesPerSecond is the rate that is written in the long run; default 10. Up to five times as
	// many may come at once.
	LinesPerSecond int
}

func (g *LogGrant) setDefaults() { setDefault(&g.LinesPerSecond, 10) }

func (g *LogGrant) check() error {
	if g.LinesPerSecond < 0 {
		return fmt.Errorf("lines per second is %d, it must be positive", g.LinesPerSecond)
	}
	return nil
}

// KVGrant lets the guest keep values, in a store that all handlers of its listener share.
type KVGrant struct {
	Keys  int           // how many; default 1000
	Bytes int64         // of all values together; default 1 MiB
	TTL   time.Duration // the longest that a value is kept; 0 is without end
	// Persist keeps the values beyond the end of the daemon, in Spec.KV, or in the file
	// HostConfig.KVPath without that.
	Persist bool
}

func (g *KVGrant) setDefaults() {
	setDefault(&g.Keys, 1000)
	setDefault(&g.Bytes, 1<<20)
}

func (g *KVGrant) check(listener string) error {
	switch {
	case g.Keys < 0:
		return fmt.Errorf("keys is %d, it must be positive", g.Keys)
	case g.Bytes < 0:
		return fmt.Errorf("bytes is %d, it must be positive", g.Bytes)
	case g.TTL < 0:
		return fmt.Errorf("ttl is %v, it must not be negative", g.TTL)
	case g.Persist && listener == "":
		return errors.New("values are kept by the listener's name, which is empty")
	}
	return nil
}

// open opens the store of a listener in a shard.
func (g *KVGrant) open(ctx context.Context, stores *kv.Stores, spec *Spec) (*kv.Store, error) {
	store, err := stores.Open(ctx, kv.Table{Listener: spec.Listener, Shard: spec.Shard,
		Keep: g.Persist, Backing: spec.KV}, kv.Limits{Keys: g.Keys, Bytes: g.Bytes, TTL: g.TTL})
	if err != nil {
		return nil, fmt.Errorf("grants: kv: %w", err)
	}
	return store, nil
}

// ClockGrant lets the guest know the time.
type ClockGrant struct {
	// Fixed is the time that the guest sees; zero is the real one. It also holds for the clock of
	// WASI.
	Fixed time.Time
}

// RandomGrant lets the guest have random numbers.
type RandomGrant struct {
	// Seed makes each instance get the same numbers; nil is real randomness. It also holds for that
	// of WASI.
	Seed *uint64
}
