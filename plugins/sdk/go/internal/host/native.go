//go:build !wasip1

package host

// Host is implemented by a fake host. Its methods are the functions of the interface informerd/v1,
// with slices and strings in place of pointers.
type Host interface {
	EventObject(which, off uint32, buf []byte) int32
	EventPath(path string) int32
	EventField(which, handle uint32, buf []byte) int64
	EventChanged(handle uint32) int32
	EventPrefetch(buf []byte, handles []uint32) int32
	EventNext(r *Record) int32
	ResultEmit(kind int32, text []byte) int32
	ResultError(reason string)
	ConfigGet(buf []byte) int32
	Log(level int32, line string)
	LogEnabled(level int32) int32
	Granted
}

// Granted is the part of a Host that needs grants.
type Granted interface {
	KVGet(key string, buf []byte) int32
	KVSet(key string, value []byte, ttl int64) int32
	KVDelete(key string) int32
	KVCAS(key string, old, value []byte, ttl int64) int32
	ClockNow() int64
	RandomFill(b []byte) int32
	HTTPRequest(head, body []byte) int32
	HTTPHeader(name string, buf []byte) int32
	HTTPBody(off uint32, buf []byte) int32
	CacheResource(informer string) int32
	CacheGet(resource uint32, namespace, name string) int32
	CacheByIndex(resource uint32, index, value string) int32
	CacheNext(iter uint32) int32
	CacheField(iter, handle uint32, buf []byte) int64
	CacheClose(iter uint32) int32
}

// Current is the host in use, set by package informerdtest.
var Current Host

// EventObject is event.v1 object.
func EventObject(which, off uint32, buf []byte) int32 {
	return Current.EventObject(which, off, buf)
}

// EventPath is event.v1 path.
func EventPath(path string) int32 { return Current.EventPath(path) }

// EventField is event.v1 field.
func EventField(which, handle uint32, buf []byte) int64 {
	return Current.EventField(which, handle, buf)
}

// EventChanged is event.v1 changed.
func EventChanged(handle uint32) int32 { return Current.EventChanged(handle) }

// EventPrefetch is event.v1 prefetch.
func EventPrefetch(buf []byte, handles []uint32) int32 {
	return Current.EventPrefetch(buf, handles)
}

// EventNext is event.v1 next.
func EventNext(r *Record) int32 { return Current.EventNext(r) }

// ResultEmit is result.v1 emit.
func ResultEmit(kind int32, text []byte) int32 { return Current.ResultEmit(kind, text) }

// ResultError is result.v1 error.
func ResultError(reason string) { Current.ResultError(reason) }

// ConfigGet is config.v1 get.
func ConfigGet(buf []byte) int32 { return Current.ConfigGet(buf) }

// Log is log.v1 log.
func Log(level int32, line string) { Current.Log(level, line) }

// LogEnabled is log.v1 enabled.
func LogEnabled(level int32) int32 { return Current.LogEnabled(level) }

// KVGet is kv.v1 get.
func KVGet(key string, buf []byte) int32 { return Current.KVGet(key, buf) }

// KVSet is kv.v1 set.
func KVSet(key string, value []byte, ttl int64) int32 { return Current.KVSet(key, value, ttl) }

// KVDelete is kv.v1 delete.
func KVDelete(key string) int32 { return Current.KVDelete(key) }

// KVCAS is kv.v1 cas; a nil old value means that the key must not exist.
func KVCAS(key string, old, value []byte, ttl int64) int32 {
	return Current.KVCAS(key, old, value, ttl)
}

// ClockNow is clock.v1 now_ns.
func ClockNow() int64 { return Current.ClockNow() }

// RandomFill is random.v1 fill.
func RandomFill(b []byte) int32 { return Current.RandomFill(b) }

// HTTPRequest is http.v1 request.
func HTTPRequest(head, body []byte) int32 { return Current.HTTPRequest(head, body) }

// HTTPHeader is http.v1 header.
func HTTPHeader(name string, buf []byte) int32 { return Current.HTTPHeader(name, buf) }

// HTTPBody is http.v1 body.
func HTTPBody(off uint32, buf []byte) int32 { return Current.HTTPBody(off, buf) }

// CacheResource is cache.v1 resource.
func CacheResource(informer string) int32 { return Current.CacheResource(informer) }

// CacheGet is cache.v1 get.
func CacheGet(resource uint32, namespace, name string) int32 {
	return Current.CacheGet(resource, namespace, name)
}

// CacheByIndex is cache.v1 by_index.
func CacheByIndex(resource uint32, index, value string) int32 {
	return Current.CacheByIndex(resource, index, value)
}

// CacheNext is cache.v1 iter_next.
func CacheNext(iter uint32) int32 { return Current.CacheNext(iter) }

// CacheField is cache.v1 iter_field.
func CacheField(iter, handle uint32, buf []byte) int64 {
	return Current.CacheField(iter, handle, buf)
}

// CacheClose is cache.v1 iter_close.
func CacheClose(iter uint32) int32 { return Current.CacheClose(iter) }
