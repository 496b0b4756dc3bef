package route

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

func book(t *testing.T, sources ...rules.Definition) *rules.Book {
	t.Helper()
	var all []*rules.Rule
	for _, source := range sources {
		source.Deny.Kind = filters.KindDeny
		r, err := rules.Compile(source)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return rules.NewBook(all, 2)
}

func pending(after time.Duration) rules.Definition {
	return rules.Definition{Name: "stuck", Severity: "high", For: after,
		Deny: filters.Expression{Text: `object.status.phase == "Pending"`}}
}

// reported returns what rules reported to an output.
func reported(t *testing.T, out *output) (all []string) {
	t.Helper()
	out.mu.Lock()
	defer out.mu.Unlock()
	for _, m := range out.messages {
		var data struct {
			Rule, Severity, Message string
			Since                   time.Time
			Repeated                bool
			Object                  struct {
				Metadata struct{ ResourceVersion string }
			}
		}
		if m.Report == nil {
			all = append(all, states(&output{messages: []sink.Message{m}})...)
			continue
		}
		if err := json.Unmarshal(cloudevent.AppendData(nil, m), &data); err != nil ||
			m.Report.Rule != data.Rule ||
			m.Report.Severity != data.Severity {
			t.Fatalf("%v: %s", err, m.Data)
		}
		text := fmt.Sprintf("%s %s %s@%s", strings.TrimPrefix(m.Type, "dev.informerd.rule."),
			data.Rule, data.Severity, data.Object.Metadata.ResourceVersion)
		if data.Repeated {
			text += " repeated"
		}
		all = append(all, text)
	}
	return all
}

// The story of a pod that is pending for too long: told once, not again, and then that it is over.
func TestARuleIsToldWhenItsTimeHasCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source, out := newScript(event.Event{Op: event.Add, Object: pod(1, `"Pending"`)}), &output{}
		source.open = true
		var log bytes.Buffer
		r := source.route(t, &log, out)
		r.Rules, r.Quiet = book(t, pending(10*time.Second)), true
		done := make(chan error, 1)
		go func() { done <- r.Run(t.Context()) }()
		synctest.Wait()
		expectTold(t, out)
		time.Sleep(5 * time.Second)
		source.push(event.Event{Op: event.Update, Object: pod(2, `"Pending"`),
			Old: pod(1, `"Pending"`)})
		time.Sleep(4 * time.Second)
		synctest.Wait()
		expectTold(t, out)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		expectTold(t, out, "violated stuck high@2")
		source.push(event.Event{Op: event.Update, Object: pod(3, `"Pending"`),
			Old: pod(2, `"Pending"`)})
		source.push(event.Event{Op: event.Resync, Object: pod(3, `"Pending"`)})
		time.Sleep(time.Hour)
		synctest.Wait()
		expectTold(t, out, "violated stuck high@2")
		source.push(event.Event{Op: event.Update, Object: pod(4, `"Running"`),
			Old: pod(3, `"Pending"`)})
		synctest.Wait()
		expectTold(t, out, "violated stuck high@2", "resolved stuck high@4")
		source.end()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if s := r.Stats(); s.Violated != 1 || s.Resolved != 1 || s.Written != 2 ||
			s.Events[event.Resync] != 1 || log.Len() > 0 {
			t.Errorf("%+v %s", s, log.String())
		}
	})
}

