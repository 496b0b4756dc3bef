package informerd

import (
	"time"

	"github.com/informerd/informerd/plugins/sdk/go/internal/host"
)

// KVGet gives the value of a key, ErrNotFound if there is none. The value is the caller's. A guest
// that calls one of the KV functions needs the grant "kv". All workers of a listener share its
// values, which outlive a crash and, if the grant says so, informerd itself. Keys have 1 to 256
// bytes.
func KVGet(key string) ([]byte, error) {
	text, n := readAll(func(buf []byte) int32 { return host.KVGet(key, buf) })
	if n < 0 {
		return nil, failed("kv get", key, n)
	}
	value := make([]byte, n)
	copy(value, text)
	return value, nil
}

// KVSet stores a value of at most 64 KiB for a while; 0 is as long as the grant allows, and so is
// longer. ErrQuota says that the value is too long, or that there are as many keys or bytes as
// granted.
func KVSet(key string, value []byte, ttl time.Duration) error {
	return failed("kv set", key, host.KVSet(key, value, milliseconds(ttl)))
}

// KVDelete removes a key, ErrNotFound if there is none.
func KVDelete(key string) error {
	return failed("kv delete", key, host.KVDelete(key))
}

// KVCAS is KVSet, but only if the value is still the old one, or, with old = nil, if there is none:
// swapped says so. Workers that count in one value get it, and do so again until it is swapped.
func KVCAS(key string, old, value []byte, ttl time.Duration) (swapped bool, err error) {
	n := host.KVCAS(key, old, value, milliseconds(ttl))
	return n == 1, failed("kv cas", key, n)
}

// milliseconds rounds away from 0, as 0 is without end.
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
