package plugins

import (
	"testing"

	"github.com/informerd/informerd/pkg/informer/object"
)

// The memory that large objects were unpacked into is not kept for the next event.
func TestCacheKeepsLittleMemory(t *testing.T) {
	it := &iterator{}
	var p object.Parser
	o, err := p.Parse([]byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-1"}}`))
	if err != nil {
		t.Fatal(err)
	}
	it.set(o)
	it.largest = keptObjectSize + 1
	it.close()
	if it.largest != 0 || it.open {
		t.Errorf("it is left as %+v", it)
	}
}
