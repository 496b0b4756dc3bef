package informerd

import (
	"time"

	"github.com/informerd/informerd/plugins/sdk/go/internal/host"
)

// KVGet returns the value of a key, or ErrNotFound if there is none. The caller owns the value. A
// guest that calls one of the KV functions needs the grant "kv". All workers of a listener share
// its values, which outlive a crash and, if the grant says so, informerd itself. Keys have 1 to 256
// bytes.
func KVGet(key string) ([]byte, error) {
	text, n := readAll(func(buf []byte) int32 { return host.KVGet(key, buf) })
	if n < 0 {
		return nil, checkStatus("kv get", key, n)
	}
	value := make([]byte, n)
	copy(value, text)
	return value, nil
}

// KVSet stores a value of at most 64 KiB for the time ttl. If ttl is 0, or longer than the grant
// allows, the value is kept as long as the grant allows. ErrQuota means that the value is too long,
// or that the granted number of keys or bytes is used up.
func KVSet(key string, value []byte, ttl time.Duration) error {
	return checkStatus("kv set", key, host.KVSet(key, value, milliseconds(ttl)))
}

// KVDelete removes a key. It returns ErrNotFound if there is none.
func KVDelete(key string) error {
	return checkStatus("kv delete", key, host.KVDelete(key))
}

// KVCAS is KVSet on the condition that the value still equals old, or that there is none if old is
// nil; swapped reports whether it was set. Workers that share a counter read it, try to swap it,
// and start again if that fails.
func KVCAS(key string, old, value []byte, ttl time.Duration) (swapped bool, err error) {
	n := host.KVCAS(key, old, value, milliseconds(ttl))
	return n == 1, checkStatus("kv cas", key, n)
}

// milliseconds rounds away from 0, since 0 means no limit.
func milliseconds(d time.Duration) int64 {
	ms, rest := int64(d/time.Millisecond), d%time.Millisecond
	switch {
	case rest > 0:
		ms++
	case rest < 0:
		ms--
	}
	return ms
}
