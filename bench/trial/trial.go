package trial

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/informerd/informerd/bench/apiserver"
	"github.com/informerd/informerd/bench/contender"
	"github.com/informerd/informerd/bench/measure"
)

// Options is the configuration of a trial. A phase without changes is left out.
type Options struct {
	Contender string
	Setup     contender.Setup
	Control   Control
	// Missed are the changes since the checkpoint was written, which the trial begins with instead
	// of a list; 0: it begins with a list.
	Missed     int
	Burst      int           // changes at once
	Paced      int           // changes at an even rate
	PacedEvery time.Duration // time between them
	Singles    int           // changes far apart
	SingleGap  time.Duration // time between them
	IdleSample time.Duration // for measuring the idle process before those
	// for which the process is left alone after the burst; 0: no such phase
	Cool       time.Duration
	Rest       time.Duration // before the steady memory is read
	ProfileDir string        // for CPU profiles of the list and the burst; "" for none
}

// trial is a running trial.
type trial struct {
	Options
	tally   *contender.Tally
	c       contender.Contender
	process measure.Process
	quiet   measure.Quiet
	// silent contenders report matches only: they count as done when they are quiet.
	silent bool
	began  time.Time // when the contender was started
	result Result
}

// Run runs a trial in the calling process, which should have done nothing else before.
func Run(ctx context.Context, o Options) (result Result, err error) {
	t := &trial{Options: o, tally: contender.NewTally(o.Burst + o.Paced + o.Singles),
		quiet: measure.QuietSelf}
	t.silent = !contender.InProcess(o.Contender)
	if t.silent {
		t.quiet = measure.QuietOther
	}
	t.result = Result{
		Contender: o.Contender, Objects: o.Setup.Objects, Changes: o.Burst,
		Blind: o.Contender == contender.Drop,
	}
	if t.c, err = contender.New(o.Contender, o.Setup); err != nil {
		return Result{}, err
	}
	for _, phase := range []struct {
		name string
		run  func(context.Context) error
		on   bool
	}{
		{"list", t.list, true},
		{"steady", t.steady, true},
		{"burst", t.burst, o.Burst > 0},
		{"cool", t.cool, o.Cool > 0},
		{"paced", t.paced, o.Paced > 0},
		{"single", t.single, o.Singles > 0},
	} {
		if phase.on && err == nil {
			if err = phase.run(ctx); err != nil {
				err = fmt.Errorf("%s: %s: %w", o.Contender, phase.name, err)
			}
		}
	}
	return t.result, errors.Join(err, t.c.Stop())
}

// costs measures the work until done returns, and the deferred work.
func (t *trial) costs(ctx context.Context, phase string, begin, done func() error) (Phase, error) {
	stop, err := measure.Profile(t.ProfileDir, t.Contender+"-"+phase)
	if err != nil {
		return Phase{}, err
	}
	heap, cpu, start := measure.ReadHeap(), time.Duration(0), time.Now()
	if !t.silent || phase != "list" { // else there is no process yet
		cpu, err = t.process.CPU()
	}
	if err == nil {
		err = begin()
	}
	if err == nil {
		err = done()
	}
	p := Phase{Wall: time.Since(start)}
	if err == nil {
		p.CPU, err = t.process.Settle(ctx, t.quiet)
		p.CPU -= cpu
	}
	if !t.silent {
		p.Allocs = measure.ReadHeap().Allocs - heap.Allocs
	}
	return p, errors.Join(err, stop())
}

func (t *trial) list(ctx context.Context) (err error) {
	measure.Collect()
	heap := measure.ReadHeap()
	idle, err := measure.Self().Resident()
	if err != nil {
		return err
	}
	start := func() error {
		t.began = time.Now()
		t.process, err = t.c.Start(ctx, t.tally)
		return err
	}
	done := func() error {
		if err := t.listed(ctx); err != nil {
			return err
		}
		r, err := t.process.Resident()
		t.result.PeakRSS = r.Peak
		return err
	}
	if t.result.List, err = t.costs(ctx, "list", start, done); err != nil {
		return err
	}
	t.result.MatchedListed = t.tally.MatchedListed.Load()
	if t.process.IsSelf() {
		t.result.IdleRSS = idle.Now
		t.result.Heap = -heap.Live // steady adds the live heap
	}
	return nil
}