func expectTold(t *testing.T, out *output, want ...string) {
	t.Helper()
	if got := reported(t, out); !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

// Rules see every event, whatever on and filter say; what they tell comes before the event.
func TestRulesSeeEverythingSelected(t *testing.T) {
	in, other := pod(1, `"Pending"`), pod(2, `"Running"`)
	source, out := newScript(event.Event{Op: event.Add, Object: in},
		event.Event{Op: event.Update, Object: other, Old: in},
		event.Event{Op: event.Update, Object: in, Old: other}, event.Event{Op: event.Delete,
			Object: in}), &output{}
	var log bytes.Buffer
	r := source.route(t, &log, out)
	r.Rules, r.On = book(t, pending(0)), event.OpSet(0).With(event.Add).With(event.Delete)
	r.Filter = expression(t, `op == "add"`, filters.KindFilter)
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	expectTold(t, out, "violated stuck high@1", "added 1", "resolved stuck high@2",
		"violated stuck high@1", "resolved stuck high@1")
}

// An object that leaves the set is gone for its rules.
func TestLeavingTheSetResolves(t *testing.T) {
	in, other := pod(1, `"Pending"`), pod(2, `"Running"`)
	source, out := newScript(event.Event{Op: event.Add, Object: in},
		event.Event{Op: event.Update, Object: other, Old: in}), &output{}
	var log bytes.Buffer
	r := source.route(t, &log, out)
	r.Select = expression(t, `object.status.phase == "Pending"`, filters.KindSelect)
	r.Rules, r.Quiet = book(t,
		rules.Definition{Name: "never", Deny: filters.Expression{Text: "true"}}),
		true
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	expectTold(t, out, "violated never medium@1", "resolved never medium@1")
}

// What a rule reports and an output did not take is offered again, and begins no new violation.
func TestWhatRulesReportSurvivesAFailingOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := pod(1, `"Pending"`)
		source, out := newScript(event.Event{Op: event.Add, Object: in}), &output{}
		out.fail = func(n int, _ sink.Message) error {
			if n <= 2 {
				return errors.New("not now")
			}
			return nil
		}
		var log bytes.Buffer
		r := source.route(t, &log, out)
		r.Rules = book(t, pending(0),
			rules.Definition{Name: "slow", For: time.Hour, Deny: filters.Expression{Text: "true"}})
		source.deaf = true
		if err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		expectTold(t, out, "violated stuck high@1", "added 1")
		if want := []string{"done web, again in 1h0m0s"}; !slices.Equal(source.log, want) {
			t.Errorf("%v", source.log)
		}
		if s := r.Stats(); s.Violated != 1 || s.Written != 2 {
			t.Errorf("%+v", s)
		}
	})
}

// away fails until some time has passed since now.
func away(d time.Duration) func(int, sink.Message) error {
	until := time.Now().Add(d)
	return func(int, sink.Message) error {
		if time.Now().Before(until) {
			return errors.New("connection refused")
		}
		return nil
	}
}

