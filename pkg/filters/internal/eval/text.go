package eval

import (
	"strings"
	"unicode/utf8"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/values"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Text returns the text of an expression of [lang.KindMessage]. A number, true and false, a
// date, a duration and the like are written as texts, nil as "". A text of more than
// [lang.MaxMessage] bytes is cut and ends with "…". An error is an [lang.EvalError].
func (e *Evaluator) Text(ev event.Event) (string, error) {
	return resultOf[string](e.value("Text", ev))
}

// ellipsis ends a message that was too long.
const ellipsis = "…"

// messageText returns the value of a whole message.
func (e *Evaluator) messageText(x any) string {
	text, ok := values.TextOf(x)
	if !ok {
		fail("%s, this returned %s", lang.KindMessage.Must(), values.TypeName(x))
	}
	if len(text) > lang.MaxMessage {
		end := lang.MaxMessage - len(ellipsis)
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		return text[:end] + ellipsis
	}
	return strings.Clone(text) // it is borrowed
}

// string returns a value as a text.
func (e *Evaluator) string(x any) any {
	e.charge(1)
	if values.IsNil(x) {
		return nil
	}
	if v := e.load(x); v.Kind == values.KindText {
		return v.Text
	}
	text, ok := values.TextOf(x)
	if !ok {
		fail("string cannot take %s", values.TypeName(x))
	}
	e.grow(len(text))
	return text
}
