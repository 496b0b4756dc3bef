package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/pkg/plugins"
)

// The pauses between two tries to load a handler, or to start its instances: they double from the
// one to the other, as those of a handler that keeps crashing. A try that took long is followed by
// a pause that is nine times as long, so that compiling a module in vain takes a tenth of a
// processor at most.
var loadBackoff = backoff.Backoff{Min: time.Second, Max: time.Minute}

const loadRest = 9

// loadDelay returns the delay after a number of failed attempts, of which the last took so long.
func loadDelay(failures int, took time.Duration) time.Duration {
	return max(loadBackoff.Delay(failures), loadRest*took)
}

// load loads the listener's handler, if it has one that is not loaded yet. What goes wrong is tried
// again until ctx ends. The other listeners do not wait for it.
func (l *listener) load(ctx context.Context, host *plugins.Host, log *slog.Logger) error {
	if l.spec == nil {
		return nil
	}
	l.health.loading()
	begun := time.Now()
	err := l.untilItWorks(ctx, log, func() (err error) {
		l.route.Handler, err = host.Load(ctx, *l.spec)
		return err
	})
	if err == nil {
		l.spec = nil // with the module's bytes
		log.Info("handler loaded", "listener", l.cfg.Name, "in",
			time.Since(begun).Round(time.Millisecond))
	}
	return err
}

// hasHandler waits until the listener's handler is loaded, if it is to have one, or ctx ends.
func (l *listener) hasHandler(ctx context.Context) bool {
	select {
	case <-l.loaded:
	case <-ctx.Done():
	}
	select {
	case <-l.loaded: // even if the daemon stops now: what has come is finished
		return true
	default:
		return false
	}
}

// untilItWorks tries something again and again, with pauses, until ctx ends. What goes wrong is
// logged once for each text, and is what the listener's health says meanwhile.
func (l *listener) untilItWorks(ctx context.Context, log *slog.Logger, try func() error) error {
	logged := ""
	for failures := 1; ; failures++ {
		begun := time.Now()
		err := try()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		l.health.handler(err)
		if err == nil {
			return nil
		}
		pause := loadDelay(failures, time.Since(begun))
		if logged != err.Error() {
			logged = err.Error()
			log.Error("listener failed, will try again", "listener", l.cfg.Name, "in",
				pause.Round(time.Second), "error", err)
		}
		if err := backoff.Sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// run runs the route until its source has stopped, or working ends. Instances that cannot be
// started are tried again until ctx ends, which is before that.
func (l *listener) run(ctx, working context.Context, log *slog.Logger) {
	_ = l.untilItWorks(ctx, log, func() error {
		err := l.route.Run(working)
		if working.Err() != nil {
			return nil
		}
		return err
	})
}

// readModule reads a handler's file of at most so many bytes. It reads nothing but regular files,
// since others may never end.
func readModule(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path) // opening one may never end, either
	switch {
	case err != nil:
		return nil, fmt.Errorf("open %s: %s", path, withoutPath(err))
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	case info.Size() > most:
		return nil, tooLarge(path, info.Size(), most)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, info.Size())
	n, err := io.ReadFull(f, data)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil // it became shorter, which is seen when it is parsed
	}
	return data[:n], err
}

func tooLarge(path string, size, most int64) error {
	return fmt.Errorf("%s has %d bytes, at most %d are allowed: raise limits.module", path, size,
		most)
}

// checkDigest compares a module with the digest that the configuration wants, if it does.
func checkDigest(path, want string, wasm []byte) error {
	if want == "" {
		return nil
	}
	sum := sha256.Sum256(wasm)
	if got := hex.EncodeToString(sum[:]); !strings.EqualFold(got, want) {
		return fmt.Errorf("handler %s has the SHA-256 %s, the configuration wants %s", path, got,
			want)
	}
	return nil
}
