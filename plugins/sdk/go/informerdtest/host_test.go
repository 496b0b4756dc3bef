//go:build !wasip1

package informerdtest_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	informerd "github.com/informerd/informerd/plugins/sdk/go"
	"github.com/informerd/informerd/plugins/sdk/go/informerdtest"
)

var name = informerd.Path("metadata.name")

// The guest counts its events in the store, and emits their names.
func init() {
	informerd.Register(informerd.Handler{OnEvent: func(e *informerd.Event) informerd.Verdict {
		count, _ := informerd.KVGet("count")
		if err := informerd.KVSet("count", append(count, '.'), time.Hour); err != nil {
			return e.Fail(err.Error())
		}
		return e.Retry(e.Object.String(name) + e.Old.String(name))
	}})
}

// The store and the clock belong to the host, and outlive a guest.
func TestHostOutlivesItsGuests(t *testing.T) {
	var h informerdtest.Host
	h.SetValue("count", "..", time.Minute)
	h.Start(t, "").Add("{}")
	h.Start(t, "").Add("{}")
	if got, ok := h.Value("count"); !ok || got != "...." {
		t.Errorf("got %q, %v", got, ok)
	}
	h.Advance(time.Hour - 1)
	if got := h.Keys(); !reflect.DeepEqual(got, []string{"count"}) {
		t.Errorf("got %q", got)
	}
	h.Advance(1)
	if got, ok := h.Value("count"); ok || len(h.Keys()) != 0 {
		t.Errorf("the value has not expired: %q", got)
	}
	h.LimitKeys(1)
	h.SetValue("other", "x", 0)
	if r := h.Start(t, "").Add("{}"); r.Verdict != informerd.Fail ||
		r.Message != `kv set "count": quota` {
		t.Errorf("got %+v", r)
	}
}

// A guest without OnBatch gets the events of a batch one by one.
func TestBatchOfAGuestWithout(t *testing.T) {
	results := informerdtest.Start(t, "").Batch(
		informerdtest.Event{Object: `{"metadata":{"name":"a"}}`},
		informerdtest.Event{Op: informerd.Update, Object: `{"metadata":{"name":"b"}}`,
			Old: `{"metadata":{"name":"c"}}`},
	)
	if len(results) != 2 || results[0].Message != "a" || results[1].Message != "bc" {
		t.Errorf("got %+v", results)
	}
}

// Mistakes in a test panic with a message.
func TestWrongObjects(t *testing.T) {
	for want, f := range map[string]func(h *informerdtest.Host){
		"this is not an object with a name": func(h *informerdtest.Host) {
			h.SetObjects("pods", "{}")
		},
		"informer pods has no object a/b": func(h *informerdtest.Host) {
			h.SetIndex("pods", "x", "y", "a/b")
		},
	} {
		func() {
			defer func() {
				if text, ok := recover().(string); !ok || !strings.Contains(text, want) {
					t.Errorf("got %q, want %q", text, want)
				}
			}()
			f(new(informerdtest.Host))
		}()
	}
}
