package route

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// forgetful is a source that gives up a failed event, as a listener does when the event's
// registration is removed, and then has the next event of the same object.
type forgetful struct {
	*script
	next event.Event
}

func (f *forgetful) Next(ctx context.Context) (informer.Delivery, error) {
	d, err := f.script.Next(ctx)
	return f.forwarded(d), err
}

func (f *forgetful) forwarded(d informer.Delivery) informer.Delivery {
	if d.Object == nil {
		return d
	}
	again := informer.NewDelivery(d.Event, d.Attempt, f)
	again.Recalled, again.Progress = d.Recalled, d.Progress
	return again
}

func (f *forgetful) Retry(d *informer.Delivery, _ time.Duration) {
	f.script.mu.Lock()
	f.script.log = append(f.script.log, "forgot "+d.Object.ResourceVersion())
	f.script.mu.Unlock()
	f.script.push(f.next)
	f.script.end()
}

// What an output has yet to take of an event goes with that event: an event that comes in its place
// is sent itself, from its beginning, with and without rules.
func TestAnEventDoesNotTakeUpWhatAnotherOneLeft(t *testing.T) {
	for _, rules := range []bool{false, true} {
		t.Run(fmt.Sprint("rules ", rules), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first, second := &output{}, &output{}
				second.fail = func(n int, _ sink.Message) error {
					if n == 1 {
						return errors.New("not now")
					}
					return nil
				}
				s := &forgetful{newScript(event.Event{Op: event.Add, Object: pod(5, `"Pending"`)}),
					event.Event{Op: event.Add, Object: pod(9, `"Running"`)}}
				s.script.open = true
				var log bytes.Buffer
				r := s.script.route(t, &log, first)
				r.Subscription, r.Outputs = s,
					append(r.Outputs, Output{Name: "second", Sink: second})
				if rules {
					r.Rules = book(t, pending(time.Hour))
				}
				if err := r.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				if got, want := versions(first), []string{"5", "9"}; !slices.Equal(got, want) {
					t.Errorf("the output that took both got %v\n%s", got, &log)
				}
				if got, want := versions(second), []string{"9"}; !slices.Equal(got, want) {
					t.Errorf("the output that failed once got %v\n%s", got, &log)
				}
				if want := []string{"forgot 5", "done web"}; !slices.Equal(s.script.log, want) {
					t.Errorf("acknowledged %v", s.script.log)
				}
			})
		})
	}
}

// versions are those of the objects in an output's messages.
func versions(o *output) (all []string) {
	for _, m := range o.messages {
		all = append(all, m.ResourceVersion)
	}
	return all
}
