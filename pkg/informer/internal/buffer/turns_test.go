package buffer

import (
	"fmt"
	"testing"

	"github.com/informerd/informerd/pkg/informer/event"
)

// Retries that come again and again keep nothing new waiting, and new events no retries.
func TestRetriesTakeTurnsWithTheRest(t *testing.T) {
	b := New(Config{Capacity: 100})
	take := func() string {
		e, ok := b.Take()
		if !ok {
			t.Fatal("there is nothing")
		}
		b.Park(e)
		return e.Object.Name()
	}
	for i := range 3 {
		b.Offer(ev(event.Add, obj(fmt.Sprint("retry", i), "1", i)))
		take()
	}
	for i := range 3 {
		b.Unpark(obj(fmt.Sprint("retry", i), "1", i).Key())
		b.Offer(ev(event.Add, obj(fmt.Sprint("new", i), "1", 10+i)))
	}
	var got []string
	for range 6 {
		got = append(got, take())
	}
	expect(t, got, "retry0", "new0", "retry1", "new1", "retry2", "new2")
	b.Unpark(obj("retry1", "1", 1).Key())
	b.Unpark(obj("retry2", "1", 2).Key())
	expect(t, []string{take(), take()}, "retry1", "retry2")
}
