package filters

import (
	"errors"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/informerd/informerd/pkg/informer/event"
)

// Text returns the text that an expression of [KindMessage] makes of an event, of a long one the
// beginning and "…", MaxMessage bytes at most. A number, true and false, a date, a duration and the
// like are written as texts, nil as "". An error is an [*EvalError].
func (e *Evaluator) Text(ev event.Event) (string, error) {
	if e.program.Expression.Kind != KindMessage {
		return "", evalError(e.program.Expression,
			&fault{message: "this expression is no message and gives no text"})
	}
	result, err := e.Run(ev)
	if err != nil {
		return "", err
	}
	text, _ := result.(string)
	return text, nil
}

// notText refuses what is known to be a list or an object.
func notText(result reflect.Type) error {
	switch result.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return errors.New(KindMessage.must() + ", this returns " +
			typeWords.Replace(result.String()))
	}
	return nil
}

// ellipsis ends a message that was too long.
const ellipsis = "…"

// message is the value of the whole expression.
func (e *Evaluator) message(x any) string {
	text, ok := textOf(x)
	if !ok {
		fail("%s, this returned %s", KindMessage.must(), typeName(x))
	}
	if len(text) > MaxMessage {
		end := MaxMessage - len(ellipsis)
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		return text[:end] + ellipsis
	}
	return strings.Clone(text) // it is only lent
}

// string writes a value as a text.
func (e *Evaluator) string(x any) any {
	e.charge(1)
	if isNil(x) {
		return nil
	}
	if v := e.load(x); v.kind == kindText {
		return v.s
	}
	text, ok := textOf(x)
	if !ok {
		fail("string cannot take %s", typeName(x))
	}
	e.grow(len(text))
	return text
}

// textOf writes what has a form as a text; lists and objects have none.
func textOf(x any) (string, bool) {
	switch v := load(x); v.kind {
	case kindNil:
		return "", true
	case kindText:
		return v.s, true
	case kindBool:
		return strconv.FormatBool(v.b), true
	case kindInt:
		return strconv.Itoa(v.i), true
	case kindFloat:
		if size := math.Abs(v.f); size != 0 && (size < 1e-6 || size >= 1e21) {
			return strconv.FormatFloat(v.f, 'g', -1, 64), true
		}
		return strconv.FormatFloat(v.f, 'f', -1, 64), true
	}
	switch x := x.(type) {
	case time.Time:
		return x.Format(time.RFC3339Nano), true
	case time.Duration:
		return x.String(), true
	case special:
		return x.text(), true
	}
	return "", false
}
