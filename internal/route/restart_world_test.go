package route

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// restartReceiver is a sink of an output.
type restartReceiver struct {
	*restarting
	n int
}

func (r *restartReceiver) Pace() sink.Pace             { return sink.Pace{Batch: 1 + r.n} }
func (r *restartReceiver) Close(context.Context) error { return nil }

func (r *restartReceiver) Write(ctx context.Context, messages []sink.Message) []error {
	r.mu.Lock()
	mood, lasts := r.moods[r.n], time.Millisecond
	r.mu.Unlock()
	if mood == "hangs" {
		lasts = 20 * time.Second
	}
	select {
	case <-time.After(lasts):
	case <-ctx.Done():
		return sink.AllFailed(len(messages), ctx.Err())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	errs := make([]error, len(messages))
	for i := range messages {
		if mood == "fails" || mood == "differs" && r.random.IntN(2) == 0 {
			errs[i] = errors.New("not now")
		} else {
			r.hear(&messages[i])
		}
	}
	return errs
}

func (r *restartReceiver) hear(m *sink.Message) {
	name := m.Object.Name()
	at := fmt.Sprint("out", r.n, name)
	if m.Report != nil {
		if r.known[at] == m.Report.Violated && !r.shaky[at] && r.n < 2 {
			r.sayLocked("%s: violated: %t, and it knows that", at, m.Report.Violated)
		}
		r.known[at], r.shaky[at] = m.Report.Violated, false
		return
	}
	h := restartHeard{output: r.n, name: name, op: m.Op, version: m.ResourceVersion}
	if strings.HasPrefix(m.Type, "com.example") {
		h.part = m.Type
	}
	r.restarting.heard = append(r.restarting.heard, h)
}

// restartGuest is a handler that makes two messages of every third version.
type restartGuest struct{}

func (restartGuest) Close(context.Context) error { return nil }

func (restartGuest) Handle(ctx context.Context, e event.Event) (r plugins.Result, err error) {
	if number(e.Object.ResourceVersion())%3 == 0 {
		for part := range 2 {
			r.Emitted = append(r.Emitted, plugins.Emission{Kind: abi.EmitEvent,
				Data: fmt.Appendf(nil, `{"type":"com.example.part%d","data":1}`, part)})
		}
	}
	return r, ctx.Err()
}

func (g restartGuest) HandleBatch(ctx context.Context, events []event.Event) (
	results []plugins.Result, err error) {
	for _, e := range events {
		result, err := g.Handle(ctx, e)
		if err != nil {
			return results, err
		}
		results = append(results, result)
	}
	return results, nil
}

// noted is a subscription that says which events are done.
type noted struct {
	*informer.Subscription
	done func(event.Event, informer.Progress)
	from *wanted
}

func (n noted) Next(ctx context.Context) (informer.Delivery, error) {
	d, err := n.Subscription.Next(ctx)
	if err != nil {
		return d, err
	}
	return n.noting(d), nil
}

func (n noted) More(got []informer.Delivery, most, workers int) []informer.Delivery {
	from := len(got)
	got = n.Subscription.More(got, most, workers)
	for i := from; i < len(got); i++ {
		got[i] = n.noting(got[i])
	}
	return got
}

func (n noted) noting(d informer.Delivery) informer.Delivery {
	out := informer.NewDelivery(informer.Entry{Event: d.Event, Attempt: d.Attempt,
		From: n.from.From}, noting{n, &d})
	out.Recalled, out.Before, out.Progress = d.Recalled, d.Before, d.Progress
	out.MaybeDelivered, out.MaybeKnown = d.MaybeDelivered, d.MaybeKnown
	return out
}

// noting is a noted subscription as a delivery sees it.
type noting struct {
	noted
	of *informer.Delivery
}

func (n noting) Done(d *informer.Delivery) {
	n.done(d.Event, d.Progress)
	n.of.Done()
}

func (n noting) Again(d *informer.Delivery, after time.Duration) {
	n.done(d.Event, d.Progress)
	n.of.Again(after)
}

func (n noting) Retry(d *informer.Delivery, after time.Duration) {
	n.of.Attempt, n.of.Progress = d.Attempt, d.Progress
	n.of.Retry(after)
}

// check checks what the outputs have heard that were there all the time.
func (r *restarting) check() {
	times, firstAt, lastAt := map[string]int{}, map[string]int{}, map[string]int{}
	for i, e := range r.changes {
		version := e.Object.ResourceVersion()
		if times[version]++; times[version] == 1 {
			firstAt[version] = i
		}
		lastAt[version] = i
	}
	for n := range 2 {
		first, last := map[string]int{}, map[string]restartHeard{}
		seen, came := map[restartHeard]int{}, map[string]bool{}
		for _, h := range r.heard {
			if h.output != n {
				continue
			}
			if seen[h] > 0 {
				r.again++
				may := r.free[h.version] + times[h.version] - 1
				if r.backs > 0 {
					may += r.ahead[h.version]
				}
				if seen[h] > may {
					r.say("%v comes again, and may %d times", h, may)
				}
			} else if lastAt[h.version] < first[h.name] && r.free[h.version] == 0 {
				r.say("%v comes after change %d", h, first[h.name])
			} else {
				first[h.name] = max(firstAt[h.version], first[h.name])
			}
			seen[h], came[h.version], last[h.name] = seen[h]+1, true, h
		}
		for _, e := range r.changes {
			version := e.Object.ResourceVersion()
			if !came[version] && !r.covered[version] {
				r.say("out%d does not get version %s", n, version)
			}
		}
		for _, name := range modelNames {
			o, h := r.stored[name], last[name]
			since, excused := r.excused[name]
			changed := func(e event.Event) bool { return e.Object.Name() == name }
			switch {
			case o != nil && strings.Contains(o.JSON(), `"Failed"`):
			case excused && !slices.ContainsFunc(r.changes[since:], changed):
			case o != nil && (h.op == event.Delete || h.version != o.ResourceVersion()):
				r.say("the last of %s is %v", name, h)
			case o == nil && h.op != event.Delete && h.op != 0 && r.free[h.version] == 0 && !r.unknown[h.version]:
				r.say("the last of %s, which is gone, is %v", name, h)
			}
			want := o != nil && strings.Contains(o.JSON(), `"Pending"`)
			if r.known[fmt.Sprint("out", n, name)] != want && !excused {
				r.say("out%d: the violation of %s is known: %t", n, name, !want)
			}
		}
	}
	if len(r.wrong) > 0 {
		r.say("heard %v", r.heard)
	}
}
