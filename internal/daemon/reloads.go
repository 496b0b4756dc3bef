package daemon

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/filewatch"
	"github.com/informerd/informerd/internal/status"
)

// reloading is what is known of reloads. The zero value is ready.
type reloading struct {
	turn  sync.RWMutex // locked by the reload at work, and for reading by shards that begin or end
	files *filewatch.Watcher

	// asked has the requests of commands. They are for the goroutine that reloads, since nothing is
	// started any more when that has ended.
	asked chan *asking
	ended <-chan struct{} // closed when nobody reloads any more

	mu    sync.Mutex // guards what follows
	state status.Reload
}

// asking is a command's request to reload.
type asking struct {
	changes admin.Changes
	err     error
	done    chan struct{} // closed when the above is set
}

// askReload reloads the configuration for a command.
func (s *supervisor) askReload(ctx context.Context) (admin.Changes, error) {
	if leads, _ := s.standing(); !leads {
		return nil, errors.New("this replica stands by: it reads its configuration again when it leads")
	}
	a := &asking{done: make(chan struct{})}
	select {
	case s.reloading.asked <- a:
	case <-s.reloading.ended:
		return nil, errors.New("informerd is stopping")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	<-a.done
	return a.changes, a.err
}

// acceptCommands has commands wait for a reload until ctx is done.
func (s *supervisor) acceptCommands(ctx context.Context) {
	s.reloading.asked, s.reloading.ended = make(chan *asking), ctx.Done()
}

// reloads reloads the configuration when its files change and when it is asked to.
func (s *supervisor) reloads(ctx context.Context, o Options) {
	state := &s.reloading
	why := "it was read from standard input"
	if s.once != nil {
		o.Load, why = nil, "informerd ends by itself (--once)"
	}
	if o.Load == nil {
		o.Load = func() (*config.Config, error) { return nil, errors.New(why) }
	} else {
		if state.files = o.Files; state.files == nil {
			state.files = &filewatch.Watcher{}
		}
		state.files.Log = s.log
		state.files.Set(s.runtime.plan.Config.Files())
		s.intake.Go(func() {
			state.files.Run(ctx, func() { _, _ = s.reloadNow(ctx, o, "its files have changed") })
		})
	}
	s.intake.Go(func() {
		for {
			select {
			case <-o.Hangup:
				_, _ = s.reloadNow(ctx, o, "SIGHUP")
			case a := <-state.asked:
				a.changes, a.err = s.reloadNow(ctx, o, "informerd reload")
				close(a.done)
			case <-ctx.Done():
				return
			}
		}
	})
}

// reloadNow reloads the configuration, and logs what comes of it.
func (s *supervisor) reloadNow(ctx context.Context, o Options, reason string) (admin.Changes,
	error) {
	state := &s.reloading
	state.turn.Lock()
	defer state.turn.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	begun := time.Now()
	state.begin(begun)
	// They are watched from before they are read, and if they have mistakes as well.
	running := s.runtime.plan.Config
	if state.files != nil {
		state.files.Set(slices.Concat(running.Files(), config.FilesOf(running.OwnFiles()...)))
	}
	cfg, err := o.Load()
	var changes admin.Changes
	if err == nil {
		state.files.Set(cfg.Files())
		changes, err = s.reload(ctx, cfg, o)
	}
	if ctx.Err() != nil && err != nil {
		return nil, err // stopped
	}
	state.set(err == nil)
	var mistakes config.Errors
	switch {
	case errors.As(err, &mistakes):
		s.log.Error("the configuration is not reloaded, and nothing has changed", "reason", reason,
			"mistakes", len(mistakes), "error", err)
	case err != nil:
		s.log.Error("the configuration is not reloaded, and nothing has changed", "reason", reason,
			"error", err)
	default:
		s.log.Info("configuration reloaded", "reason", reason, "changes", inWords(changes), "in",
			time.Since(begun).Round(time.Millisecond))
	}
	return changes, err
}

// inWords returns changes as a log shows them.
func inWords(changes admin.Changes) string {
	var all []string
	for _, c := range changes {
		words := strings.TrimSpace(c.Kind+" "+c.Name) + " " + c.Action
		if len(c.Fields) > 0 {
			words += " (" + strings.Join(c.Fields, ", ") + ")"
		}
		all = append(all, words)
	}
	return cmp.Or(strings.Join(all, "; "), "none")
}

// begin notes that a reload has begun.
func (r *reloading) begin(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Running = now
}

// set notes how a reload has ended.
func (r *reloading) set(successful bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Running = time.Time{}
	if r.state.Successful = successful; !successful {
		r.state.Failures++
		return
	}
	if !r.state.Last.IsZero() { // else it is the start
		r.state.Successes++
	}
	r.state.Last = time.Now()
}

// last returns how the last reload has ended.
func (r *reloading) last() status.Reload {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}