// However long an output is away, it receives a violation when it is back, once, and then of its
// end.
func TestAViolationIsReportedWhenTheOutputIsBack(t *testing.T) {
	for _, gone := range []time.Duration{20 * time.Second, time.Hour, 30 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			source, out := newScript(event.Event{Op: event.Add, Object: pod(1, `"Pending"`)}),
				&output{}
			source.open = true
			out.fail = away(gone)
			var log bytes.Buffer
			r := source.route(t, &log, out)
			r.Rules, r.Quiet = book(t, pending(0)), true
			r.Retry = Retry{Attempts: 5, MinBackoff: time.Second, MaxBackoff: time.Minute}
			done := make(chan error, 1)
			go func() { done <- r.Run(t.Context()) }()
			time.Sleep(gone + 3*time.Minute)
			synctest.Wait()
			expectTold(t, out, "violated stuck high@1")
			source.push(event.Event{Op: event.Update, Object: pod(2, `"Pending"`),
				Old: pod(1, `"Pending"`)})
			time.Sleep(24 * time.Hour)
			synctest.Wait()
			expectTold(t, out, "violated stuck high@1")
			source.push(event.Event{Op: event.Update, Object: pod(3, `"Running"`),
				Old: pod(2, `"Pending"`)})
			synctest.Wait()
			expectTold(t, out, "violated stuck high@1", "resolved stuck high@3")
			source.end()
			if err := <-done; err != nil {
				t.Error(err)
			}
			if s := r.Stats(); s.DeadLetters != 0 || s.Violated != 1 || s.Resolved != 1 ||
				len(r.Rules.Open()) != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// The end of a deleted object's violation waits for the output, too. What was made while it was
// away is delivered, in order.
func TestWhatEndsWhileTheOutputIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source, out := newScript(event.Event{Op: event.Add, Object: pod(1, `"Pending"`)}), &output{}
		source.open = true
		var log bytes.Buffer
		r := source.route(t, &log, out)
		r.Rules, r.Quiet = book(t, pending(0)), true
		r.Retry = Retry{Attempts: 2, MinBackoff: time.Second, MaxBackoff: time.Minute}
		done := make(chan error, 1)
		go func() { done <- r.Run(t.Context()) }()
		synctest.Wait()
		out.mu.Lock()
		out.fail = away(time.Hour)
		out.mu.Unlock()
		source.push(event.Event{Op: event.Delete, Object: pod(2, `"Pending"`)})
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		expectTold(t, out, "violated stuck high@1", "resolved stuck high@2")
		out.mu.Lock()
		out.fail = away(time.Hour)
		out.mu.Unlock()
		source.push(event.Event{Op: event.Add, Object: pod(3, `"Pending"`)})
		time.Sleep(30 * time.Minute)
		source.push(event.Event{Op: event.Update, Object: pod(4, `"Running"`),
			Old: pod(3, `"Pending"`)})
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		expectTold(t, out, "violated stuck high@1", "resolved stuck high@2",
			"violated stuck high@3", "resolved stuck high@4")
		source.end()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if n := r.Rules.Open(); len(n) != 0 {
			t.Errorf("open: %v", n)
		}
	})
}

// An object that leaves the set while the output is away may not be heard of again: its leaving is
// retried until it is reported.
func TestTheEndOfWhatLeavesWaitsForTheOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := pod(1, `"Pending"`)
		source, out := newScript(event.Event{Op: event.Add, Object: in}), &output{}
		source.open = true
		var log bytes.Buffer
		r := source.route(t, &log, out)
		r.Select = expression(t, `object.status.phase == "Pending"`, filters.KindSelect)
		r.Rules, r.Quiet = book(t,
			rules.Definition{Name: "never", Deny: filters.Expression{Text: "true"}}),
			true
		r.Retry = Retry{Attempts: 2, MinBackoff: time.Second, MaxBackoff: time.Minute}
		done := make(chan error, 1)
		go func() { done <- r.Run(t.Context()) }()
		synctest.Wait()
		source.mu.Lock()
		// as a listener whose object is deleted out of the set: it does not come again
		source.deaf = true
		source.mu.Unlock()
		out.mu.Lock()
		out.fail = away(time.Hour)
		out.mu.Unlock()
		source.push(event.Event{Op: event.Update, Object: pod(2, `"Running"`), Old: in})
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		expectTold(t, out, "violated never medium@1", "resolved never medium@1")
		source.end()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// The end of a violation waits for an output that is away as long as the route runs, and no longer
// than it may drain.
func TestTheEndOfAViolationWaitsAsLongAsTheRouteMayDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source, out := newScript(event.Event{Op: event.Add, Object: pod(1, `"Pending"`)}), &output{}
		source.open = true
		var log bytes.Buffer
		r := source.route(t, &log, out)
		r.Rules, r.Quiet = book(t, pending(0)), true
		r.Retry = Retry{Attempts: 2, MinBackoff: time.Second, MaxBackoff: time.Minute}
		done := make(chan error, 1)
		go func() { done <- r.Run(t.Context()) }()
		synctest.Wait()
		out.mu.Lock()
		out.fail = away(1000 * time.Hour)
		out.mu.Unlock()
		source.push(event.Event{Op: event.Delete, Object: pod(2, `"Pending"`)})
		time.Sleep(time.Hour)
		synctest.Wait()
		s := r.Stats().Outputs[0]
		if s.Retried == 0 || s.Pauses == 0 || s.Letters != 0 || s.Written != 1 {
			t.Errorf("%+v", s)
		}
		begun := time.Now()
		grace, cancel := context.WithTimeout(t.Context(), 25*time.Second)
		defer cancel()
		if err := r.Drain(grace); !errors.Is(err, context.DeadlineExceeded) ||
			time.Since(begun) != 25*time.Second {
			t.Errorf("drained with %v after %v", err, time.Since(begun))
		}
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if !strings.Contains(log.String(), "event failed, will try again") {
			t.Errorf("it is not logged: %s", log.String())
		}
	})
}

