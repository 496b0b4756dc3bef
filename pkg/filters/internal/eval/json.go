package eval

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/informerd/informerd/pkg/filters/internal/values"
	"github.com/informerd/informerd/pkg/informer/object"
)

// json returns the value of the whole expression as JSON.
func (e *Evaluator) json(x any) string {
	w := jsonWriter{e: e}
	w.value(x)
	return w.text.String()
}

// jsonWriter writes values as JSON. It pays for each before it writes it.
type jsonWriter struct {
	e    *Evaluator
	text strings.Builder
}

func (w *jsonWriter) write(text string) {
	w.e.grow(len(text))
	w.text.WriteString(text)
}

func (w *jsonWriter) value(x any) {
	w.e.charge(1)
	switch x := x.(type) {
	case nil:
		w.write("null")
	case values.Ref:
		w.ref(x)
	case bool:
		w.write(strconv.FormatBool(x))
	case int:
		w.write(strconv.Itoa(x))
	case float64:
		w.float(x)
	case json.Number:
		w.write(string(x))
	case string:
		w.string(x)
	case []any:
		w.row("[", "]", len(x), func(i int) { w.value(x[i]) })
	case []int:
		w.row("[", "]", len(x), func(i int) { w.value(x[i]) })
	case map[string]any:
		w.e.charge(len(x))
		keys := slices.Sorted(maps.Keys(x))
		w.row("{", "}", len(x), func(i int) { w.string(keys[i]); w.write(":"); w.value(x[keys[i]]) })
	case time.Time:
		w.string(x.Format(time.RFC3339Nano))
	case time.Duration:
		w.string(values.DurationText(x))
	case values.Special:
		w.string(x.Text())
	default:
		fail("%s, this has a value of another type", w.e.program.Expression.Kind.Must())
	}
}

// ref writes a part of an object, as it is.
func (w *jsonWriter) ref(x values.Ref) {
	if x.Kind() <= object.Null {
		w.write("null")
		return
	}
	w.e.charge(len(x.Raw()) / writtenBytes)
	w.write(x.Raw())
}

// float writes a number as encoding/json does, one that is not finite as null.
func (w *jsonWriter) float(f float64) {
	text, err := json.Marshal(f)
	if err != nil {
		text = []byte("null")
	}
	w.write(string(text))
}

// row writes n items or members between brackets.
func (w *jsonWriter) row(first, last string, n int, item func(i int)) {
	w.write(first)
	for i := range n {
		if i > 0 {
			w.write(",")
		}
		item(i)
	}
	w.write(last)
}

const hexDigits = "0123456789abcdef"

// string writes a text. What JSON must have escaped is escaped; bytes that are not UTF-8 become
// U+FFFD.
func (w *jsonWriter) string(s string) {
	w.e.charge(len(s) / decodedBytes)
	w.e.grow(len(s))
	before := w.text.Len() + len(s)
	w.text.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			w.text.WriteByte('\\')
			w.text.WriteByte(byte(r))
		case r < ' ':
			w.text.WriteString(`\u00`)
			w.text.WriteByte(hexDigits[r>>4])
			w.text.WriteByte(hexDigits[r&15])
		default:
			w.text.WriteRune(r)
		}
	}
	w.text.WriteByte('"')
	w.e.grow(w.text.Len() - before)
}
