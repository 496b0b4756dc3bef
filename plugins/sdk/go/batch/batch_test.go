//go:build !wasip1

package batch_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	informerd "github.com/informerd/informerd/plugins/sdk/go"
	"github.com/informerd/informerd/plugins/sdk/go/batch"
	"github.com/informerd/informerd/plugins/sdk/go/informerdtest"
	"github.com/informerd/informerd/plugins/sdk/go/internal/host"
)

// onBatch is set by each test.
var (
	onBatch func(b *batch.Batch) informerd.Verdict
	name    = informerd.Path("metadata.name")
)

func init() {
	batch.Register(batch.Handler{OnBatch: func(b *batch.Batch) informerd.Verdict {
		return onBatch(b)
	}})
}

func object(name string) string { return `{"metadata":{"name":"` + name + `"}}` }

// three returns events of the objects a, b and c.
func three() []informerdtest.Event {
	return []informerdtest.Event{
		{Op: informerd.Add, Object: object("a"), Initial: true},
		{Op: informerd.Update, Object: object("b"), Old: object("old"), Missed: true, Resumed: true},
		{Op: informerd.Delete, Object: object("c"), FinalStateUnknown: true},
	}
}

func verdicts(results []informerdtest.Result) (vs []informerd.Verdict) {
	for _, r := range results {
		vs = append(vs, r.Verdict)
	}
	return vs
}

