package author

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
)

// journal is a log handler that collects what a module and its host write.
type journal struct {
	mu    sync.Mutex // guards what follows
	guest []string
	host  []string
}

var _ slog.Handler = (*journal)(nil)

// take returns what was written since the last call: by the module, as in "info: text" or "stdout:
// text", and by the host.
func (j *journal) take() (guest, host []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	guest, host = j.guest, j.host
	j.guest, j.host = nil, nil
	return guest, host
}

// Enabled returns true: the grant of a module bounds its levels.
func (j *journal) Enabled(context.Context, slog.Level) bool { return true }

// WithAttrs ignores attributes: there is one module.
func (j *journal) WithAttrs([]slog.Attr) slog.Handler { return j }

// WithGroup ignores groups.
func (j *journal) WithGroup(string) slog.Handler { return j }

// Handle collects a line. It omits crashes and failed requests, which are in the event's result,
// and the host's debug lines.
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
		j.guest = append(j.guest, strings.ToLower(r.Level.String())+": "+r.Message+rest)
	case strings.HasPrefix(from, "handler std"):
		j.guest = append(j.guest, strings.TrimPrefix(from, "handler ")+": "+r.Message+rest)
	case r.Level >= slog.LevelInfo && r.Message != "handler crashed" && from != "handler http":
		j.host = append(j.host, r.Message)
	}
	return nil
}
