//go:build !wasip1

package informerdtest

import (
	"encoding/json"
	"fmt"

	"github.com/informerd/informerd/plugins/sdk/go/internal/host"
)

// maxReaders is how many iterators may be open at once.
const maxReaders = 16

// cache is the objects of one informer.
type cache struct {
	handle  int32               // of cache.v1 resource, plus one; 0 until the guest asks for it
	byKey   map[string]string   // texts by namespace and name
	indexes map[string][]string // keys by index=value
}

// reader is an iterator of cache.v1, nil once it is closed.
type reader struct {
	remaining []string // texts
	current   string   // "" before the first
}

func (c *cache) add(text string) {
	var o struct {
		Metadata struct{ Namespace, Name string }
	}
	if err := json.Unmarshal([]byte(text), &o); err != nil || o.Metadata.Name == "" {
		panic(fmt.Sprintf("informerdtest: this is not an object with a name (%v): %s", err, text))
	}
	c.byKey[keyOf(o.Metadata.Namespace, o.Metadata.Name)] = text
}

func keyOf(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

func (f *fake) CacheResource(informer string) int32 {
	c := f.host.caches[informer]
	if c == nil {
		return denied
	}
	if c.handle == 0 {
		for _, other := range f.host.caches {
			c.handle = max(c.handle, other.handle)
		}
		c.handle++
	}
	return c.handle - 1
}

// cache returns the cache of a handle, or a status.
func (f *fake) cache(resource uint32) (*cache, int32) {
	if f.phase != event {
		return nil, wrongPhase
	}
	for _, c := range f.host.caches {
		if c.handle > 0 && uint32(c.handle-1) == resource {
			return c, 0
		}
	}
	return nil, badArgument
}

// open returns the number of a new iterator.
func (f *fake) open(r *reader) int32 {
	for i, other := range f.readers {
		if other == nil {
			f.readers[i] = r
			return int32(i)
		}
	}
	if len(f.readers) == maxReaders {
		return quota
	}
	f.readers = append(f.readers, r)
	return int32(len(f.readers) - 1)
}

func (f *fake) reader(iter uint32) (*reader, int32) {
	switch {
	case f.phase != event:
		return nil, wrongPhase
	case int(iter) >= len(f.readers) || f.readers[iter] == nil:
		return nil, badArgument
	}
	return f.readers[iter], 0
}

func (f *fake) CacheGet(resource uint32, namespace, name string) int32 {
	c, s := f.cache(resource)
	if s != 0 {
		return s
	}
	text, ok := c.byKey[keyOf(namespace, name)]
	if !ok {
		return notFound
	}
	return f.open(&reader{current: text})
}

func (f *fake) CacheByIndex(resource uint32, index, value string) int32 {
	c, s := f.cache(resource)
	if s != 0 {
		return s
	}
	r := &reader{}
	for _, key := range c.indexes[index+"="+value] {
		r.remaining = append(r.remaining, c.byKey[key])
	}
	return f.open(r)
}

func (f *fake) CacheNext(iter uint32) int32 {
	r, s := f.reader(iter)
	switch {
	case s != 0:
		return s
	case len(r.remaining) == 0:
		r.current = ""
		return 0
	}
	r.current, r.remaining = r.remaining[0], r.remaining[1:]
	return 1
}

func (f *fake) CacheField(iter, handle uint32, buf []byte) int64 {
	r, s := f.reader(iter)
	switch {
	case s != 0:
		return int64(s)
	case r.current == "":
		return notFound
	case handle == host.WholeObject:
		const object = 6
		return object<<32 | int64(copyWhole(buf, r.current))
	}
	return f.field(r.current, handle, buf)
}

func (f *fake) CacheClose(iter uint32) int32 {
	if _, s := f.reader(iter); s != 0 {
		return s
	}
	f.readers[iter] = nil
	return 0
}
