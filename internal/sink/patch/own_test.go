package patch

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/sink/sinktest"
	"github.com/informerd/informerd/pkg/informer/event"
)

func update(t testing.TB, from, to int) *event.Event {
	t.Helper()
	m := sinktest.Message(t, "web", to)
	return &event.Event{Op: event.Update, Object: m.Object,
		Old: sinktest.Message(t, "web", from).Object}
}

const webID = "uid-web"

func TestOwnWrites(t *testing.T) {
	w := NewWrites()
	own := w.Of("prod", "fixer")
	ask := func(e *event.Event) bool { return own.Own(t.Context(), e) }
	own.begin(webID)("8", "7")
	again := update(t, 7, 8)
	if !ask(update(t, 7, 8)) || !ask(again) {
		t.Error("the write is not own, or only once")
	}
	if w.Of("prod", "another").Own(t.Context(), update(t, 7, 8)) {
		t.Error("it is another listener's as well")
	}
	for name, change := range map[string]func(e *event.Event){
		"from another version": func(e *event.Event) { e.Old = update(t, 5, 6).Object },
		"with merged states":   func(e *event.Event) { e.Missed = 1 },
		"a resync":             func(e *event.Event) { e.Op = event.Resync },
		"an add":               func(e *event.Event) { e.Op, e.Old = event.Add, nil },
		"a delete":             func(e *event.Event) { e.Op, e.Old = event.Delete, nil },
	} {
		e := update(t, 7, 8)
		change(e)
		if ask(e) {
			t.Errorf("%s is own", name)
		}
	}
	if ask(update(t, 8, 9)) {
		t.Error("another's write is own")
	}
	if ask(update(t, 7, 8)) || len(own.objects) != 0 {
		t.Error("the version is still known after a newer one was seen")
	}
	own.begin(webID)("", "")
	if len(own.objects) != 0 || len(own.order) != 0 {
		t.Error("a patch that changed nothing leaves something behind")
	}
}

// The event may come before the answer.
func TestOwnWaitsForTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			name       string
			made, base string
			want       bool
		}{
			{"made it", "8", "7", true}, {"made another", "9", "8", false},
			{"failed", "", "", false},
		} {
			own := NewWrites().Of("prod", "fixer")
			done := own.begin(webID)
			got := make(chan bool, 1)
			go func() { got <- own.Own(t.Context(), update(t, 7, 8)) }()
			synctest.Wait()
			select {
			case <-got:
				t.Errorf("%s: Own has not waited", tt.name)
			default:
			}
			done(tt.made, tt.base)
			if <-got != tt.want {
				t.Errorf("%s: own is %t", tt.name, !tt.want)
			}
		}

		// Two patches of the object are under way: the first answer is another version's.
		own := NewWrites().Of("prod", "fixer")
		first, second := own.begin(webID), own.begin(webID)
		got := make(chan bool)
		go func() { got <- own.Own(t.Context(), update(t, 19, 20)) }()
		synctest.Wait()
		first("21", "20")
		synctest.Wait()
		second("20", "19")
		if !<-got {
			t.Error("the second patch's write is not own")
		}
	})
}

func TestTheWaitForAnAnswerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own := NewWrites().Of("prod", "fixer")
		done := own.begin(webID)
		begin := time.Now()
		if own.Own(t.Context(), update(t, 7, 8)) || time.Since(begin) != ownWait {
			t.Errorf("without an answer, after %v", time.Since(begin))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin = time.Now()
		if own.Own(ctx, update(t, 7, 8)) || time.Since(begin) != time.Second {
			t.Errorf("ctx is done, after %v", time.Since(begin))
		}
		begin = time.Now()
		deleted := update(t, 7, 8)
		deleted.Op = event.Delete
		other := update(t, 7, 8)
		other.Object = sinktest.Message(t, "db", 8).Object
		if own.Own(t.Context(), deleted) || own.Own(t.Context(), other) ||
			time.Since(begin) != 0 {
			t.Errorf("what cannot be own has waited %v", time.Since(begin))
		}
		done("", "")
	})
}

func TestOwnVersionsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own := NewWrites().Of("prod", "fixer")
		own.begin(webID)("8", "7")
		time.Sleep(ownKept)
		if own.Own(t.Context(), update(t, 7, 8)) {
			t.Error("a version is known after its time")
		}
		own.begin("another")("8", "7")
		if len(own.objects) != 1 || len(own.order) != 1 {
			t.Errorf("%d objects, %d versions are known", len(own.objects), len(own.order))
		}
		for n := range maxKnown + 100 {
			own.begin("uid-"+strconv.Itoa(n))("8", "7")
		}
		if len(own.objects) != maxKnown || len(own.order) != maxKnown {
			t.Errorf("%d objects, %d versions are known", len(own.objects), len(own.order))
		}
		for n := range maxKnown + 100 {
			own.begin(webID)(strconv.Itoa(n+9), strconv.Itoa(n+8))
		}
		if len(own.objects) != 1 || len(own.order) != maxKnown {
			t.Errorf("%d objects, %d versions are known", len(own.objects), len(own.order))
		}
	})
}

func TestOwnConcurrently(t *testing.T) {
	w := NewWrites()
	var wg sync.WaitGroup
	for c := range 4 {
		wg.Go(func() {
			own := w.Of("prod", fmt.Sprint("listener-", c%2))
			for n := range 200 {
				done := own.begin(webID)
				wg.Go(func() { own.Own(t.Context(), update(t, n, n+1)) })
				done(strconv.Itoa(n+1), strconv.Itoa(n))
			}
		})
	}
	wg.Wait()
}

func BenchmarkOwn(b *testing.B) {
	own, e := NewWrites().Of("prod", "fixer"), update(b, 7, 8)
	b.Run("nothing known", func(b *testing.B) {
		for b.Loop() {
			own.Own(b.Context(), e)
		}
	})
	own.begin("another")("8", "7")
	b.Run("another object known", func(b *testing.B) {
		for b.Loop() {
			own.Own(b.Context(), e)
		}
	})
}
