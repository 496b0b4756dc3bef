package cluster

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/informerd/informerd/dev/cluster/internal/process"
)

// Poll intervals. A probe takes well under a millisecond of the component's time once it listens.
const (
	pollQuick = 20 * time.Millisecond  // for what takes a fraction of a second
	pollSlow  = 100 * time.Millisecond // for what takes seconds
)

// tailLines is how much of a component's log an error shows.
const tailLines = 20

// StartError reports that a component did not start, with the end of its log.
type StartError struct {
	Component string
	Log       string // path
	Tail      string // the last lines of it
	Err       error
}

func (e *StartError) Error() string {
	return fmt.Sprintf("%s %v\nthe end of %s:\n%s", e.Component, e.Err, e.Log, e.Tail)
}

func (e *StartError) Unwrap() error { return e.Err }

// starter starts components and watches all that it has started.
type starter struct {
	layout  layout
	self    string // path of this program
	probes  *probes
	say     func(string, ...any)
	begun   time.Time
	started map[string]*process.Started
}

func newStarter(l layout, say func(string, ...any)) (*starter, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("cannot find this program's own path: %w", err)
	}
	probes, err := newProbes(l)
	if err != nil {
		return nil, err
	}
	return &starter{
		layout: l, self: self, probes: probes, say: say,
		begun: time.Now(), started: make(map[string]*process.Started),
	}, nil
}

func (s *starter) start(c component) error {
	started, err := process.Start(c.spec(s.layout, s.self))
	if err != nil {
		return err
	}
	s.started[c.name] = started
	return nil
}

// awaitReady returns when the component is ready.
func (s *starter) awaitReady(ctx context.Context, c component, every time.Duration) error {
	err := s.until(ctx, c.name, every, func(ctx context.Context) error {
		return s.probes.ready(ctx, c)
	})
	if err == nil {
		s.say("%s is ready on %s (%.1f s)", c.name, c.address, time.Since(s.begun).Seconds())
	}
	return err
}

// until polls the condition until it holds, ctx ends, or a component that this starter has started
// ends. If ctx ends, the named component is blamed.
func (s *starter) until(
	ctx context.Context, blame string, every time.Duration, condition func(context.Context) error,
) error {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	var unmet error
	for {
		err := condition(ctx)
		if err == nil {
			return nil
		}
		// Once ctx has ended, the condition's error is the context's; the one before is the reason.
		if unmet == nil || ctx.Err() == nil {
			unmet = err
		}
		if err := s.anyExited(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return s.failed(blame, fmt.Errorf("is not ready: %w (%w)", unmet, context.Cause(ctx)))
		case <-ticker.C:
		}
	}
}

// anyExited returns an error if one of the components has ended: none may end while the cluster
// starts.
func (s *starter) anyExited() error {
	for name, started := range s.started {
		select {
		case <-started.Exited():
			return s.failed(name, fmt.Errorf("ended while the cluster started: %w", started.Err()))
		default:
		}
	}
	return nil
}

func (s *starter) failed(component string, err error) *StartError {
	log := s.layout.log(component)
	return &StartError{Component: component, Log: log, Tail: process.Tail(log, tailLines), Err: err}
}
