package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// sameSignal is how long after a signal another one counts as the same: timeout(1) sends one to the
// process, and the same again to its group.
const sameSignal = 100 * time.Millisecond

// stopOnSignal returns a context that the first SIGINT or SIGTERM ends. A later one ends the
// process, which may be waiting indefinitely. Each SIGHUP, which would end the process, is reported
// to a channel with room for one; without a channel it has its default effect. What the context
// does not end, such as reading a configuration from a pipe, comes before.
func stopOnSignal(parent context.Context, stderr io.Writer, hangup chan<- struct{}) (
	ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if hangup != nil {
		signal.Notify(signals, syscall.SIGHUP)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if heed(ctx, cancel, signals, hangup) {
			fmt.Fprintln(stderr, "informerd: stopped by a second signal, the rest is not finished")
			os.Exit(exitRun)
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(signals)
		<-done
		cancel()
	}
}

// heed calls cancel at the first signal, and passes hang-ups on, until signals is closed, which
// returns false, or there is a signal although ctx is done, which returns true.
func heed(ctx context.Context, cancel func(), signals <-chan os.Signal,
	hangup chan<- struct{}) bool {
	var first time.Time
	for s := range signals {
		switch {
		case s == syscall.SIGHUP:
			select {
			case hangup <- struct{}{}:
			default: // one is waiting
			}
		case ctx.Err() == nil:
			first = time.Now()
			cancel()
		case time.Since(first) >= sameSignal:
			return true
		}
	}
	return false
}
