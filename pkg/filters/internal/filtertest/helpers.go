package filtertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// NewObject parses one object; apiVersion, kind and name may be left out.
func NewObject(t testing.TB, text string) *object.Object {
	t.Helper()
	p := object.Parser{APIVersion: "v1", Kind: "Pod"}
	if !strings.Contains(text, `"name"`) {
		if strings.Contains(text, `"metadata":{`) {
			text = strings.Replace(text, `"metadata":{`, `"metadata":{"name":"web-1",`, 1)
			text = strings.Replace(text, `"web-1",}`, `"web-1"}`, 1)
		} else {
			text = `{"metadata":{"name":"web-1"},` + strings.TrimPrefix(text, "{")
			text = strings.Replace(text, `,}`, `}`, 1)
		}
	}
	o, err := p.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return o
}

func Compile(t testing.TB, text string) *filters.Filter {
	t.Helper()
	f, err := filters.Compile(lang.Expression{Text: text, File: "config.yaml", Line: 12,
		Listener: "crash-loops"})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return f
}

// Match compiles and runs one expression.
func Match(t testing.TB, text string, ev event.Event) (bool, error) {
	t.Helper()
	return Compile(t, text).Evaluator().Match(ev)
}

// LargePod is a pod of about 10 KB as an API server writes it: the status comes after a long spec.
func LargePod(restarts int) string {
	var env strings.Builder
	for i := range 115 {
		if i > 0 {
			env.WriteByte(',')
		}
		fmt.Fprintf(&env, `{"name":"SETTING_%d","value":"a value of ordinary length, number %d"}`,
			i, i)
	}
	conditions := strings.TrimSuffix(
		strings.Repeat(`{"type":"Ready","status":"True","lastProbeTime":null,"lastTransitionTime":"2026-01-02T03:04:05Z"},`, 4), ",")
	return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-7d9c5b5d5f-x2x4z","generateName":"web-7d9c5b5d5f-",` +
		`"namespace":"shop","uid":"6f2b8f52-5b1c-4b7e-9d5f-0d2f6a3e8b11","resourceVersion":"184467","creationTimestamp":"2026-01-02T03:04:05Z",` +
		`"labels":{"app":"web","pod-template-hash":"7d9c5b5d5f","tier":"frontend"},"annotations":{"checksum/config":"` + strings.Repeat("0123456789abcdef", 4) + `"},` +
		`"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-7d9c5b5d5f","uid":"9d5f","controller":true,"blockOwnerDeletion":true}]},` +
		`"spec":{"volumes":[{"name":"data","emptyDir":{}}],"containers":[{"name":"web","image":"registry.example.com/shop/web:1.2.3","env":[` + env.String() +
		`],"resources":{"limits":{"cpu":"500m","memory":"256Mi"}},"imagePullPolicy":"IfNotPresent"},{"name":"proxy","image":"registry.example.com/mesh/proxy:2.0.0"}],` +
		`"restartPolicy":"Always","nodeName":"node-17","serviceAccountName":"web"},"status":{"phase":"Running","conditions":[` + conditions +
		`],"hostIP":"10.0.0.17","podIP":"10.1.4.9","startTime":"2026-01-02T03:04:05Z","containerStatuses":[` +
		fmt.Sprintf(`{"name":"web","state":{"running":{"startedAt":"2026-01-02T03:04:05Z"}},"lastState":{},"ready":true,"restartCount":%d,"image":"registry.example.com/shop/web:1.2.3"},`, restarts) +
		`{"name":"proxy","state":{"running":{"startedAt":"2026-01-02T03:04:05Z"}},"lastState":{},"ready":true,"restartCount":0,"image":"registry.example.com/mesh/proxy:2.0.0"}],"qosClass":"Burstable"}}`
}

// reporter is a test, or a run of one on drawn values.
type reporter interface {
	Fatalf(format string, args ...any)
}

// Explain evaluates an event, and returns the values of the expression's parts.
func Explain(t reporter, f *filters.Filter, ev event.Event,
	caches lang.Caches) filters.Explanation {
	return explained(t, f, func(e *filters.Evaluator) {
		e.Caches = caches
		_, _ = e.Match(ev) // one of both is for the kind of the expression
		_, _ = e.Text(ev)
	})
}

// ExplainMessage is Explain for an expression that looks at a message.
func ExplainMessage(t reporter, f *filters.Filter, m *lang.Message) filters.Explanation {
	return explained(t, f, func(e *filters.Evaluator) {
		_, _ = e.MatchMessage(m) // one of them is for the kind of the expression
		_, _ = e.JSONOf(m)
		_, _ = e.TextOf(m)
	})
}

func explained(t reporter, f *filters.Filter,
	evaluate func(*filters.Evaluator)) (x filters.Explanation) {
	recorded, err := f.Recorded(func(_ event.Event, is filters.Explanation) { x = is })
	if err != nil {
		t.Fatalf("%v", err)
	}
	evaluate(recorded.Evaluator())
	return x
}