// Events come once each, in order, with all their fields.
func TestNext(t *testing.T) {
	var got []string
	onBatch = func(b *batch.Batch) informerd.Verdict {
		if b.Len() != 3 {
			t.Errorf("there are %d events", b.Len())
		}
		for e := b.Next(); e != nil; e = b.Next() {
			got = append(got, fmt.Sprintf("%v %s was %q, %v %v %v %v %v", e.Op, e.Object.String(name),
				e.Old.String(name), e.Changed(name),
				e.Initial, e.FinalStateUnknown, e.Missed, e.Resumed))
		}
		if b.Next() != nil {
			t.Error("there is an event after the last")
		}
		return informerd.Done
	}
	informerdtest.Start(t, "").Batch(three()...)
	want := []string{`add a was "", true true false false false`,
		`update b was "old", true false false true true`,
		`delete c was "", true false true false false`}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// The verdict of OnBatch applies to the events without one of their own, including those not
// pulled.
func TestVerdicts(t *testing.T) {
	for _, test := range []struct {
		name  string
		pull  int
		own   map[int][]informerd.Verdict
		batch informerd.Verdict
		want  []informerd.Verdict
	}{
		{"none is pulled", 0, nil, informerd.Drop, []informerd.Verdict{1, 1, 1}},
		{"one for all", 4, nil, informerd.Retry, []informerd.Verdict{2, 2, 2}},
		{"some have one of their own", 4, map[int][]informerd.Verdict{0: {informerd.Done}, 2: {
			informerd.Fail}}, informerd.Drop, []informerd.Verdict{0, 1, 3}},
		{"the last call counts", 4, map[int][]informerd.Verdict{1: {
			informerd.Fail, informerd.Retry}}, informerd.Done, []informerd.Verdict{0, 2, 0}},
		{"not all are pulled", 2, map[int][]informerd.Verdict{1: {
			informerd.Fail}}, informerd.Done, []informerd.Verdict{0, 3, 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			onBatch = func(b *batch.Batch) informerd.Verdict {
				for n := range test.pull {
					e := b.Next()
					for _, v := range test.own[n] {
						e.SetVerdict(v)
					}
				}
				return test.batch
			}
			if got := verdicts(informerdtest.Start(t, "").Batch(three()...)); !reflect.DeepEqual(
				got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// Output belongs to the event pulled last; before the first and after the last event there is none.
func TestOutputOfABatch(t *testing.T) {
	var outside []error
	onBatch = func(b *batch.Batch) informerd.Verdict {
		outside = append(outside, informerd.SetData(0))
		informerd.Log(informerd.LevelInfo, "before")
		for e := b.Next(); e != nil; e = b.Next() {
			if err := informerd.Emit("com.example.x", e.Object.String(name)); err != nil {
				t.Error(err)
			}
			informerd.Log(informerd.LevelInfo, e.Object.String(name))
			if e.Op == informerd.Delete {
				e.SetVerdict(e.Retry("later"))
			}
		}
		outside = append(outside, informerd.SetData(0))
		informerd.Log(informerd.LevelInfo, "after")
		return informerd.Done
	}
	g := informerdtest.Start(t, "")
	events := three()
	for _, results := range [][]informerdtest.Result{g.Batch(events...), {
		g.Handle(events[0]), g.Handle(events[2])}} {
		var got []string
		for _, r := range results {
			text := fmt.Sprint(r.Verdict, r.Message, r.Log)
			for _, e := range r.Emitted {
				text += e.Type + string(e.Data)
			}
			got = append(got, text)
		}
		want := []string{`0[before a]com.example.x"a"`, `0[b]com.example.x"b"`, `2later[c after]`}
		if len(results) == 2 {
			want = []string{`0[before a after]com.example.x"a"`, `2later[before c after]`}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
	for _, err := range outside {
		if !errors.Is(err, informerd.ErrWrongPhase) {
			t.Errorf("without an event: %v", err)
		}
	}
}

// A single event arrives at OnBatch as a batch of one.
func TestSingleEvents(t *testing.T) {
	for _, test := range []struct {
		name    string
		onBatch func(b *batch.Batch) informerd.Verdict
		want    informerd.Verdict
	}{
		{"the batch's", func(b *batch.Batch) informerd.Verdict {
			b.Next()
			return informerd.Retry
		}, informerd.Retry},
		{"not pulled", func(b *batch.Batch) informerd.Verdict {
			return informerd.Fail
		}, informerd.Fail},
		{"its own", func(b *batch.Batch) informerd.Verdict {
			e := b.Next()
			if b.Len() != 1 || e.Op != informerd.Add || !e.Initial ||
				e.Object.String(name) != "a" || e.Old.Exists() {
				t.Errorf("got %+v", e.Event)
			}
			e.SetVerdict(informerd.Drop)
			return informerd.Done
		}, informerd.Drop},
		{"its own, after the end", func(b *batch.Batch) informerd.Verdict {
			e := b.Next()
			e.SetVerdict(informerd.Drop)
			for range 2 {
				if b.Next() != nil {
					t.Error("there is another event")
				}
			}
			e.SetVerdict(informerd.Fail) // too late
			return informerd.Done
		}, informerd.Drop},
	} {
		t.Run(test.name, func(t *testing.T) {
			onBatch = test.onBatch
			if r := informerdtest.Start(t, "").Handle(three()[0]); r.Verdict != test.want {
				t.Errorf("got %v, want %v", r.Verdict, test.want)
			}
		})
	}
}

// Fields are prefetched for each event of a batch.
func TestPrefetchInABatch(t *testing.T) {
	var got string
	onBatch = func(b *batch.Batch) informerd.Verdict {
		for e := b.Next(); e != nil; e = b.Next() {
			got += e.Object.String(name)
		}
		return informerd.Done
	}
	for _, r := range informerdtest.Start(t, "").Batch(three()...) {
		if r.FieldCalls != 0 {
			t.Errorf("%d fields were read by a host call", r.FieldCalls)
		}
	}
	if got != "abc" {
		t.Errorf("got %q", got)
	}
}

// A guest that imports the package has to register there.
func TestRegisteredElsewhere(t *testing.T) {
	was := host.OnBatch
	host.OnBatch = nil
	defer func() { host.OnBatch = was }()
	_, err := informerdtest.Load("")
	if want := "the guest imports package batch, but registers its handler with informerd.Register: call batch.Register"; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

func TestRegisterWithoutOnBatch(t *testing.T) {
	defer func() {
		if got := recover(); got != "batch: Register needs a handler with OnBatch" {
			t.Errorf("got %v", got)
		}
	}()
	batch.Register(batch.Handler{})
}
