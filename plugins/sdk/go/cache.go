package informerd

import (
	"iter"

	"github.com/informerd/informerd/plugins/sdk/go/internal/host"
)

// CacheReader reads the objects in an informer's cache, without a request to the API server. Two
// reads may see two states.
type CacheReader struct {
	resource uint32 // the host's handle plus one, so that the zero value is none
}

// Cache returns the reader of the informer with that name in the configuration, or ErrDenied if the
// grant does not list it. It may be called at any time; called in Configure, it rejects a handler
// whose grant is missing. A guest that calls it needs the grant "cache".
func Cache(informer string) (CacheReader, error) {
	readCached = host.CacheField
	n := host.CacheResource(informer)
	return CacheReader{uint32(max(n+1, 0))}, checkStatus("cache", informer, n)
}

// Get returns an object, or ErrNotFound if there is none. The namespace is empty for cluster-scoped
// objects. The object is read with the same paths and getters as those of events, but none of its
// fields are prefetched. Close it if more than 16 may be open at once. ErrDenied means that the
// namespace is not granted; ErrQuota that too many objects are open, or that more was read during
// this event than the grant allows.
func (c CacheReader) Get(namespace, name string) (Object, error) {
	n := host.CacheGet(c.resource-1, namespace, name)
	if n < 0 {
		return Object{}, checkStatus("cache get", namespace+"/"+name, n)
	}
	return Object{which: cachedObject + uint32(n), size: sizeUnknown}, nil
}

// ByIndex returns an iterator over the objects that have a value in one of the informer's indexes,
// in any order. Each object is valid until the next one. An error ends the iteration. An index that
// the informer does not have yields no objects.
func (c CacheReader) ByIndex(index, value string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		n := host.CacheByIndex(c.resource-1, index, value)
		if n < 0 {
			yield(Object{}, checkStatus("cache index", index, n))
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
				yield(Object{}, checkStatus("cache index", index, more))
				return
			}
			if !yield(Object{which: cachedObject + number, size: sizeUnknown}, nil) {
				return
			}
		}
	}
}
