package eval_test

import (
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/growth"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/eval"
	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/reference"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Whatever the expression and the objects: no panic, errors of the promised kinds, no run that
// takes much longer than what it pays in steps.
func FuzzMatch(f *testing.F) {
	for _, text := range filtertest.TrueExpressions {
		f.Add(text, filtertest.After, filtertest.Before, uint8(lang.KindFilter))
	}
	for _, texts := range ownExpressions {
		for _, text := range texts {
			f.Add(text, filtertest.SamplePod, filtertest.Before, uint8(lang.KindFilter))
			f.Add(text, strings.Replace(odd, strings.Repeat("1", 300_000), "1", 1),
				filtertest.Before,
				uint8(lang.KindFilter))
		}
	}
	for _, entry := range reference.Table() {
		for kind := lang.KindFilter; kind <= lang.KindText; kind++ {
			f.Add(entry.Example, filtertest.SamplePod, filtertest.SamplePod, uint8(kind))
		}
	}
	for _, text := range []string{`"stuck: " + object.metadata.name`, `object`, `age()`,
		`quantity(object.x.e)`, `string(image(object.x.text))`, `object.x.text + object.x.long`} {
		f.Add(text, filtertest.SamplePod, filtertest.Before, uint8(lang.KindMessage))
	}
	for _, text := range []string{`{"text": rule + ": " + message, "object": object}`, `data`,
		`[since, age(since), data.n, "\n\u0001"]`, `map(object.x.list, ({"a": #}))`,
		`name + "/" + data.team`, `severity in ["high"] && not violated`} {
		for kind := lang.KindWhen; kind <= lang.KindText; kind++ {
			f.Add(text, filtertest.SamplePod, `{"metadata":{"name":"x"}}`, uint8(kind))
		}
	}
	for _, text := range []string{
		`any(object.spec.list, any(object.spec.list, any(object.spec.list, # < 0)))`,
		`object.spec.text + object.spec.text matches "(a*)*b"`, `1..9999999999`,
		`let a = object; let b = [a, a]; b == b`, `object[object]`,
		`object.spec.list[object.spec.half]`, `((((((`, `$env["@get"]`, `object?.["x"]?.y`,
		`find(object.spec.list, # > 9).x.y == nil`,
	} {
		f.Add(text, filtertest.After, `{"metadata":{"name":"x"}}`, uint8(lang.KindFilter))
		f.Add(text, `{"metadata":{"name":"x"},"spec":[null,[],{},"",0,1e999,-0,{"":{"":""}}]}`,
			filtertest.After, uint8(lang.KindDeny))
	}
	// What takes less is not compared with a reference, which takes longer itself.
	const worthMeasuring = 20 * time.Millisecond
	_, caches := filtertest.Sample(f)
	f.Fuzz(func(t *testing.T, text, now, then string, kind uint8) {
		runtime.LockOSThread() // its time is that of the evaluations
		defer runtime.UnlockOSThread()
		source := filtertest.SampleSource(text)
		source.Kind = lang.Kind(kind % 7)
		filter, err := filters.Compile(source)
		if err != nil {
			var ce *lang.CompileError
			if !errors.As(err, &ce) {
				t.Fatalf("%T: %v", err, err)
			}
			_ = err.Error()
			return
		}
		p := object.Parser{APIVersion: "v1", Kind: "Pod"}
		o, err1 := p.Parse([]byte(now))
		old, err2 := p.Parse([]byte(then))
		if err1 != nil || err2 != nil {
			return
		}
		e := filter.Evaluator()
		e.Caches = caches
		e.Clock = func() time.Time { return time.Date(2026, 1, 2, 3, 15, 0, 0, time.UTC) }
		ask := e.Match
		if source.Kind.SeesMessages() {
			ask = askAboutMessage(t, e, source.Kind, now)
		}
		if source.Kind == lang.KindMessage {
			ask = func(ev event.Event) (bool, error) {
				message, err := e.Text(ev)
				if len(message) > lang.MaxMessage || err != nil && message != "" {
					t.Fatalf("%q, %v", message, err)
				}
				return message != "", err
			}
		}
		for _, op := range event.Ops {
			start := growth.ThreadTime()
			ok, err := ask(event.Event{Op: op, Object: o, Old: old})
			var ee *lang.EvalError
			if err != nil && (ok || !errors.As(err, &ee)) {
				t.Fatalf("%v, %T: %v", ok, err, err)
			}
			if took := growth.ThreadTime() - start; took > worthMeasuring {
				free := 1000 + len(now) + len(then) // steps that nobody pays for
				paid := time.Duration(10 * maxStep * float64(e.Steps()+free) * float64(
					jsonReference()))
				if took > paid {
					t.Fatalf("took %s of processor time for %d steps, which pay for %s at most",
						took, e.Steps(), paid)
				}
			}
			again, err2 := ask(event.Event{Op: op, Object: o, Old: old})
			if !errors.Is(err, lang.ErrBudget) && !errors.Is(err2, lang.ErrBudget) &&
				(ok != again || (err == nil) != (err2 == nil)) {
				t.Fatalf("first %v, %v, then %v, %v", ok, err, again, err2)
			}
		}
	})
}

// askAboutMessage returns the question for an expression about messages. The data is the object's
// text.
func askAboutMessage(t *testing.T, e *eval.Evaluator, kind lang.Kind,
	data string) func(event.Event) (bool, error) {
	return func(ev event.Event) (bool, error) {
		m := filtertest.SampleMessage(t)
		m.Event, m.Data = ev, data
		if ev.Op == event.Resync {
			m.Event.Op, m.Rule, m.Data = 0, "", ""
		}
		switch kind {
		case lang.KindData:
			text, err := e.JSONOf(m)
			if err == nil && !json.Valid([]byte(text)) || err != nil && text != "" ||
				len(text) > lang.MaxBytes {
				t.Fatalf("%.200q, %v", text, err)
			}
			return text != "", err
		case lang.KindText:
			text, err := e.TextOf(m)
			if len(text) > lang.MaxText || err != nil && text != "" {
				t.Fatalf("%.200q, %v", text, err)
			}
			return text != "", err
		}
		return e.MatchMessage(m)
	}
}