// A message that an output refuses for good is a dead letter, and holds up nothing.
func TestWhatAnOutputRefusesIsNotOfferedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := pod(1, `"Pending"`)
		source, refuses, takes := newScript(event.Event{Op: event.Add, Object: in},
			event.Event{Op: event.Resync, Object: in}, event.Event{Op: event.Delete, Object: in}),
			&output{}, &output{}
		refuses.fail = func(n int, m sink.Message) error {
			if strings.HasPrefix(m.Type, "dev.informerd.rule.violated") {
				return sink.Permanent(errors.New("413 too large"))
			}
			return nil
		}
		var log bytes.Buffer
		r := source.route(t, &log, refuses)
		r.Outputs = append(r.Outputs, to("takes", takes))
		r.Rules, r.Quiet = book(t, pending(0)), true
		if err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		expectTold(t, refuses)
		expectTold(t, takes, "violated stuck high@1", "resolved stuck high@1")
		if s := r.Stats(); s.DeadLetters != 1 || s.Retried != 0 ||
			!strings.Contains(log.String(), `msg="event given up" op=add`) {
			t.Errorf("%+v %s", s, log.String())
		}
	})
}

// An output that did not take the end of a violation does not receive the next one before that.
func TestTheEndComesBeforeTheNextBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, other := pod(1, `"Pending"`), pod(2, `"Running"`)
		source, out := newScript(event.Event{Op: event.Add, Object: in},
			event.Event{Op: event.Update, Object: other, Old: in}, event.Event{Op: event.Update,
				Object: pod(3, `"Pending"`), Old: other}), &output{}
		fails := 3
		out.fail = func(_ int, m sink.Message) error {
			if fails > 0 && strings.HasSuffix(m.Type, ".resolved") {
				fails--
				return errors.New("not this one")
			}
			return nil
		}
		var log bytes.Buffer
		r := source.route(t, &log, out)
		r.Rules, r.Quiet = book(t, pending(0)), true
		r.Retry = Retry{Attempts: 1, MinBackoff: time.Second, MaxBackoff: time.Minute}
		if err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		expectTold(t, out, "violated stuck high@1", "resolved stuck high@2",
			"violated stuck high@3")
	})
}

