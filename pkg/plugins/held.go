package plugins

import (
	"context"
	"slices"

	"github.com/informerd/informerd/pkg/plugins/abi"
)

// maxHeld is how many bytes of a panic are held; that of Go with all of its goroutines has half of
// it.
const maxHeld = 4 * maxOutput

// heldLines keeps the lines of a panic back from the log until the call that wrote them has ended:
// a crash has them in its stack, as far as they fit, and no line of it is logged twice. If nothing
// crashed, or they are more than a panic has, they are logged after all.
type heldLines struct {
	to      func(ctx context.Context, line string)
	holding bool // a panic that begins is held
	lines   []string
	size    int
	inStack bool // the guest has crashed with them
}

// begin is called before a function is. Only the crashes of some are logged with a stack.
func (h *heldLines) begin(function string) {
	h.holding = function == abi.ExportOnEvent || function == abi.ExportOnBatch ||
		function == abi.ExportStart
}

// line takes a complete one.
func (h *heldLines) line(ctx context.Context, line string) {
	switch {
	case h.inStack:
	case !h.holding || len(h.lines) == 0 && !isPanic(line):
		h.to(ctx, line)
	case h.size+len(line) > maxHeld:
		h.end(ctx)
		h.to(ctx, line)
	default:
		h.lines = append(h.lines, line)
		h.size += len(line) + 1
	}
}

// crashed drops the held lines if a crash has them in its stack. The guest is at its end then.
// Lines that are shortened there stay.
func (h *heldLines) crashed(stack []string) {
	if h.holding && len(stack) > 0 && isPanic(stack[0]) {
		h.inStack = true
		h.lines = slices.DeleteFunc(h.lines, func(line string) bool {
			return len(line) <= maxLine
		})
	}
}

// end is called when the call has ended. It logs what is held.
func (h *heldLines) end(ctx context.Context) {
	lines := h.lines
	h.holding, h.lines, h.size = false, nil, 0
	for _, line := range lines {
		h.to(ctx, line)
	}
}
