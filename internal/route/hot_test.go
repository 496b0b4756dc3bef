package route

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// An object of which an output takes nothing for 100,000 updates takes no more room than the buffer
// has, and holds up no other object. Then its events come in order, the last one with them, and
// each is known to have been there.
func TestAHotObject(t *testing.T) {
	for outputs := 1; outputs <= 2; outputs++ {
		synctest.Test(t, func(t *testing.T) {
			updates := []int{0, 20_000, 100_000}[outputs]
			f := newFed(t, outputs, Buffer{Capacity: 100})
			back := time.Now().Add(time.Hour)
			f.outs[0].fail = func(_ int, m sink.Message) error {
				if m.Subject == "pods/shop/hot" && time.Now().Before(back) {
					return sink.Alone(errors.New("not this one"))
				}
				return nil
			}
			f.start(t)
			var last event.Event
			var parser object.Parser
			for i := range updates {
				o, err := parser.Parse(fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod",`+
					`"metadata":{"name":"hot","namespace":"shop","uid":"u",`+
					`"resourceVersion":"%d"}}`, i+1))
				if err != nil {
					t.Fatal(err)
				}
				e := event.Event{Op: event.Update, Object: o, Old: last.Object}
				if last.Object == nil {
					e.Op = event.Add
				}
				last = e
				f.offerNow(t, e)
				if i%10_000 == 0 {
					synctest.Wait()
				}
			}
			f.change(t, 1, "Running", "other")
			queued := f.queue.Waiting() + f.Stats().Outputs[0].Queued
			if most := 1000 + 2*100 + maxPassed; queued > most || queued == 0 {
				t.Errorf("%d outputs: %d events wait, want at most %d", outputs, queued, most)
			}
			if !slices.Contains(f.got(0), "other@1") {
				t.Errorf("%d outputs: the other object does not go on", outputs)
			}
			time.Sleep(2 * time.Hour)
			f.finish(t)
			for n := range outputs {
				known, before := 0, 0
				for _, m := range f.outs[n].messages {
					version, err := strconv.Atoi(m.ResourceVersion)
					if err != nil {
						t.Fatal(err)
					}
					if m.Subject != "pods/shop/hot" {
						continue
					}
					if version <= before {
						t.Fatalf("version %d after %d", version, before)
					}
					before, known = version, known+1+m.Missed
				}
				if before != updates || known != updates {
					t.Errorf("out%d of %d: up to version %d, %d are known", n, outputs, before,
						known)
				}
			}
		})
	}
}

// offerNow offers an event, which is merged if there is no room.
func (f *fed) offerNow(t *testing.T, e event.Event) {
	t.Helper()
	if _, err := f.queue.Offer(e, nil); err != nil {
		t.Fatal(err)
	}
}

// many is a guest that makes so many messages of each event.
type many struct {
	*puppet
	n int
}

func (g many) Handle(context.Context, event.Event) (plugins.Result, error) {
	var r plugins.Result
	for i := range g.n {
		r.Emitted = append(r.Emitted, plugins.Emission{Kind: abi.EmitEvent,
			Data: fmt.Appendf(nil, `{"type":"com.example.part","data":%d}`, i)})
	}
	return r, nil
}

