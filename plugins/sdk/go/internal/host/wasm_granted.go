//go:build wasip1

package host

import "unsafe"

//go:wasmimport informerd/kv.v1 get
func kvGet(key unsafe.Pointer, keyLen uint32, ptr unsafe.Pointer, room uint32) int32

//go:wasmimport informerd/kv.v1 set
func kvSet(key unsafe.Pointer, keyLen uint32, ptr unsafe.Pointer, length uint32, ttl int64) int32

//go:wasmimport informerd/kv.v1 delete
func kvDelete(key unsafe.Pointer, keyLen uint32) int32

//go:wasmimport informerd/kv.v1 cas
func kvCAS(key unsafe.Pointer, keyLen uint32, old unsafe.Pointer, oldLen int32, ptr unsafe.Pointer,
	length uint32, ttl int64) int32

//go:wasmimport informerd/clock.v1 now_ns
func clockNow() int64

//go:wasmimport informerd/random.v1 fill
func randomFill(ptr unsafe.Pointer, length uint32) int32

//go:wasmimport informerd/http.v1 request
func httpRequest(head unsafe.Pointer, headLen uint32, body unsafe.Pointer, bodyLen uint32) int32

//go:wasmimport informerd/http.v1 header
func httpHeader(name unsafe.Pointer, nameLen uint32, ptr unsafe.Pointer, room uint32) int32

//go:wasmimport informerd/http.v1 body
func httpBody(off uint32, ptr unsafe.Pointer, room uint32) int32

//go:wasmimport informerd/cache.v1 resource
func cacheResource(ptr unsafe.Pointer, length uint32) int32

//go:wasmimport informerd/cache.v1 get
func cacheGet(resource uint32, ns unsafe.Pointer, nsLen uint32, name unsafe.Pointer,
	nameLen uint32) int32

//go:wasmimport informerd/cache.v1 by_index
func cacheByIndex(resource uint32, index unsafe.Pointer, indexLen uint32, value unsafe.Pointer,
	valueLen uint32) int32

//go:wasmimport informerd/cache.v1 iter_next
func cacheNext(iter uint32) int32

//go:wasmimport informerd/cache.v1 iter_field
func cacheField(iter, handle uint32, ptr unsafe.Pointer, room uint32) int64

//go:wasmimport informerd/cache.v1 iter_close
func cacheClose(iter uint32) int32

// KVGet is kv.v1 get.
func KVGet(key string, buf []byte) int32 {
	k, kn := text(key)
	ptr, n := pointer(buf)
	return kvGet(k, kn, ptr, n)
}

// KVSet is kv.v1 set.
func KVSet(key string, value []byte, ttl int64) int32 {
	k, kn := text(key)
	ptr, n := pointer(value)
	return kvSet(k, kn, ptr, n, ttl)
}

// KVDelete is kv.v1 delete.
func KVDelete(key string) int32 { return kvDelete(text(key)) }

// KVCAS is kv.v1 cas; a nil old value means that the key must not exist.
func KVCAS(key string, old, value []byte, ttl int64) int32 {
	k, kn := text(key)
	was, length := pointer(old)
	ptr, n := pointer(value)
	oldLen := int32(length)
	if old == nil {
		oldLen = -1
	}
	return kvCAS(k, kn, was, oldLen, ptr, n, ttl)
}

// ClockNow is clock.v1 now_ns.
func ClockNow() int64 { return clockNow() }

// RandomFill is random.v1 fill.
func RandomFill(b []byte) int32 { return randomFill(pointer(b)) }

// HTTPRequest is http.v1 request.
func HTTPRequest(head, body []byte) int32 {
	h, hn := pointer(head)
	b, bn := pointer(body)
	return httpRequest(h, hn, b, bn)
}

// HTTPHeader is http.v1 header.
func HTTPHeader(name string, buf []byte) int32 {
	k, kn := text(name)
	ptr, n := pointer(buf)
	return httpHeader(k, kn, ptr, n)
}

// HTTPBody is http.v1 body.
func HTTPBody(off uint32, buf []byte) int32 {
	ptr, n := pointer(buf)
	return httpBody(off, ptr, n)
}

// CacheResource is cache.v1 resource.
func CacheResource(informer string) int32 { return cacheResource(text(informer)) }

// CacheGet is cache.v1 get.
func CacheGet(resource uint32, namespace, name string) int32 {
	ns, nsLen := text(namespace)
	ptr, n := text(name)
	return cacheGet(resource, ns, nsLen, ptr, n)
}

// CacheByIndex is cache.v1 by_index.
func CacheByIndex(resource uint32, index, value string) int32 {
	i, in := text(index)
	ptr, n := text(value)
	return cacheByIndex(resource, i, in, ptr, n)
}

// CacheNext is cache.v1 iter_next.
func CacheNext(iter uint32) int32 { return cacheNext(iter) }

// CacheField is cache.v1 iter_field.
func CacheField(iter, handle uint32, buf []byte) int64 {
	ptr, n := pointer(buf)
	return cacheField(iter, handle, ptr, n)
}

// CacheClose is cache.v1 iter_close.
func CacheClose(iter uint32) int32 { return cacheClose(iter) }
