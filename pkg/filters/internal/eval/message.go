package eval

import (
	"strings"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/values"
	"github.com/informerd/informerd/pkg/informer/object"
)

// MatchMessage reports whether an expression of [lang.KindWhen] is true of the message. An error
// is an [lang.EvalError], and the answer is unknown then.
func (e *Evaluator) MatchMessage(m *lang.Message) (bool, error) {
	return resultOf[bool](e.valueOf("MatchMessage", m))
}

// JSONOf returns the value of an expression of [lang.KindData] as the text of one JSON value: a
// field as it is in the object, a date, a duration, a quantity and the like as a text, and what
// is not a finite number as null. Members are sorted by name. An error is an [lang.EvalError].
func (e *Evaluator) JSONOf(m *lang.Message) (string, error) {
	return resultOf[string](e.valueOf("JSONOf", m))
}

// TextOf returns the text of an expression of [lang.KindText], as [Evaluator.Text] does, but up
// to [lang.MaxText] bytes and never cut: a longer one is an error. An error is an
// [lang.EvalError].
func (e *Evaluator) TextOf(m *lang.Message) (string, error) {
	return resultOf[string](e.valueOf("TextOf", m))
}

// valueOf is value for an expression about messages.
func (e *Evaluator) valueOf(method string, m *lang.Message) (any, error) {
	e.message = m
	return e.value(method, m.Event)
}

// addVariable adds a variable of messages and returns the name of the operation that reads it.
func (p *Program) addVariable(variable string) (name string, ok bool) {
	o, ok := messageVariables[variable]
	if !ok {
		return "", false
	}
	return p.add("@message."+variable, o), true
}

// messageVariables read the variables whose values are the message's. The cluster and the
// listener are, too: listeners share an output.
var messageVariables = map[string]operation{
	"cluster":   messageText(func(m *lang.Message) string { return m.Cluster }),
	"listener":  messageText(func(m *lang.Message) string { return m.Listener }),
	"resource":  messageText(func(m *lang.Message) string { return m.Resource }),
	"namespace": messageText(func(m *lang.Message) string { return m.Namespace }),
	"name":      messageText(func(m *lang.Message) string { return m.Name }),
	"uid":       messageText(func(m *lang.Message) string { return m.UID }),
	"type":      messageText(func(m *lang.Message) string { return m.Type }),
	"id":        messageText(func(m *lang.Message) string { return m.ID }),
	"subject":   messageText(func(m *lang.Message) string { return m.Subject }),

	"rule":     ofReport(func(m *lang.Message) any { return m.Rule }),
	"severity": ofReport(func(m *lang.Message) any { return m.Severity }),
	"message":  ofReport(func(m *lang.Message) any { return m.Message }),
	"violated": ofReport(func(m *lang.Message) any { return m.Violated }),
	"since":    ofReport(func(m *lang.Message) any { return m.Since }),
	"data":     {bind: func(e *Evaluator) any { return e.messageData }},
}

func messageText(of func(*lang.Message) string) operation {
	return operation{typeText, func(e *Evaluator) any {
		return func() string { return of(e.message) }
	}}
}

// ofReport is a value that is nil unless a rule reports.
func ofReport(of func(*lang.Message) any) operation {
	return operation{bind: func(e *Evaluator) any {
		return func() any {
			if e.message.Rule == "" {
				return nil
			}
			return of(e.message)
		}
	}}
}

// messageData returns the message's data, nil if it has none.
func (e *Evaluator) messageData() any {
	if e.data.generation != e.generation {
		e.charge(1 + len(e.message.Data)/scannedBytes)
		e.data = slot{e.generation, object.TrustedValue(e.message.Data)}
	}
	return values.Refer(&e.data.value)
}

// clusterLabels returns the labels of the message's cluster.
func (e *Evaluator) clusterLabels() any {
	labels := e.message.ClusterLabels
	e.charge(1 + len(labels))
	e.grow(itemBytes * len(labels))
	return labelsOf(labels)
}

// wholeText returns the value of a whole text.
func (e *Evaluator) wholeText(x any) string {
	e.load(x) // which pays
	text, ok := values.TextOf(x)
	switch {
	case !ok:
		fail("%s, this returned %s", e.program.Expression.Kind.Must(), values.TypeName(x))
	case len(text) > lang.MaxText:
		overBudget("the text has more than %d bytes", lang.MaxText)
	}
	return strings.Clone(text) // it is borrowed
}
