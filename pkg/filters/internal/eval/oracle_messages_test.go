package eval_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/expr-lang/expr/parser"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/event"
)

// generatedMessage is a message about an event, every other one a rule's report, and what the
// oracle knows of it.
func generatedMessage(t *testing.T, g *generator) (*lang.Message, map[string]any) {
	t.Helper()
	m := &lang.Message{Event: generatedEvent(t, g), Cluster: g.pick("c", "a"), Listener: "l",
		ClusterLabels: []map[string]string{nil, oracleLabels}[g.r.Intn(2)],
		Resource:      g.pick("pods", "deployments.apps"), Namespace: g.pick("", "a", "é"), Name: "ab",
		UID: "u", Type: "t", ID: "i", Subject: "pods/a/ab"}
	vars := map[string]any{
		"listener": "l", "resource": m.Resource, "namespace": m.Namespace,
		"name": "ab", "uid": "u", "type": "t", "id": "i", "subject": "pods/a/ab",
	}
	if g.r.Intn(2) == 0 {
		m.Rule, m.Severity, m.Message, m.Violated = "a", g.pick("high", "b"), "1", g.r.Intn(2) == 0
		m.Since = oracleTime.Add(-time.Minute)
		vars["rule"], vars["severity"], vars["message"] = m.Rule, m.Severity, m.Message
		vars["violated"], vars["since"] = m.Violated, m.Since
		if g.r.Intn(4) == 0 {
			m.Event.Op, m.Event.Old = 0, nil
		}
	}
	if g.r.Intn(3) > 0 {
		m.Data = g.pick("", " ", "\n") + g.value(3) + g.pick("", "\t")
		vars["data"] = decodeJSON(m.Data)
	}
	return m, vars
}

// ofMessages puts variables of messages into an expression, in the place of some of its operands.
func (g *generator) ofMessages(text string) string {
	for _, operand := range []string{"missed", `"a"`, "object.spec", "1000", `"1Gi"`} {
		by := g.pick(lang.MessageVariables...)
		if by == "data" {
			by = g.pick("data", "data.a", "data[0]", `data["a.b/c"]`, "data[object.x]")
		}
		if g.r.Intn(2) == 0 {
			text = strings.Replace(text, operand, by, 1+g.r.Intn(2))
		}
	}
	return text
}

// sameAsJSON compares a value of the oracle with the one that is sent.
func sameAsJSON(want, sent any) bool {
	switch want := want.(type) {
	case nil, bool, string:
		return want == sent
	case int, float64:
		if f := floatOf(want); math.IsNaN(f) || math.IsInf(f, 0) && sent == nil {
			return sent == nil
		}
		return isNumber(sent) && floatOf(want) == floatOf(sent)
	case []any:
		list, ok := sent.([]any)
		if !ok || len(list) != len(want) {
			return false
		}
		for i := range list {
			if !sameAsJSON(want[i], list[i]) {
				return false
			}
		}
		return true
	case members:
		object, ok := sent.(members)
		if !ok || len(object.values) != len(want.values) {
			return false
		}
		for key, value := range want.values {
			if got, ok := object.values[key]; !ok || !sameAsJSON(value, got) {
				return false
			}
		}
		return true
	case time.Time:
		return sent == want.Format(time.RFC3339Nano)
	case time.Duration:
		return sent == textOfDuration(want)
	}
	_, ok := sent.(string) // a quantity and the like
	return ok
}

// valueOf returns the oracle's value of an expression; known is false if the oracle cannot tell.
func (o *oracle) valueOf(text string) (value any, fails, known bool) {
	tree, err := parser.Parse(text)
	if err != nil {
		return nil, false, false
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case undefined:
			value, fails, known = nil, true, true
		case unsupported:
			known = false
		default:
			panic(r)
		}
	}()
	return o.eval(tree.Node), false, true
}

