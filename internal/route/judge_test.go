package route

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer/event"
)

func book(t *testing.T, sources ...rules.Source) *rules.Book {
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
	return rules.NewBook(all)
}

func pending(after time.Duration) rules.Source {
	return rules.Source{Name: "stuck", Severity: "high", For: after, Deny: filters.Source{Text: `object.status.phase == "Pending"`}}
}

// told gives what an output was told by rules.
func told(t *testing.T, out *output) (all []string) {
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
		if m.Data == "" {
			all = append(all, states(&output{messages: []sink.Message{m}})...)
			continue
		}
		if err := json.Unmarshal([]byte(m.Data), &data); err != nil || m.Rule != data.Rule || m.Severity != data.Severity {
			t.Fatalf("%v: %s", err, m.Data)
		}
		text := fmt.Sprintf("%s %s %s@%s", strings.TrimPrefix(m.Type, "dev.informerd.rule."), data.Rule, data.Severity, data.Object.Metadata.ResourceVersion)
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
		source.push(event.Event{Op: event.Update, Object: pod(2, `"Pending"`), Old: pod(1, `"Pending"`)})
		time.Sleep(4 * time.Second)
		synctest.Wait()
		expectTold(t, out)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		expectTold(t, out, "violated stuck high@2")
		source.push(event.Event{Op: event.Update, Object: pod(3, `"Pending"`), Old: pod(2, `"Pending"`)})
		source.push(event.Event{Op: event.Resync, Object: pod(3, `"Pending"`)})
		time.Sleep(time.Hour)
		synctest.Wait()
		expectTold(t, out, "violated stuck high@2")
		source.push(event.Event{Op: event.Update, Object: pod(4, `"Running"`), Old: pod(3, `"Pending"`)})
		synctest.Wait()
		expectTold(t, out, "violated stuck high@2", "resolved stuck high@4")
		source.end()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if s := r.Stats(); s.Violated != 1 || s.Resolved != 1 || s.Written != 2 || s.Events[event.Resync] != 1 || log.Len() > 0 {
			t.Errorf("%+v %s", s, log.String())
		}
	})
}

func expectTold(t *testing.T, out *output, want ...string) {
	t.Helper()
	if got := told(t, out); !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

// Rules see every event, whatever on and filter say; what they tell comes before the event.
func TestRulesSeeEverythingSelected(t *testing.T) {
	in, other := pod(1, `"Pending"`), pod(2, `"Running"`)
	source, out := newScript(event.Event{Op: event.Add, Object: in}, event.Event{Op: event.Update, Object: other, Old: in},
		event.Event{Op: event.Update, Object: in, Old: other}, event.Event{Op: event.Delete, Object: in}), &output{}
	var log bytes.Buffer
	r := source.route(t, &log, out)
	r.Rules, r.On = book(t, pending(0)), event.OpSet(0).With(event.Add).With(event.Delete)
	r.Filter = expression(t, `op == "add"`, filters.KindFilter)
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	expectTold(t, out, "violated stuck high@1", "added 1", "resolved stuck high@2", "violated stuck high@1", "resolved stuck high@1")
}

// An object that leaves the set is gone for its rules.
func TestLeavingTheSetResolves(t *testing.T) {
	in, other := pod(1, `"Pending"`), pod(2, `"Running"`)
	source, out := newScript(event.Event{Op: event.Add, Object: in}, event.Event{Op: event.Update, Object: other, Old: in}), &output{}
	var log bytes.Buffer
	r := source.route(t, &log, out)
	r.Select = expression(t, `object.status.phase == "Pending"`, filters.KindSelect)
	r.Rules, r.Quiet = book(t, rules.Source{Name: "never", Deny: filters.Source{Text: "true"}}), true
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	expectTold(t, out, "violated never medium@1", "resolved never medium@1")
}

// What a rule has told once and an output did not take is kept for the retry, without asking the rule again.
func TestWhatRulesTellSurvivesAFailingOutput(t *testing.T) {
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
		r.Rules = book(t, pending(0), rules.Source{Name: "slow", For: time.Hour, Deny: filters.Source{Text: "true"}})
		source.deaf = true
		if err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		expectTold(t, out, "violated stuck high@1", "added 1")
		if want := []string{"retry web", "retry web", "done web, again in 1h0m0s"}; !slices.Equal(source.log, want) {
			t.Errorf("%v", source.log)
		}
	})
}

// A rule that fails changes nothing and is counted.
func TestAFailingRuleLeavesTheStateAsItIs(t *testing.T) {
	in, broken := pod(1, `"Pending"`), pod(2, `5`)
	source, out := newScript(event.Event{Op: event.Add, Object: in}, event.Event{Op: event.Update, Object: broken, Old: in}), &output{}
	source.deaf = true
	var log bytes.Buffer
	r := source.route(t, &log, out)
	r.Rules, r.Quiet = book(t, rules.Source{Name: "stuck", Deny: filters.Source{Text: `object.status.phase startsWith "P"`}}), true
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	expectTold(t, out, "violated stuck medium@1")
	if s := r.Stats(); s.RuleErrors != 1 || s.DeadLetters != 1 || !strings.Contains(log.String(), `msg="a rule failed, so what is known of the object stays" op=update`) {
		t.Errorf("%+v\n%s", s, log.String())
	}
}
