//go:build !wasip1

package informerd_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	informerd "github.com/informerd/informerd/plugins/sdk/go"
	"github.com/informerd/informerd/plugins/sdk/go/informerdtest"
)

// Which fields are prefetched, seen by how many of name and app take a host call.
func TestPrefetch(t *testing.T) {
	more := func(n int) func() error {
		return func() error {
			for i := range n {
				if _, err := informerd.Compile(fmt.Sprintf("spec.x[%d]", i)); err != nil {
					return err
				}
			}
			return nil
		}
	}
	const declared = 7 // by this package
	onEvent = func(e *informerd.Event) informerd.Verdict {
		if e.Object.String(name) != "web" || e.Object.String(app) != "a" || e.Object.Has(none) {
			t.Error("a field is wrong")
		}
		return informerd.Done
	}
	for _, test := range []struct {
		name      string
		configure func() error
		calls     int
	}{
		{"all by default", more(0), 0},
		{"the most by default", more(16 - declared), 0},
		{"one more", more(17 - declared), 3},
		{"what the handler asks for", func() error { return informerd.Prefetch(name) }, 2},
		{"the last call counts", func() error {
			return errors.Join(informerd.Prefetch(name), informerd.Prefetch(app, none))
		}, 1},
		{"more than by default", func() error {
			return errors.Join(more(100)(), informerd.Prefetch(name, app, none))
		}, 0},
		{"none", func() error { return informerd.Prefetch() }, 3},
		{"none, in place of an earlier call", func() error {
			return errors.Join(informerd.Prefetch(name), informerd.Prefetch())
		}, 3},
		{"the same twice", func() error { return informerd.Prefetch(name, app, name, none) }, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			configure = test.configure
			g := informerdtest.Start(t, "")
			for range 2 {
				if r := g.Add(text); r.FieldCalls != test.calls {
					t.Errorf("%d fields were read by a host call, want %d", r.FieldCalls,
						test.calls)
				}
			}
		})
	}
}

// A field that does not fit takes a host call; the fields after it are prefetched all the same.
func TestPrefetchOfLongFields(t *testing.T) {
	g := start(t, func(e *informerd.Event) informerd.Verdict {
		return e.Fail(fmt.Sprint(len(e.Object.String(name)), e.Object.String(app),
			e.Object.Int(second)))
	})
	for length, calls := range map[int]int{3000: 0, 5000: 1, 100_000: 1} {
		object := fmt.Sprintf(
			`{"metadata":{"name":%q,"labels":{"app.kubernetes.io/name":"a"}},"items":[0,{"n":7}]}`,
			strings.Repeat("x", length))
		if r := g.Add(object); r.Message != fmt.Sprint(length, "a", 7) || r.FieldCalls != calls {
			t.Errorf("%d bytes: got %+v", length, r)
		}
	}
}

// What was prefetched for one event is never returned for another, nor for the old object.
func TestPrefetchIsOfItsEvent(t *testing.T) {
	g := start(t, func(e *informerd.Event) informerd.Verdict {
		return e.Fail(e.Object.String(name) + " " + e.Old.String(name))
	})
	a, b := `{"metadata":{"name":"a"}}`, `{"metadata":{"name":"b"}}`
	var got []string
	for _, r := range []informerdtest.Result{g.Add(a), g.Update(a, b), g.Add("{}"), g.Delete(b)} {
		got = append(got, r.Message)
	}
	if want := []string{"a ", "b a", " ", "b "}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPrefetchIsForConfigure(t *testing.T) {
	start(t, func(*informerd.Event) informerd.Verdict {
		err := informerd.Prefetch(name)
		if !errors.Is(err, informerd.ErrWrongPhase) ||
			err.Error() != "prefetch: fields can be named in Configure only" {
			t.Errorf("got %v", err)
		}
		return informerd.Done
	}).Add(text)
}

// A short string that repeats is not allocated again, and reading a field's kind, number or truth
// allocates nothing.
func TestAllocations(t *testing.T) {
	long := strings.Repeat("x", 65)
	start(t, func(e *informerd.Event) informerd.Verdict {
		for what, f := range map[string]func(){
			"String": func() { e.Object.String(name) },
			"Get":    func() { e.Object.Get(app) },
			"Int":    func() { e.Object.Int(second) },
			"Bool":   func() { e.Object.Bool(truth) },
			"Has":    func() { e.Object.Has(object) },
		} {
			if n := testing.AllocsPerRun(100, f); n != 0 {
				t.Errorf("%s takes %v allocations", what, n)
			}
		}
		return informerd.Done
	}).Add(text)
	start(t, func(e *informerd.Event) informerd.Verdict {
		if n := testing.AllocsPerRun(100, func() { e.Object.String(name) }); n != 1 {
			t.Errorf("a long string takes %v allocations", n)
		}
		return informerd.Done
	}).Add(`{"metadata":{"name":"` + long + `"}}`)
}