// What an output sends is what the oracle says, and fails where it fails. Whether an output wants a
// message, its data and its text do not contradict each other.
func TestMessagesSameAsTheOracle(t *testing.T) {
	compared, lists, fails, refused := 0, 0, 0, 0
	generated(t, func(t *testing.T, g *generator) {
		m, vars := generatedMessage(t, g)
		for range 12 {
			text := g.ofMessages(g.expression(1+g.r.Intn(3), 0, 0))
			f, err := filters.Compile(lang.Expression{Text: text, Kind: lang.KindData})
			if err != nil {
				refused++
				continue
			}
			o := oracleOf(m.Event, oracleTime, nil)
			if o.vars["op"] = ""; m.Event.Op != 0 {
				o.vars["op"] = m.Event.Op.String()
			}
			for name, value := range vars {
				o.vars[name] = value
			}
			o.setCluster(m.Cluster, m.ClusterLabels)
			e := f.Evaluator()
			e.Clock = func() time.Time { return oracleTime }
			got, err := e.JSONOf(m)
			want, wantFails, known := o.valueOf(text)
			heldAgainstOtherKinds(t, text, m, got, err)
			switch {
			case !known || errors.Is(err, lang.ErrBudget):
				continue
			case wantFails || err != nil:
				if fails++; !wantFails || got != "" {
					t.Errorf("%s: %s, %v, want %v", text, got, err, want)
				}
			case !json.Valid([]byte(got)):
				t.Errorf("%s: %q is not JSON", text, got)
			default:
				if sent := decodeJSON(got); !sameAsJSON(want, sent) {
					t.Errorf("%s\n  sends %s\n  of %v\n  object %s\n  data %s", text, got, want,
						m.Event.Object.JSON(), m.Data)
				} else if _, isText := sent.(string); !isText && len(got) > len("false") {
					lists++
				}
			}
			compared++
		}
	})
	t.Logf("%d compared, %d long, %d failed, %d refused", compared, lists, fails, refused)
	if !t.Failed() && (compared < 200 || lists < 5) {
		t.Error("too few")
	}
}

// heldAgainstOtherKinds asks the same expression whether and as what text it is sent.
func heldAgainstOtherKinds(t *testing.T, text string, m *lang.Message, sent string, failed error) {
	t.Helper()
	if f, err := filters.Compile(lang.Expression{Text: text, Kind: lang.KindWhen}); err == nil {
		e := f.Evaluator()
		e.Clock = func() time.Time { return oracleTime }
		ok, wrong := e.MatchMessage(m)
		isBool := sent == "true" || sent == "false"
		if failed == nil && sent != "null" && // which is also infinite
			((wrong == nil) != isBool || ok != (sent == "true")) {
			t.Errorf("%s: %v, %v, and its data is %s", text, ok, wrong, sent)
		}
		if f, err := filters.Compile(lang.Expression{Text: text, Cluster: m.Cluster,
			ClusterLabels: m.ClusterLabels, Listener: m.Listener}); err == nil && m.Event.Op != 0 {
			e := f.Evaluator()
			e.Clock = func() time.Time { return oracleTime }
			if same, err2 := e.Match(m.Event); same != ok || (wrong == nil) != (err2 == nil) {
				t.Errorf("%s: %v, %v as a filter, %v, %v as when", text, same, err2, ok, wrong)
			}
		}
	}
	f, err := filters.Compile(lang.Expression{Text: text, Kind: lang.KindText})
	if err != nil {
		return
	}
	e := f.Evaluator()
	e.Clock = func() time.Time { return oracleTime }
	got, err := e.TextOf(m)
	if want, ok := decodedText(sent); ok && failed == nil && (err != nil || got != want) {
		t.Errorf("%s: %q, %v, and its data is %s", text, got, err, sent)
	}
}

// decodedText returns the text that JSON is, false if it is something else.
func decodedText(text string) (string, bool) {
	var s string
	if !strings.HasPrefix(text, `"`) || json.Unmarshal([]byte(text), &s) != nil ||
		strings.Contains(text, `\ud8`) { // half a character
		return "", false
	}
	return s, true
}

// An error of an output's expression holds nothing of the object, of the report or of the data.
func TestErrorsHaveNothingOfTheMessage(t *testing.T) {
	failed := map[string]bool{}
	generated(t, func(t *testing.T, g *generator) {
		m, _ := generatedMessage(t, g)
		const secret = "hunter2"
		m.Event = event.Event{Op: event.Add, Object: m.Event.Object}
		m.Name, m.Namespace, m.Rule, m.Message, m.Severity = secret, secret, secret, secret, secret
		m.Data = `{"a":"hunter2(","hunter2":["hunter2"],"hunter3":{"hunter2":4242424242}}`
		for range 8 {
			text := g.ofMessages(g.expression(1+g.r.Intn(2), 0, 0))
			for _, kind := range []lang.Kind{lang.KindWhen, lang.KindData, lang.KindText} {
				f, err := filters.Compile(lang.Expression{Text: text, Kind: kind})
				if err != nil {
					continue
				}
				switch e := f.Evaluator(); kind {
				case lang.KindWhen:
					_, err = e.MatchMessage(m)
				case lang.KindData:
					_, err = e.JSONOf(m)
				default:
					_, err = e.TextOf(m)
				}
				if err == nil {
					continue
				}
				var failure *lang.EvalError
				if message := err.Error(); !errors.As(err, &failure) ||
					strings.Contains(message, "hunter") || strings.Contains(message, "4242") {
					t.Fatalf("%s: %v", text, err)
				}
				failed[failure.Message] = true
			}
		}
	})
	if len(failed) < 10 && !t.Failed() {
		t.Errorf("only %d different errors", len(failed))
	}
}
