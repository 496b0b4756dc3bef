package route

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer/event"
)

// expressionOf compiles an expression of an output.
func expressionOf(t *testing.T, kind filters.Kind, text string) *filters.Filter {
	t.Helper()
	f, err := filters.Compile(filters.Expression{Text: text, Kind: kind})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// An output's when selects its messages, and its data makes their data. Other outputs of the
// listener get everything as it is.
func TestWhenAndData(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := pod(1, `"Pending"`)
		source := newScript(event.Event{Op: event.Add, Object: in})
		source.open = true
		some, all := &output{}, &output{}
		var log bytes.Buffer
		r := source.route(t, &log, some)
		r.Outputs[0].When = expressionOf(t, filters.KindWhen, `op == "update" || violated == true`)
		r.Outputs[0].Data = expressionOf(t, filters.KindData,
			`{"is": rule ?? type, "phase": object.status.phase}`)
		r.Outputs = append(r.Outputs, to("all", all))
		r.Rules = book(t, pending(0))
		ended := make(chan error)
		go func() { ended <- r.Run(t.Context()) }()
		synctest.Wait() // or the end would be told with what waits for it
		source.push(event.Event{Op: event.Update, Object: pod(2, `"Running"`), Old: in})
		synctest.Wait()
		source.end()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range some.messages {
			got = append(got, string(cloudevent.AppendData(nil, m)))
		}
		want := []string{`{"is":"stuck","phase":"Pending"}`, `{"is":"stuck","phase":"Running"}`,
			`{"is":"dev.informerd.object.updated","phase":"Running"}`}
		if !slices.Equal(got, want) {
			t.Errorf("got %q\n%s", got, log.String())
		}
		expectTold(t, all, "violated stuck high@1", "added 1", "resolved stuck high@2",
			"updated 2 was 1")
		if s := r.Stats(); s.Unwanted != 1 || s.Outputs[0].Offered != 1 ||
			s.Outputs[1].Offered != 2 || s.DeadLetters != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// An expression of an output that has no answer makes a dead letter of the message, for that output
// alone.
func TestAnExpressionOfAnOutputThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newScript(event.Event{Op: event.Add, Object: pod(1, `"Pending"`)})
		some, all := &output{}, &output{}
		var log bytes.Buffer
		r := source.route(t, &log, some)
		dead := &letters{}
		r.Letters = dead
		r.Outputs[0].When = expressionOf(t, filters.KindWhen, `object.status.phase > 5`)
		r.Outputs = append(r.Outputs, to("all", all))
		r.Rules = book(t, pending(0))
		if err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		expectTold(t, some)
		expectTold(t, all, "violated stuck high@1", "added 1")
		if len(dead.all) != 2 {
			t.Fatalf("%d dead letters", len(dead.all))
		}
		for i, l := range dead.all {
			if l.Reason != deadletter.FilterFailed || l.Output != "out" ||
				(l.Rule == "stuck") != (i == 0) || !strings.Contains(l.Error, "its when failed") ||
				len(l.Object) == 0 || len(l.Message) == 0 {
				t.Errorf("%+v", l)
			}
		}
	})
}

// What conditions say of an age is decided as of the arrival of an event, however long it waits for
// its turn; rules look at the present.
func TestConditionsAreDecidedAsOfTheArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		created := pod(1, fmt.Sprintf("%q", time.Now().UTC().Format(time.RFC3339)))
		source := newScript(event.Event{Op: event.Add, Object: created, Arrived: event.Now()})
		time.Sleep(time.Minute)
		fresh, old := &output{}, &output{}
		var log bytes.Buffer
		r := source.route(t, &log, fresh)
		r.Filter = expressionOf(t, filters.KindFilter, `age(object.status.phase) < "10s"`)
		r.Outputs = append(r.Outputs, to("old", old))
		r.Outputs[0].When = expressionOf(t, filters.KindWhen, `age(object.status.phase) < "10s"`)
		r.Outputs[1].When = expressionOf(t, filters.KindWhen, `age(object.status.phase) > "10s"`)
		r.Rules = book(t, rules.Definition{Name: "old", Severity: "high",
			Deny: filters.Expression{Text: `object.status.phase != ""`}})
		if err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		expectTold(t, fresh, "added 1")
		expectTold(t, old, "violated old high@1")
	})
}

