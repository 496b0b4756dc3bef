package tracing

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

func add(t testing.TB, name string) *event.Event {
	t.Helper()
	o, err := (&object.Parser{}).Parse(fmt.Appendf(nil,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"shop","name":%q}}`, name))
	if err != nil {
		t.Fatal(err)
	}
	return &event.Event{Op: event.Add, Object: o}
}

func TestNothingIsKeptUnlessSomebodyLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Recorder
		e := add(t, "a")
		if r.Begin(e) != nil || len(r.events) > 0 {
			t.Error("an event was kept before anybody looked")
		}
		if n := testing.AllocsPerRun(100, func() { r.Begin(e) }); n > 0 {
			t.Errorf("an event that is not kept allocates %v times", n)
		}
		if shown := r.Look(); shown == nil || len(shown) > 0 {
			t.Errorf("%+v", shown)
		}
		if r.Begin(e) == nil {
			t.Error("an event was not kept")
		}
		time.Sleep(lookFor - time.Second)
		r.Expire()
		if len(r.Look()) != 1 {
			t.Error("the event was forgotten too soon")
		}
		time.Sleep(lookFor)
		r.Expire()
		if r.looked.Load() || len(r.events) > 0 {
			t.Error("the event is kept although nobody looks")
		}
		r.Look()
		r.Begin(e)
		time.Sleep(lookFor)
		if r.Begin(e) != nil || len(r.events) > 0 {
			t.Error("the event is kept although nobody looks")
		}
		if (*Recorder)(nil).Begin(e) != nil {
			t.Error("nobody keeps an event")
		}
	})
}

func TestOnlySoManyAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Recorder
		r.Look()
		kept := 0
		for range 2 * perSecond {
			if r.Begin(add(t, "a")) != nil {
				kept++
			}
		}
		if kept != perSecond {
			t.Errorf("%d events of a second are kept", kept)
		}
		for i := range 2 * maxEvents {
			time.Sleep(time.Second / perSecond)
			r.Begin(add(t, fmt.Sprint("b", i)))
		}
		shown := r.Look()
		if len(shown) != maxEvents || shown[0].Object != fmt.Sprint("shop/b", 2*maxEvents-1) {
			t.Errorf("%d events, the newest is %+v", len(shown), shown[0])
		}
		if _, _, ok := r.Event(1); ok {
			t.Error("the first event is still there")
		}
		if e, outcome, ok := r.Event(shown[3].Number); !ok || outcome != shown[3].Outcome || "shop/"+e.Object.Name() != shown[3].Object {
			t.Errorf("%+v", e)
		}
	})
}

func TestWhatBecameOfAnEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Recorder
		r.Look()
		record := r.Begin(add(t, "a"))
		is := func(outcome, failed string, took float64) {
			t.Helper()
			shown := r.Look()[0]
			if shown.Outcome != outcome || shown.Error != failed || shown.Seconds != took ||
				shown.Op != "add" || shown.Object != "shop/a" || shown.Number != 1 {
				t.Errorf("%+v", shown)
			}
		}
		is("under way", "", 0)
		time.Sleep(time.Second)
		record.End("passed", nil)
		is("passed", "", 1)
		record.Sent("hook", errors.New("503"))
		record.Sent("hook", errors.New("503"))
		is("failed at hook", "503", 1)
		time.Sleep(time.Second)
		record.Sent("hook", nil)
		record.Sent("log", nil)
		is("delivered to hook, delivered to log", "503", 2)
		record.End("failed", errors.New(strings.Repeat("é", 500)))
		if shown := r.Look()[0]; len([]rune(shown.Error)) != 300 {
			t.Errorf("%d", len(shown.Error))
		}
		var none *Record
		none.End("passed", nil)
		none.Sent("hook", nil)
	})
}

func TestManyAtOnce(t *testing.T) {
	var r Recorder
	var all sync.WaitGroup
	e := add(t, "a")
	for i := range 8 {
		all.Go(func() {
			for n := range 500 {
				switch i % 4 {
				case 0:
					for _, shown := range r.Look() {
						r.Event(shown.Number)
					}
				case 1:
					r.Expire()
				default:
					record := r.Begin(e)
					record.End("passed", nil)
					record.Sent(fmt.Sprint(n%2), nil)
				}
			}
		})
	}
	all.Wait()
}
