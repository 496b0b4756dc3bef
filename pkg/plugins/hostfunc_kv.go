package plugins

import (
	"errors"
	"math"
	"time"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/kv"
)

const noLength = math.MaxUint32 // -1

var kvFunctions = []function{
	define(abi.ModuleKV, "get", kvGet),
	define(abi.ModuleKV, "set", kvSet),
	define(abi.ModuleKV, "delete", kvDelete),
	define(abi.ModuleKV, "cas", func(c call, stack []uint64) { stack[0] = i32(kvSwap(c, stack)) }),
}

// readKey reads a key.
func readKey(c call, ptr, length uint32) ([]byte, abi.Status) {
	switch {
	case c.phase < phaseConfigure:
		return nil, abi.WrongPhase
	case length == 0 || length > abi.MaxKVKey:
		return nil, abi.BadArgument
	}
	return c.read(ptr, length), 0
}

// readValue reads a value that is to be stored, and for how long.
func readValue(c call, ptr, length uint32, ms int64) ([]byte, time.Duration, abi.Status) {
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
	key, s := readKey(c, uint32(stack[0]), uint32(stack[1]))
	if s != 0 {
		stack[0] = i32(s)
		return
	}
	value, ok := c.handler.store.Get(key)
	if !ok {
		stack[0] = i32(abi.NotFound)
		return
	}
	stack[0] = c.answer(ptr, room, value)
}

func kvSet(c call, stack []uint64) {
	key, s := readKey(c, uint32(stack[0]), uint32(stack[1]))
	if s != 0 {
		stack[0] = i32(s)
		return
	}
	value, ttl, s := readValue(c, uint32(stack[2]), uint32(stack[3]), int64(stack[4]))
	if s == 0 {
		s = kvStatus(c.handler.store.Set(key, value, ttl))
	}
	stack[0] = i32(s)
}

func kvDelete(c call, stack []uint64) {
	key, s := readKey(c, uint32(stack[0]), uint32(stack[1]))
	if s == 0 && !c.handler.store.Delete(key) {
		s = abi.NotFound
	}
	stack[0] = i32(s)
}

// kvSwap returns 1 or 0, or a status.
func kvSwap(c call, stack []uint64) abi.Status {
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
		swapped, err = c.handler.store.Add(key, value, ttl)
	} else {
		swapped, err = c.handler.store.Swap(key, c.read(old, oldLength), value, ttl)
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