// The times of a letter are those of its first and its last attempt.
func TestALetterHasTheTimesOfItsAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newScript(event.Event{Op: event.Add, Object: pod(1, `"Pending"`)})
		var log bytes.Buffer
		r := source.route(t, &log, &output{})
		dead := &letters{}
		r.Letters = dead
		r.Retry = Retry{Attempts: 4, MinBackoff: time.Minute, MaxBackoff: time.Minute}
		r.Filter = expressionOf(t, filters.KindFilter, `age() == nil && object.status.phase > 5`)
		begun := time.Now()
		if err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(dead.all) != 1 || dead.all[0].Attempts != 4 {
			t.Fatalf("%+v\n%s", dead.all, log.String())
		}
		l := dead.all[0]
		if !l.First.Equal(begun) || l.Last.Sub(begun) < 90*time.Second || l.Last.After(time.Now()) {
			t.Errorf("from %v to %v of a trial from %v to %v", l.First, l.Last, begun, time.Now())
		}
	})
}

// An output for reports alone gets no events.
func TestAnOutputForReportsAlone(t *testing.T) {
	source := newScript(event.Event{Op: event.Add, Object: pod(1, `"Pending"`)})
	out := &output{}
	var log bytes.Buffer
	r := source.route(t, &log, out)
	r.Outputs[0].ReportsOnly, r.Rules = true, book(t, pending(0))
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	expectTold(t, out, "violated stuck high@1")
}

// The number of workers changes while the route runs, and so do its rules: a violation of a rule
// that is gone ends.
func TestTuned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHandled(t, "")
		h.Batch, h.lasts = 1, time.Minute
		h.Rules = book(t, rules.Definition{Name: "any", Deny: filters.Expression{Text: "true"}})
		_, cancel, ended := h.trying(t)
		defer cancel()
		h.push("a", "b", "c")
		if calls := h.called(); len(calls) != 1 {
			t.Errorf("one worker called %q", calls)
		}
		resume := h.Pause() // which waits until the first call ends
		h.Tune(Tuning{Retry: patient, Workers: 2})
		resume()
		synctest.Wait()
		if calls := h.called(); len(calls) != 2 {
			t.Errorf("two workers called %q", calls)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		next := h.Pipeline
		next.RuleSet = []*rules.Rule{}
		if err := h.exchange(&next); err != nil {
			t.Fatal(err)
		}
		h.push("a")
		time.Sleep(time.Minute)
		synctest.Wait()
		told := fmt.Sprint(reported(t, h.out))
		if !strings.Contains(told, "resolved any") || len(h.Rules.Open()) != 0 {
			t.Errorf("told %s, open %v", told, h.Rules.Open())
		}
		h.source.end()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// What an output refuses for good is stored before the event counts as ended. A store that takes
// nothing for a time holds up the object, and loses nothing.
func TestADeadLetterThatCannotBeStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &output{fail: func(int, sink.Message) error {
			return sink.Permanent(errors.New("no"))
		}}
		dead := &letters{fails: 3}
		var log bytes.Buffer
		r := newScript(add("a"), add("b")).route(t, &log, out)
		r.Letters = dead
		if err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		s := r.Stats().Outputs[0]
		if len(dead.all) != 2 || s.DeadLettered != 2 || s.Letters != 2 || s.Waiting != 0 ||
			!strings.Contains(log.String(), "a dead letter cannot be stored, will try again") {
			t.Errorf("%d letters, %+v\n%s", len(dead.all), s, log.String())
		}
	})
}

// Nor is an event acknowledged that has come to no output, before its dead letter is stored: the
// handler sees it once more each time.
func TestAnEventWaitsForItsLetter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHandled(t, "a")
		h.set("a", "fail")
		dead := &letters{fails: 3}
		h.Letters = dead
		h.run(t)
		expectAll(t, "acknowledged", h.source.log, "retry a", "retry a", "retry a", "done a")
		if s := h.Stats(); len(dead.all) != 1 || dead.all[0].Reason != deadletter.HandlerRefused ||
			s.DeadLetters != 1 || s.Retried != 3 {
			t.Errorf("%+v, %+v", dead.all, s)
		}
	})
}
