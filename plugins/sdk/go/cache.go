package informerd

import (
	"iter"

	"github.com/informerd/informerd/plugins/sdk/go/internal/host"
)

// CacheReader reads the objects of an informer as they stand in its cache, without a request. Two
// reads may see two states.
type CacheReader struct {
	resource uint32 // the host's handle plus one, so that the zero value is none
}

// Cache gives the reader for an informer, by its name in the configuration; ErrDenied if the grant
// does not name it. It may be called at any time: in Configure it refuses a handler that lacks the
// grant for what it needs. A guest that calls it needs the grant "cache".
func Cache(informer string) (CacheReader, error) {
	readCached = host.CacheField
	n := host.CacheResource(informer)
	return CacheReader{uint32(max(n+1, 0))}, failed("cache", informer, n)
}

// Get finds an object, ErrNotFound if there is none. The namespace is empty for cluster-scoped
// objects. It is read with the paths and getters that events are read with, but nothing of it is
// given ahead. Close it if there may be more than 16 at once. ErrDenied says that the namespace is
// not granted, ErrQuota that there are too many open objects or that more was read for this event
// than the grant allows.
func (c CacheReader) Get(namespace, name string) (Object, error) {
	n := host.CacheGet(c.resource-1, namespace, name)
	if n < 0 {
		return Object{}, failed("cache get", namespace+"/"+name, n)
	}
	return Object{which: cachedObject + uint32(n), size: sizeUnknown}, nil
}

// ByIndex goes through the objects that have a value in one of the informer's indexes, in any
// order. Each is valid until the next. An error is the last that comes. An index that the informer
// does not have finds nothing.
func (c CacheReader) ByIndex(index, value string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		n := host.CacheByIndex(c.resource-1, index, value)
		if n < 0 {
			yield(Object{}, failed("cache index", index, n))
			return
		}
		number := uint32(n)
		defer host.CacheClose(number)
		for {
			more := host.CacheNext(number)
			if more == 0 {
				return
			}
			if more < 0 {
				yield(Object{}, failed("cache index", index, more))
				return
			}
			if !yield(Object{which: cachedObject + number, size: sizeUnknown}, nil) {
				return
			}
		}
	}
}
