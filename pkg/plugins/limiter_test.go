package plugins

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/plugins/abi"
)

func TestLimiter(t *testing.T) {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	l := limiter{perSecond: 2}
	type answer struct {
		ok         bool
		suppressed int
	}
	var got []answer
	ask := func(after time.Duration, times int) {
		for range times {
			ok, suppressed := l.allow(begin.Add(after))
			got = append(got, answer{ok, suppressed})
		}
	}
	ask(0, 12)                    // a Burst of 10, then two too many
	ask(400*time.Millisecond, 1)  // not yet
	ask(500*time.Millisecond, 2)  // one
	ask(time.Hour, 11)            // a Burst again, not more for the long pause
	ask(time.Hour-time.Second, 1) // a clock that went back
	ask(time.Hour+time.Second/2, 1)
	var want []answer
	add := func(n int, a answer) {
		for range n {
			want = append(want, a)
		}
	}
	add(10, answer{true, 0})
	add(3, answer{false, 0})
	add(1, answer{true, 3})
	add(1, answer{false, 0})
	add(1, answer{true, 1})
	add(9, answer{true, 0})
	add(2, answer{false, 0})
	add(1, answer{true, 2})
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestLines(t *testing.T) {
	var got []string
	l := lines{to: func(_ context.Context, line string) { got = append(got, line) }}
	long := strings.Repeat("x", abi.MaxLogLine+10)
	for _, part := range []string{"a\nb", "c\n\n", "\n", long[:4000], long[4000:], "\nend"} {
		l.write(t.Context(), []byte(part))
	}
	l.flush(t.Context())
	l.flush(t.Context())
	if want := []string{"a", "bc", long[:abi.MaxLogLine], "end"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
}
