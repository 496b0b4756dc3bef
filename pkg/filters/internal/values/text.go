package values

import (
	"math"
	"strconv"
	"time"
)

// TextOf returns a value as a text, false for a list or an object.
func TextOf(x any) (string, bool) {
	switch v := Load(x); v.Kind {
	case KindNil:
		return "", true
	case KindText:
		return v.Text, true
	case KindBool:
		return strconv.FormatBool(v.Bool), true
	case KindInt:
		return strconv.Itoa(v.Int), true
	case KindFloat:
		if size := math.Abs(v.Float); size != 0 && (size < 1e-6 || size >= 1e21) {
			return strconv.FormatFloat(v.Float, 'g', -1, 64), true
		}
		return strconv.FormatFloat(v.Float, 'f', -1, 64), true
	}
	switch x := x.(type) {
	case time.Time:
		return x.Format(time.RFC3339Nano), true
	case time.Duration:
		return DurationText(x), true
	case Special:
		return x.Text(), true
	}
	return "", false
}
