package store

import (
	"errors"
	"slices"
	"strings"

	"github.com/informerd/informerd/pkg/informer/object"
)

var (
	// ErrNoIndex is returned for an index that the store does not have.
	ErrNoIndex = errors.New("there is no such index")
	// ErrIndexExists is returned for a second index of the same name.
	ErrIndexExists = errors.New("there is an index of this name already")
)

// indexFunc returns the values under which an object is found in an index: none, one or more. It
// must not block, and must return the same values for the same object.
type indexFunc = func(*object.Object) []string

// NamespaceIndex is the index that every store has.
const NamespaceIndex = "namespace"

// IndexByPath indexes objects by the text of a field. Objects without it are not in the index; an
// array is taken item by item.
func IndexByPath(path object.Path) indexFunc {
	return func(o *object.Object) []string {
		switch v := path.Lookup(o); v.Kind() {
		case object.Missing, object.Null, object.ObjectKind:
			return nil
		case object.Array:
			var values []string
			v.Each(func(item object.Value) bool {
				values = append(values, item.Text())
				return true
			})
			return values
		default:
			return []string{v.Text()}
		}
	}
}

// WithinNamespace returns an index function whose values are prefixed with the object's namespace:
// web becomes "shop/web" for an object in the namespace shop. So a lookup finds the objects of one
// namespace, however many others have the value.
func WithinNamespace(f indexFunc) indexFunc {
	return func(o *object.Object) []string {
		values := f(o)
		within := make([]string, len(values))
		for i, value := range values {
			within[i] = o.Namespace() + "/" + value
		}
		return within
	}
}

// index finds objects by a value. A bucket that becomes empty is removed.
type index struct {
	values  indexFunc
	buckets map[string]*tree
	// under is where each object in the store is found, if anywhere: so an old state is never read
	// again, and is removed from where it is, whatever the function would return for it now.
	under map[*object.Object]indexed
}

// indexed are the values under which an object is found, in memory of their own.
type indexed struct {
	first string
	more  []string
}

// of calls the index function; one that panics leaves the object out of its index and the process
// alive.
func (ix *index) of(o *object.Object) (values []string) {
	defer func() {
		if recover() != nil {
			values = nil
		}
	}()
	return ix.values(o)
}

// change moves an object from where its old state is found to where its new one is. Either may be
// nil. plain is the new one in the form that is read with the least effort.
func (ix *index) change(old, o, plain *object.Object) {
	was, found := ix.under[old]
	var is []string
	if o != nil {
		is = ix.of(plain)
	}
	if found {
		delete(ix.under, old)
		if !slices.Contains(is, was.first) {
			ix.remove(old, was.first)
		}
		for _, v := range was.more {
			if !slices.Contains(is, v) {
				ix.remove(old, v)
			}
		}
	}
	if len(is) == 0 {
		return
	}
	for _, v := range is {
		bucketOf(ix.buckets, v).put(o)
	}
	ix.under[o] = was.become(is, found)
}

func (ix *index) remove(o *object.Object, value string) {
	if bucket := ix.buckets[value]; bucket != nil {
		bucket.remove(o.Key())
		if bucket.n == 0 {
			delete(ix.buckets, value)
		}
	}
}

// become returns what the values are now. It copies those that are new, because a value may be part
// of an object's text, which it will outlive.
func (i indexed) become(values []string, known bool) indexed {
	if !known || i.first != values[0] {
		i.first = strings.Clone(values[0])
	}
	if !slices.Equal(i.more, values[1:]) {
		i.more = make([]string, 0, len(values)-1)
		for _, v := range values[1:] {
			i.more = append(i.more, strings.Clone(v))
		}
	}
	return i
}

// bucketOf returns the bucket of a value, a new one if there is none.
func bucketOf(buckets map[string]*tree, value string) *tree {
	bucket := buckets[value]
	if bucket == nil {
		bucket = &tree{}
		// A copy, because the value may be part of an object's text, which the bucket will outlive.
		buckets[strings.Clone(value)] = bucket
	}
	return bucket
}
