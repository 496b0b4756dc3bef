package plugins

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/kv"
)

// What the functions of informerd/kv.v1 do; package abi says what they mean.

const noLength = math.MaxUint32 // -1

// openKV gives a module the store it was granted.
func (m *module) openKV() error {
	g := m.spec.Grants.KV
	store, err := m.host.kv.Open(m.spec.Listener,
		kv.Limits{Keys: g.Keys, Bytes: g.Bytes, TTL: g.TTL}, g.Persist)
	if err != nil {
		return fmt.Errorf("grants: kv: %w", err)
	}
	m.kv = store
	return nil
}

// key reads a key.
func (c call) key(ptr, length uint32) ([]byte, abi.Status) {
	switch {
	case c.phase < phaseConfigure:
		return nil, abi.WrongPhase
	case length == 0 || length > abi.MaxKVKey:
		return nil, abi.BadArgument
	}
	return c.read(ptr, length), 0
}

// value reads a value that is to be stored, and for how long.
func (c call) value(ptr, length uint32, ms int64) ([]byte, time.Duration, abi.Status) {
	switch {
	case ms < 0:
		return nil, 0, abi.BadArgument
	case length > abi.MaxKVValue:
		return nil, 0, abi.Quota
	}
	return c.read(ptr, length),
		time.Duration(min(ms, math.MaxInt64/int64(time.Millisecond))) * time.Millisecond, 0
}

func kvGet(c call, stack []uint64) {
	ptr, room := uint32(stack[2]), uint32(stack[3])
	key, s := c.key(uint32(stack[0]), uint32(stack[1]))
	if s != 0 {
		stack[0] = status(s)
		return
	}
	value, ok := c.module.kv.Get(key)
	if !ok {
		stack[0] = status(abi.NotFound)
		return
	}
	stack[0] = c.answer(ptr, room, value)
}

func kvSet(c call, stack []uint64) {
	key, s := c.key(uint32(stack[0]), uint32(stack[1]))
	if s != 0 {
		stack[0] = status(s)
		return
	}
	value, ttl, s := c.value(uint32(stack[2]), uint32(stack[3]), int64(stack[4]))
	if s == 0 {
		s = kvStatus(c.module.kv.Set(key, value, ttl))
	}
	stack[0] = status(s)
}

func kvDelete(c call, stack []uint64) {
	key, s := c.key(uint32(stack[0]), uint32(stack[1]))
	if s == 0 && !c.module.kv.Delete(key) {
		s = abi.NotFound
	}
	stack[0] = status(s)
}

func kvCAS(c call, stack []uint64) {
	stack[0] = status(c.swap(stack))
}

// swap gives 1 or 0, or a status.
func (c call) swap(stack []uint64) abi.Status {
	old, oldLength := uint32(stack[2]), uint32(stack[3])
	key, s := c.key(uint32(stack[0]), uint32(stack[1]))
	if s != 0 {
		return s
	}
	value, ttl, s := c.value(uint32(stack[4]), uint32(stack[5]), int64(stack[6]))
	if s != 0 {
		return s
	}
	var swapped bool
	var err error
	if oldLength == noLength {
		swapped, err = c.module.kv.Add(key, value, ttl)
	} else {
		swapped, err = c.module.kv.Swap(key, c.read(old, oldLength), value, ttl)
	}
	if err == nil && swapped {
		return 1
	}
	return kvStatus(err)
}

func kvStatus(err error) abi.Status {
	if errors.Is(err, kv.ErrQuota) {
		return abi.Quota
	}
	return 0
}
