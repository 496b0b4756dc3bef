package daemon

import (
	"context"
	"log/slog"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/pkg/plugins"
)

// loadBackoff is the range of the delays between attempts to load a handler or to start its
// instances, as between the trials of one that keeps crashing.
var loadBackoff = backoff.Backoff{Min: time.Second, Max: time.Minute}

// loadRest is how many times as long as an attempt the delay after it is at least, so that
// compiling a module in vain takes a tenth of a processor at most.
const loadRest = 9

// load loads the listener's handler, if it has one that is not loaded yet. It tries until it
// succeeds or ctx ends. The other listeners do not wait for it.
func (l *listener) load(ctx context.Context, host *plugins.Host, log *slog.Logger) error {
	m := l.setup().module
	if m == nil || m.spec == nil {
		return nil
	}
	l.health.Loading()
	begun := time.Now()
	err := l.untilItWorks(ctx, log, func() error { return m.load(ctx, host) })
	if err == nil {
		log.Info("handler loaded", "listener", l.name, "in",
			time.Since(begun).Round(time.Millisecond))
	}
	return err
}

// hasHandler waits until the listener's handler is loaded, if it has one, or ctx ends. It reports
// whether it is.
func (l *listener) hasHandler(ctx context.Context) bool {
	select {
	case <-l.loaded:
	case <-ctx.Done():
	}
	select {
	case <-l.loaded: // even if ctx has ended: events that are there are finished
		return true
	default:
		return false
	}
}

// untilItWorks calls try until it succeeds, with increasing delays, or ctx ends. Each error is
// logged once, and is the listener's health meanwhile.
func (l *listener) untilItWorks(ctx context.Context, log *slog.Logger, try func() error) error {
	logged := ""
	for failures := 1; ; failures++ {
		begun := time.Now()
		err := try()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		l.health.Handler(err)
		if err == nil {
			return nil
		}
		pause := max(loadBackoff.Delay(failures), loadRest*time.Since(begun))
		if logged != err.Error() {
			logged = err.Error()
			log.Error("listener failed, will try again", "listener", l.name, "in",
				pause.Round(time.Second), "error", err)
		}
		if err := backoff.Sleep(ctx, pause); err != nil {
			return err
		}
	}
}
