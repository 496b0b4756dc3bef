package filters

import (
	"errors"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
)

// Whatever the expression and the objects: no panic, errors of the promised kinds, no run far over its time.
func FuzzMatch(f *testing.F) {
	for _, text := range trueExpressions {
		f.Add(text, after, before)
	}
	for _, text := range []string{
		`any(object.spec.list, any(object.spec.list, any(object.spec.list, # < 0)))`, `object.spec.text + object.spec.text matches "(a*)*b"`, `1..9999999999`,
		`let a = object; let b = [a, a]; b == b`, `object[object]`, `object.spec.list[object.spec.half]`, `((((((`, `$env["@get"]`, `object?.["x"]?.y`, `find(object.spec.list, # > 9).x.y == nil`,
	} {
		f.Add(text, after, `{"metadata":{"name":"x"}}`)
		f.Add(text, `{"metadata":{"name":"x"},"spec":[null,[],{},"",0,1e999,-0,{"":{"":""}}]}`, after)
	}
	f.Fuzz(func(t *testing.T, text, now, then string) {
		filter, err := Compile(Source{Text: text})
		if err != nil {
			var ce *CompileError
			if !errors.As(err, &ce) {
				t.Fatalf("%T: %v", err, err)
			}
			_ = err.Error()
			return
		}
		p := event.Parser{APIVersion: "v1", Kind: "Pod"}
		o, err1 := p.Parse([]byte(now))
		old, err2 := p.Parse([]byte(then))
		if err1 != nil || err2 != nil {
			return
		}
		e := filter.Evaluator()
		for _, op := range event.Ops {
			start := time.Now()
			ok, err := e.Match(event.Event{Op: op, Object: o, Old: old})
			var ee *EvalError
			if err != nil && (ok || !errors.As(err, &ee)) {
				t.Fatalf("%v, %T: %v", ok, err, err)
			}
			if took := time.Since(start); took > 2*time.Second {
				t.Fatalf("took %s", took)
			}
			again, err2 := e.Match(event.Event{Op: op, Object: o, Old: old})
			if !errors.Is(err, ErrBudget) && !errors.Is(err2, ErrBudget) && (ok != again || (err == nil) != (err2 == nil)) {
				t.Fatalf("first %v, %v, then %v, %v", ok, err, again, err2)
			}
		}
	})
}
