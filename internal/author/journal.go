package author

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
)

// journal is a log handler that collects what a module writes.
type journal struct {
	mu    sync.Mutex // guards what follows
	lines []string
}

var _ slog.Handler = (*journal)(nil)

// take returns what the module has written since the last call, as in "info: text" or "stdout:
// text".
func (j *journal) take() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	lines := j.lines
	j.lines = nil
	return lines
}

// Enabled returns true: the grant of a module bounds its levels.
func (j *journal) Enabled(context.Context, slog.Level) bool { return true }

// WithAttrs ignores attributes: there is one module.
func (j *journal) WithAttrs([]slog.Attr) slog.Handler { return j }

// WithGroup ignores groups.
func (j *journal) WithGroup(string) slog.Handler { return j }

// Handle collects a line of the module, and omits those of the host.
func (j *journal) Handle(_ context.Context, r slog.Record) error {
	from, rest := "", ""
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "from":
			from = a.Value.String()
		case "suppressed":
			rest = fmt.Sprintf(" (%s lines before it were too many)", a.Value)
		}
		return true
	})
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case from == "handler":
		j.lines = append(j.lines, strings.ToLower(r.Level.String())+": "+r.Message+rest)
	case strings.HasPrefix(from, "handler std"):
		j.lines = append(j.lines, strings.TrimPrefix(from, "handler ")+": "+r.Message+rest)
	}
	return nil
}
