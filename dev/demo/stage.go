package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// patience is how long an act waits for its effect.
	patience = 15 * time.Second
	// rollCallPatience is for an effect of a resync, which the configuration requests every 10
	// seconds.
	rollCallPatience = 30 * time.Second
)

// stage runs the acts of the story.
type stage struct {
	demo   demo
	daemon *daemon // nil until StartInformerd
}

// StartInformerd starts informerd. The stage's creator stops it.
func (s *stage) StartInformerd() (err error) {
	s.demo.Screen.Announce("start %s run --config %s --kubeconfig %s", s.demo.Informerd,
		s.demo.Config, s.demo.kubeconfig())
	s.daemon, err = startDaemon(s.demo)
	return err
}

// act is an action and the events that informerd must then print.
type act struct {
	title    string
	do       func(context.Context) error
	effects  []effect // all of them, in any order
	patience time.Duration
}

// effect is an event to wait for.
type effect struct {
	what  string // "an update of …", for the error
	match func(cloudEvent) bool
}

// Do announces the act, runs it, and waits for its effects among the events printed from then on.
func (s *stage) Do(ctx context.Context, a act) error {
	s.demo.Screen.Announce("%s", a.title)
	if a.patience == 0 {
		a.patience = patience
	}
	outer := ctx
	late := fmt.Errorf("not within %v", a.patience)
	ctx, cancel := context.WithTimeoutCause(ctx, a.patience, late)
	defer cancel()
	from := 0
	if s.daemon != nil {
		from = s.daemon.Feed.Len()
	}
	if a.do != nil {
		if err := a.do(ctx); err != nil {
			if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
				err = fmt.Errorf("%w: %w", cause, err)
			}
			return unlessDone(outer, fmt.Errorf("%s: %w", a.title, err))
		}
	}
	for _, e := range a.effects {
		if err := s.daemon.Feed.Await(ctx, from, e.match); err != nil {
			return unlessDone(outer, fmt.Errorf("%s: informerd did not print %s: %w", a.title,
				e.what, err))
		}
	}
	return nil
}

// unlessDone returns the cause of ctx if it is done, otherwise err: an interrupted act has not
// failed.
func unlessDone(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// report shows the counters that informerd, now stopped, has logged, and checks them against its
// output.
func (s *stage) report() (lines int, err error) {
	stats, lines := s.daemon.Stats()
	s.demo.Screen.Print("   the counters of each listener, from informerd's log:\n\n%s\n",
		statsTable(stats))
	if err := s.daemon.Feed.Err(); !errors.Is(err, errEnded) {
		return lines, err
	}
	if written := linesWritten(stats); written != lines {
		return lines, fmt.Errorf("informerd reports %d printed lines, but there were %d",
			written, lines)
	}
	return lines, missingFrom(s.daemon.Feed)
}

// wanted is what every run of the demo must show.
var wanted = []effect{
	{"an add", func(e cloudEvent) bool { return e.Type == typeAdded && !e.Initial }},
	{"an update", func(e cloudEvent) bool { return e.Type == typeUpdated }},
	{"a delete", func(e cloudEvent) bool { return e.Type == typeDeleted }},
	{"a resync", func(e cloudEvent) bool { return e.Type == typeResynced }},
	{"an event that the WASM handler emitted", func(e cloudEvent) bool {
		_, ok := e.Finding()
		return ok
	}},
}

// missingFrom returns an error if something was not seen.
func missingFrom(f *feed) error {
	var missing []error
	for _, w := range wanted {
		if !f.Has(w.match) {
			missing = append(missing, fmt.Errorf("informerd did not print %s", w.what))
		}
	}
	return errors.Join(missing...)
}
