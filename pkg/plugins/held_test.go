package plugins

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/plugins/abi"
)

// What looks like a panic is logged by the crash alone that has it in its stack. If there is none,
// all of its lines are logged, in their order.
func TestHeldLines(t *testing.T) {
	long := strings.Repeat("x", maxLine+1)
	many := slices.Repeat([]string{strings.Repeat("y", maxLine)}, 2*maxHeld/maxLine)
	panicked := []string{"before", "panic: x", "goroutine 1 [running]:"}
	for _, test := range []struct {
		name, function string
		lines          []string
		said           []string // of the crash; nil: there is none
		want           []string
	}{
		{"a crash", abi.ExportOnEvent, panicked, panicked[1:], panicked[:1]},
		{"a crash of a batch", abi.ExportOnBatch, panicked, panicked[1:], panicked[:1]},
		{"no crash", abi.ExportOnEvent, panicked, nil, panicked},
		{"a crash for another reason", abi.ExportOnEvent, panicked, []string{"other words"},
			panicked},
		{"a crash with the beginning of it", abi.ExportOnEvent, panicked, panicked[1:2],
			panicked[:1]},
		{"a crash that is not logged", abi.ExportConfigure, panicked, panicked[1:], panicked},
		{"a line that is too long", abi.ExportOnEvent, []string{"panic: x", long, "end"},
			[]string{"panic: x", "x…", "end"}, []string{long}},
		{"too many lines", abi.ExportOnEvent, append([]string{"panic: x"}, many...),
			append([]string{"panic: x"}, many...), append([]string{"panic: x"}, many...)},
	} {
		var got []string
		h := heldLines{to: func(_ context.Context, line string) { got = append(got, line) }}
		for range 2 { // the second call is as the first
			got = nil
			h.inStack = false
			h.begin(test.function)
			for _, line := range test.lines {
				h.line(t.Context(), line)
			}
			if test.said != nil {
				h.crashed(test.said)
			}
			h.end(t.Context())
			if !slices.Equal(got, test.want) {
				t.Errorf("%s: got %q, want %q", test.name, got, test.want)
			}
		}
	}
}
