package kube

import (
	"context"
	"log/slog"
	"sync"
)

// maxWarnings bounds the different warnings that are logged, so that a server that always sends new
// ones does not fill the memory.
const maxWarnings = 1000

// warnings logs the warnings that come with the server's answers, such as that an API version is
// deprecated: each text once, since they come with every answer.
type warnings struct {
	logger *slog.Logger

	mu   sync.Mutex
	seen map[string]bool
}

// HandleWarningHeaderWithContext implements rest.WarningHandlerWithContext.
func (w *warnings) HandleWarningHeaderWithContext(ctx context.Context, code int, _ string,
	text string) {
	// 299 is the only code the API server uses, as client-go's own handlers have it.
	if code != 299 || text == "" || !w.first(text) {
		return
	}
	w.logger.WarnContext(ctx, "API server warning", "warning", text)
}

func (w *warnings) first(text string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen[text] || len(w.seen) >= maxWarnings {
		return false
	}
	if w.seen == nil {
		w.seen = map[string]bool{}
	}
	w.seen[text] = true
	return true
}
