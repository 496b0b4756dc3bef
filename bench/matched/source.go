package matched

import (
	"context"
	"fmt"
	"time"

	"github.com/informerd/informerd/bench/objects"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// listed is the number of objects that the events are about.
const listed = 1000

// updates returns the matching events of one change of each object, as an informer delivers them.
func updates(f *filters.Filter) (events []event.Event, err error) {
	kind, store, matcher := objects.Pods, map[event.Key]*object.Object{}, f.Evaluator()
	p := object.Parser{APIVersion: kind.APIVersion(), Kind: kind.Name,
		Last: func(k event.Key) *object.Object { return store[k] }}
	for number := range 2 {
		for seed := range uint64(listed) {
			text := kind.At(seed, kind.Size,
				objects.Revision{Number: number, ResourceVersion: objects.FirstFreeVersion +
					uint64(number*listed) + seed})
			o, _, err := p.ParseItem(text)
			if err != nil {
				return nil, err
			}
			e := event.Event{Op: event.Update, Object: o, Old: store[o.Key()]}
			store[o.Key()] = o
			if e.Old == nil {
				continue
			}
			matches, err := matcher.Match(e)
			if err != nil {
				return nil, err
			}
			if matches {
				events = append(events, e)
			}
		}
	}
	if len(events) < listed*9/10 {
		return nil, fmt.Errorf("only %d of %d events match", len(events), listed)
	}
	return events, nil
}

// source always has events ready, until none remain.
type source struct {
	events     []event.Event
	left, done int
}

func (s *source) Next(context.Context) (informer.Delivery, error) {
	if s.left == 0 {
		return informer.Delivery{}, informer.ErrStopped
	}
	return s.next(), nil
}

func (s *source) next() informer.Delivery {
	s.left--
	return informer.NewDelivery(informer.Entry{Event: s.events[s.left%len(s.events)], Attempt: 1}, s)
}

func (s *source) More(got []informer.Delivery, n, workers int) []informer.Delivery {
	for range min(n, s.left/workers) {
		got = append(got, s.next())
	}
	return got
}

func (s *source) Stopped() <-chan struct{} { return nil }
func (s *source) Stop()                    {}

func (s *source) Done(*informer.Delivery)                 { s.done++ }
func (s *source) Retry(*informer.Delivery, time.Duration) {}
func (s *source) Again(*informer.Delivery, time.Duration) {}