// Of an event with 10,000 messages an output refuses some, which are letters, and fails on others,
// which come again: all others come once, in their order, before those of the object's next event.
// The event has one end at each output.
func TestManyMessagesOfOneEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const messages = 10_000
		f := newFed(t, 2, Buffer{Capacity: 4})
		f.newGuest = func(context.Context) (guest, error) { return many{f.puppet, messages}, nil }
		dead := &letters{}
		f.Letters = dead
		f.outs[0].fail = func(n int, m sink.Message) error {
			switch i, err := strconv.Atoi(m.Data); {
			case err != nil:
				return err
			case i%1000 == 7:
				return sink.Permanent(errors.New("never"))
			case n%1500 == 0:
				return errors.New("not now")
			}
			return nil
		}
		f.start(t)
		f.change(t, 1, "Pending", "a")
		f.change(t, 2, "Pending", "a")
		time.Sleep(time.Hour)
		f.finish(t)
		for n, refused := range []int{10, 0} {
			var want, got []string
			for version := 1; version <= 2; version++ {
				for i := range messages {
					if refused == 0 || i%1000 != 7 {
						want = append(want, fmt.Sprintf("%d/%d", version, i))
					}
				}
			}
			for _, m := range f.outs[n].messages {
				got = append(got, m.ResourceVersion+"/"+m.Data)
			}
			if !slices.Equal(got, want) {
				t.Errorf("out%d has %d messages, want %d in order", n, len(got), len(want))
			}
			s := f.Stats().Outputs[n]
			ends := [2]uint64{s.Delivered, s.DeadLettered}
			if want := [][2]uint64{{0, 2}, {2, 0}}[n]; ends != want ||
				int(s.Letters) != 2*refused {
				t.Errorf("out%d: %+v", n, s)
			}
		}
		if len(dead.all) != 20 || !strings.Contains(string(dead.all[1].Message), `"data":1007`) {
			t.Errorf("%d letters", len(dead.all))
		}
	})
}

// A rule goes with a reload while its violation is open, or waits for its output. An output that
// has it gets its end when it is back; none gets an end alone.
func TestARuleThatGoesWhileItsOutputIsAway(t *testing.T) {
	for _, known := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			f := newFed(t, 2, Buffer{Capacity: 4, Overflow: informer.OverflowLatest})
			f.Rules, f.Quiet = book(t, pending(0)), true
			f.start(t)
			if !known {
				f.away(0, time.Hour)
			}
			f.change(t, 1, "Pending", "a")
			f.away(0, time.Hour)
			next := f.Pipeline
			next.RuleSet = []*rules.Rule{}
			if err := f.exchange(&next); err != nil {
				t.Fatal(err)
			}
			f.offerNow(t, event.Event{Op: event.Resync, Object: f.last["a"]})
			synctest.Wait()
			f.expect(t, 1, "stuck violated", "stuck resolved")
			if got := f.got(0); len(got) > 0 != known {
				t.Errorf("got %q while it is away", got)
			}
			time.Sleep(3 * time.Hour)
			synctest.Wait()
			got := strings.Join(f.got(0), ", ")
			if got != "stuck violated, stuck resolved" && (known || got != "") {
				t.Errorf("known %t: %s", known, got)
			}
			if n := len(f.Rules.Open()); n > 0 {
				t.Errorf("%d violations are open", n)
			}
			f.queue.Stop()
			if err := <-f.ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// A machine that slept for a month: a rule whose time has come is reported once, with when it
// began, and its repeats go on from there.
func TestAClockThatLeaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFed(t, 1, Buffer{Capacity: 4})
		repeating := pending(10 * time.Minute)
		repeating.Repeat = time.Hour
		f.Rules, f.Quiet = book(t, repeating), true
		begun := time.Now()
		f.change(t, 1, "Pending", "a") // nobody works on it before the leap is over
		time.Sleep(30 * 24 * time.Hour)
		f.start(t)
		first := time.Now()
		time.Sleep(11 * time.Minute)
		synctest.Wait()
		f.expect(t, 0, "stuck violated")
		f.outs[0].mu.Lock()
		since := f.outs[0].messages[0].Report.Since
		f.outs[0].mu.Unlock()
		if since.Before(begun) || since.After(first) {
			t.Errorf("since %v", since)
		}
		time.Sleep(150 * time.Minute)
		synctest.Wait()
		f.expect(t, 0, "stuck violated", "stuck violated", "stuck violated")
		f.change(t, 2, "Running", "a")
		f.queue.Stop()
		if err := <-f.ended; err != nil {
			t.Error(err)
		}
		f.expect(t, 0, "stuck violated", "stuck violated", "stuck violated", "stuck resolved")
	})
}
