// Package kvv1 is the group informerd/kv.v1: values that the handlers of one listener keep. It
// needs the grant kv. It keeps nothing for a guest; the store is the listener's.
package kvv1

import (
	"errors"
	"math"
	"time"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/hostfunc"
	"github.com/informerd/informerd/pkg/plugins/internal/kv"
)

const noLength = math.MaxUint32 // -1

// Group is informerd/kv.v1.
type Group struct {
	hostfunc.Plain
	// OpenStore opens the listener's store, within the limits of its grant.
	OpenStore func() (*kv.Store, error)

	store *kv.Store // nil unless the group is open
}

// Functions are those of kv.v1.
func (g *Group) Functions() []hostfunc.Function {
	return []hostfunc.Function{
		hostfunc.Func(hostfunc.Imported(abi.ModuleKV, "get"), g.get),
		hostfunc.Func(hostfunc.Imported(abi.ModuleKV, "set"), g.set),
		hostfunc.Func(hostfunc.Imported(abi.ModuleKV, "delete"), g.delete),
		hostfunc.Func(hostfunc.Imported(abi.ModuleKV, "cas"), g.cas),
	}
}

// Open opens the store.
func (g *Group) Open() (err error) {
	g.store, err = g.OpenStore()
	return err
}

// Close closes the store.
func (g *Group) Close() error {
	if g.store == nil {
		return nil
	}
	return g.store.Close()
}

// readKey reads a key.
func readKey(c hostfunc.Call, ptr, length uint32) ([]byte, abi.Status) {
	switch {
	case c.Phase() < hostfunc.PhaseConfigure:
		return nil, abi.WrongPhase
	case length == 0 || length > abi.MaxKVKey:
		return nil, abi.BadArgument
	}
	return c.Read(ptr, length), 0
}

// readValue reads a value that is to be stored, and for how long.
func readValue(c hostfunc.Call, ptr, length uint32, ms int64) ([]byte, time.Duration, abi.Status) {
	switch {
	case ms < 0:
		return nil, 0, abi.BadArgument
	case length > abi.MaxKVValue:
		return nil, 0, abi.Quota
	}
	return c.Read(ptr, length),
		time.Duration(min(ms, math.MaxInt64/int64(time.Millisecond))) * time.Millisecond, 0
}

func (g *Group) get(c hostfunc.Call, stack []uint64) {
	ptr, room := uint32(stack[2]), uint32(stack[3])
	key, s := readKey(c, uint32(stack[0]), uint32(stack[1]))
	if s != 0 {
		stack[0] = hostfunc.I32(s)
		return
	}
	value, ok := g.store.Get(key)
	if !ok {
		stack[0] = hostfunc.I32(abi.NotFound)
		return
	}
	stack[0] = c.Answer(ptr, room, value)
}

func (g *Group) set(c hostfunc.Call, stack []uint64) {
	key, s := readKey(c, uint32(stack[0]), uint32(stack[1]))
	if s != 0 {
		stack[0] = hostfunc.I32(s)
		return
	}
	value, ttl, s := readValue(c, uint32(stack[2]), uint32(stack[3]), int64(stack[4]))
	if s == 0 {
		s = statusOf(g.store.Set(key, value, ttl))
	}
	stack[0] = hostfunc.I32(s)
}

func (g *Group) delete(c hostfunc.Call, stack []uint64) {
	key, s := readKey(c, uint32(stack[0]), uint32(stack[1]))
	if s == 0 && !g.store.Delete(key) {
		s = abi.NotFound
	}
	stack[0] = hostfunc.I32(s)
}

func (g *Group) cas(c hostfunc.Call, stack []uint64) {
	stack[0] = hostfunc.I32(g.swap(c, stack))
}

// swap returns 1 or 0, or a status.
func (g *Group) swap(c hostfunc.Call, stack []uint64) abi.Status {
	old, oldLength := uint32(stack[2]), uint32(stack[3])
	key, s := readKey(c, uint32(stack[0]), uint32(stack[1]))
	if s != 0 {
		return s
	}
	value, ttl, s := readValue(c, uint32(stack[4]), uint32(stack[5]), int64(stack[6]))
	if s != 0 {
		return s
	}
	var swapped bool
	var err error
	if oldLength == noLength {
		swapped, err = g.store.Add(key, value, ttl)
	} else {
		swapped, err = g.store.Swap(key, c.Read(old, oldLength), value, ttl)
	}
	if err == nil && swapped {
		return 1
	}
	return statusOf(err)
}

func statusOf(err error) abi.Status {
	if errors.Is(err, kv.ErrQuota) {
		return abi.Quota
	}
	return 0
}
