package filters

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/informerd/informerd/pkg/filters/internal/values"
	"github.com/informerd/informerd/pkg/informer/object"
)

// How many characters of a value are shown, and how many a machine gets.
const (
	shownValue = 80
	wholeValue = 10_000
)

// shortValue returns a value as it is shown.
func shortValue(x any) string { return valueText(x, shownValue) }

// valueText returns a value as JSON, or similar for what JSON does not have, cut after some
// characters. What a terminal would not print literally is escaped.
func valueText(x any, limit int) string {
	if values.IsNil(x) {
		return "nil"
	}
	w := shortener{room: limit, exact: limit > shownValue}
	w.value(x)
	if w.room < 0 {
		runes := []rune(w.b.String())
		return string(runes[:limit-1]) + "…"
	}
	return w.b.String()
}

// shortener writes until there is no room, and reads no more of a value than it can show.
type shortener struct {
	b     strings.Builder
	room  int  // characters
	exact bool // durations are written with all digits
}

func (w *shortener) write(s string) {
	w.room -= utf8.RuneCountInString(s)
	w.b.WriteString(s)
}

func (w *shortener) value(x any) {
	switch v := values.Load(x); v.Kind {
	case values.KindNil:
		w.write("null")
	case values.KindBool:
		w.write(strconv.FormatBool(v.Bool))
	case values.KindInt:
		w.write(strconv.Itoa(v.Int))
	case values.KindFloat:
		w.float(x, v.Float)
	case values.KindText:
		w.text(v.Text)
	default:
		w.composed(x)
	}
}

// float writes all digits of an object's number, of which float64 may not hold all.
func (w *shortener) float(x any, f float64) {
	if r, ok := x.(values.Ref); ok {
		w.write(r.Raw())
		return
	}
	w.write(strconv.FormatFloat(f, 'g', -1, 64))
}

func (w *shortener) composed(x any) {
	switch x := x.(type) {
	case values.Ref:
		w.json(*x.Value)
	case []any:
		w.row("[", "]", len(x), func(i int) { w.value(x[i]) })
	case []int:
		w.row("[", "]", len(x), func(i int) { w.value(x[i]) })
	case map[string]any:
		keys := slices.Sorted(maps.Keys(x))
		w.row("{", "}", len(x), func(i int) { w.text(keys[i]); w.write(":"); w.value(x[keys[i]]) })
	case time.Time:
		w.text(x.Format(time.RFC3339Nano))
	case time.Duration:
		if !w.exact && x.Abs() >= 100*time.Millisecond {
			x = x.Round(time.Millisecond)
		}
		w.text(values.DurationText(x))
	case failure:
		w.write(failedValue)
	default:
		w.other(x)
	}
}

// other is for values of functions that have none of the types above.
func (w *shortener) other(x any) {
	text := values.TypeName(x)
	defer func() {
		_ = recover() // in the value's own methods
		w.text(text)
	}()
	switch x := x.(type) {
	case values.Special:
		text = x.Text()
	case fmt.Stringer:
		text = x.String()
	}
}

// json writes an array or an object.
func (w *shortener) json(v object.Value) {
	first, last, n := "[", "]", 0
	if v.Kind() == object.ObjectKind {
		first, last = "{", "}"
	}
	w.write(first)
	v.Each(func(item object.Value) bool {
		w.comma(n)
		n++
		w.value(values.Ref{Value: &item})
		return w.room >= 0
	})
	v.EachMember(func(key string, member object.Value) bool {
		w.comma(n)
		n++
		w.text(key)
		w.write(":")
		w.value(values.Ref{Value: &member})
		return w.room >= 0
	})
	w.write(last)
}

// row writes n items or members between brackets.
func (w *shortener) row(first, last string, n int, item func(i int)) {
	w.write(first)
	for i := 0; i < n && w.room >= 0; i++ {
		w.comma(i)
		item(i)
	}
	w.write(last)
}

func (w *shortener) comma(i int) {
	if i > 0 {
		w.write(",")
	}
}

// text writes as much of a text as there is room for. No character is longer than four
// bytes.
func (w *shortener) text(s string) {
	if limit := utf8.UTFMax * (w.room + 1); w.room >= 0 && len(s) > limit {
		s = s[:limit]
	}
	if w.room >= 0 {
		w.write(strconv.Quote(s))
	}
}

// printable escapes what a terminal would not print literally, and makes one space of white
// space.
func printable(s string) string {
	var b strings.Builder
	space := false
	for _, r := range s {
		if unicode.IsSpace(r) {
			space = true
			continue
		}
		if space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		space = false
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}