// listed waits until the whole list was handled.
func (t *trial) listed(ctx context.Context) error {
	if !t.silent {
		events, n := &t.tally.Listed, t.Setup.Objects
		if t.Missed > 0 {
			events, n = &t.tally.Changes, t.Missed
		}
		if err := events.Wait(ctx, 1); err != nil {
			return err
		}
		t.result.First = time.Since(t.began)
		return events.Wait(ctx, n)
	}
	// Informers start to watch after reading the list.
	if err := t.watching(ctx); err != nil {
		return err
	}
	_, err := t.process.Settle(ctx, t.quiet)
	return err
}

func (t *trial) watching(ctx context.Context) error {
	return t.until(ctx, "the contender watches", func(s apiserver.State) bool {
		return s.Watches == max(1, t.Setup.Informers)
	})
}

// until waits for a state of the server, as long as the contender's process exists.
func (t *trial) until(ctx context.Context, what string, wished func(apiserver.State) bool) error {
	return t.Control.Until(ctx, what, func(s apiserver.State) (bool, error) {
		_, err := t.process.CPU()
		return wished(s), err
	})
}

func (t *trial) steady(ctx context.Context) error {
	if t.process.IsSelf() {
		measure.Collect()
	}
	if err := pause(ctx, t.Rest); err != nil {
		return err
	}
	r, err := t.process.Resident()
	if err != nil {
		return err
	}
	t.result.SteadyRSS = r.Now
	if t.process.IsSelf() {
		measure.Collect()
		t.result.Heap += measure.ReadHeap().Live
	}
	if err := t.watching(ctx); err != nil {
		return err
	}
	s, err := t.Control.State(ctx)
	if err != nil {
		return err
	}
	t.result.Pages = s.Lists
	t.result.Disk, err = t.onDisk(ctx)
	return err
}

func (t *trial) burst(ctx context.Context) (err error) {
	matched := t.tally.MatchedChanges.Load()
	begin := func() error {
		r, err := t.Control.Burst(ctx, t.Burst, t.Setup.Informers)
		if err == nil {
			t.expect(r)
		}
		return err
	}
	t.result.Burst, err = t.costs(ctx, "burst", begin, func() error {
		return t.changed(ctx, t.Burst)
	})
	t.result.MatchedChanges = t.tally.MatchedChanges.Load() - matched
	if err != nil {
		return err
	}
	r, err := t.process.Resident()
	t.result.LoadedRSS = r.Now
	if err == nil {
		t.result.BurstDisk, err = t.added(ctx, t.result.Disk)
	}
	return err
}

// cool waits for a contender's work on memory that is unused for a while.
func (t *trial) cool(ctx context.Context) (err error) {
	t.result.Cool, err = t.costs(ctx, "cool", func() error { return nil }, func() error {
		return pause(ctx, t.Cool)
	})
	if err != nil {
		return err
	}
	r, err := t.process.Resident()
	t.result.ColdRSS = r.Now
	return err
}

// expect announces the number of changes to a contender that does not parse them.
func (t *trial) expect(r apiserver.Release) {
	if d, ok := t.c.(interface{ Expect(apiserver.Release) }); ok {
		d.Expect(r)
	}
}

// changed waits until so many changes were handled since the trial began.
func (t *trial) changed(ctx context.Context, n int) error {
	if !t.silent {
		return t.tally.Changes.Wait(ctx, n)
	}
	err := t.until(ctx, "all changes are written", func(s apiserver.State) bool {
		return s.Written == n
	})
	if err == nil {
		_, err = t.process.Settle(ctx, t.quiet)
	}
	return err
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