// The end of an object of which another one has taken the name is about that object, as far as it
// is known.
func TestTheEndOfAReplacedObjectIsAboutThat(t *testing.T) {
	as := func(version int, uid string) *object.Object {
		o, err := (&object.Parser{}).Parse(
			[]byte(strings.Replace(pod(version, `"Pending"`).JSON(), `"uid":"u"`, `"uid":"`+uid+`"`,
				1)))
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	for name, tt := range map[string]struct {
		e    event.Event
		data string
	}{
		"the update has its state": {
			event.Event{Op: event.Update, Object: as(3, "u2"), Old: as(2, "u1")},
			as(2, "u1").JSON()},
		"its state is not known": {
			event.Event{Op: event.Resync, Object: as(3, "u2")},
			`{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"shop","name":"web","uid":"u1"}}`},
	} {
		out := &output{}
		synctest.Test(t, func(t *testing.T) {
			source := newScript(event.Event{Op: event.Add, Object: as(1, "u1")})
			source.deaf, source.open = true, true
			var log bytes.Buffer
			r := source.route(t, &log, out)
			r.Rules, r.Quiet = book(t, pending(0)), true
			ended := make(chan error)
			go func() { ended <- r.Run(t.Context()) }()
			synctest.Wait() // or the outbox would have the object's state still
			source.push(tt.e)
			synctest.Wait()
			source.end()
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
		})
		if len(out.messages) != 3 {
			t.Fatalf("%s: %v", name, out.messages)
		}
		m := out.messages[1]
		if m.UID != "u1" || m.Op != event.Delete ||
			!strings.Contains(string(cloudevent.AppendData(nil, m)), `"object":`+tt.data) ||
			out.messages[2].UID != "u2" {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

// Nothing has happened to an object whose time has come: what its rules report then has no op.
func TestWhatTimeLeadsToHasNoOp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := pod(1, `"Pending"`)
		source, out := newScript(event.Event{Op: event.Add, Object: in}), &output{}
		var log bytes.Buffer
		r := source.route(t, &log, out)
		r.Rules, r.Quiet = book(t, pending(10*time.Second)), true
		if err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		expectTold(t, out, "violated stuck high@1")
		if text := string(cloudevent.Append(nil, out.messages[0])); strings.Contains(text,
			`"op"`) || out.messages[0].Op != 0 {
			t.Errorf("%s", text)
		}
	})
}

// A rule that fails changes nothing and is counted.
func TestAFailingRuleLeavesTheStateAsItIs(t *testing.T) {
	in, broken := pod(1, `"Pending"`), pod(2, `5`)
	source, out := newScript(event.Event{Op: event.Add, Object: in},
		event.Event{Op: event.Update, Object: broken, Old: in}), &output{}
	source.deaf = true
	var log bytes.Buffer
	r := source.route(t, &log, out)
	r.Rules, r.Quiet = book(t,
		rules.Definition{Name: "stuck",
			Deny: filters.Expression{Text: `object.status.phase startsWith "P"`}}), true
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	expectTold(t, out, "violated stuck medium@1")
	if s := r.Stats(); s.RuleErrors != 1 || s.DeadLetters != 1 ||
		!strings.Contains(log.String(),
			`msg="a rule failed, so what is known of the object stays" op=update`) {
		t.Errorf("%+v\n%s", s, log.String())
	}
}

// When an output does not want the end of a violation, it gets the next one, which may have been
// given back while that was open, also if it is of another object of the name.
func TestAnUnwantedEndBringsTheNextViolation(t *testing.T) {
	const receiver = 1
	draft := (&script{}).route(t, &bytes.Buffer{}, &output{})
	p := &draft.Pipeline
	p.Rules = book(t, pending(0))
	judge, now := p.Rules.Evaluator(nil), time.Now()
	begun := judge.Evaluate(event.Event{Op: event.Add, Object: pod(1, `"Pending"`)}, now).Transitions[0]
	if !p.Rules.Begin(pod(1, `""`).Key(), begun, receiver) {
		t.Fatal("it has not begun")
	}
	p.Rules.Took(pod(1, `""`).Key(), begun, receiver, now)
	e := event.Event{Op: event.Add, Object: mustParse(`{"apiVersion":"v1","kind":"Pod","metadata":` +
		`{"name":"web","namespace":"shop","uid":"other"},"status":{"phase":"Pending"}}`)}
	end := judge.Evaluate(e, now).Transitions[:1]
	p.Outputs[0].When = expressionOf(t, filters.KindWhen, "violated == true")
	out := p.Outputs[0].stage()
	reports, _ := p.reports(end, receiver, &out, &informer.Delivery{Entry: informer.Entry{Event: e}}, e)
	if len(reports) != 1 || !reports[0].Message.Report.Violated ||
		reports[0].Message.Object.UID() != "other" {
		t.Errorf("%+v", reports)
	}
}
