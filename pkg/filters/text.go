package filters

import (
	"math"
	"strconv"
	"time"
)

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
