package stress

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer"
)

// patience is how long the informer may take to come back after the last restart, in two waits of
// up to a minute, and the listeners to finish their events.
const patience = 4 * time.Minute

func TestEveryListenerSeesTheLastStateOfEachObjectInOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("the stress test needs a control plane; skipped with -short")
	}
	s, err := sizeFromEnv()
	if err != nil {
		t.Fatal(err)
	}
	t.Log(s)
	ctx := untilInterrupted(t)
	c := startCluster(ctx, t)
	r := &run{size: s, cluster: c, world: &world{
		factory: informer.NewFactory(c.newClient(t),
			slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))),
		truth: newTruth(), written: make(chan struct{}),
	}}
	r.writers = newWriters(c.writers, r.world.truth, s)
	r.subjects = subjects(s, t.TempDir())
	for _, sub := range r.subjects {
		if err := sub.init(r.world); err != nil {
			t.Fatal(err)
		}
	}
	end, err := r.play(ctx, t)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	for _, problem := range r.problems(end) {
		t.Errorf("%s: %s", s, problem)
	}
	r.figures(t)
}

// untilInterrupted returns a context that ends early enough to stop the control plane when the
// tests are interrupted, or when go test is about to kill them.
func untilInterrupted(t *testing.T) context.Context {
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	t.Cleanup(stop)
	if deadline, ok := t.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, deadline.Add(-30*time.Second),
			errors.New("the test takes too long"))
		t.Cleanup(cancel)
	}
	return ctx
}

// run is one run of the test.
type run struct {
	size
	cluster  *cluster
	world    *world
	writers  []*writer
	subjects []*subject

	changing, converging time.Duration
	status               informer.Status
}

func (r *run) subject(name string) *subject {
	return r.subjects[slices.IndexFunc(r.subjects, func(s *subject) bool { return s.name == name })]
}

// play runs the test, and returns the final state. When it returns, everything that it has started
// has ended.
func (r *run) play(ctx context.Context, t *testing.T) (end final, err error) {
	if err := createNamespaces(ctx, r.cluster.writers); err != nil {
		return nil, err
	}
	if err := r.fill(ctx, 0.5); err != nil {
		return nil, err
	}
	group, ctx := newGroup(ctx)
	defer func() {
		if failed := group.stop(); errors.Is(err, context.Canceled) {
			err = failed // it has stopped the rest
		}
	}()
	running, stop := context.WithCancel(ctx)
	defer stop()
	var factory sync.WaitGroup
	factory.Go(func() { _ = r.world.factory.Run(running) }) // the error is the context's
	defer factory.Wait()
	defer stop()
	for _, s := range r.subjects {
		if s.name != late {
			if err := s.register(); err != nil {
				return nil, err
			}
		}
		for range s.workers {
			group.start(func() error { return s.work(ctx) })
		}
	}
	if err := r.fill(ctx, 1); err != nil {
		return nil, err
	}
	if err := r.change(ctx, t); err != nil {
		return nil, err
	}
	if end, err = list(ctx, r.cluster.writers); err != nil {
		return nil, err
	}
	if key, have, want, differ := r.world.truth.living().differs(end); differ {
		return nil, fmt.Errorf(
			"the test itself is wrong: it expects %s as %s, but the server has %s", key,
			want, have)
	}
	begun := time.Now()
	patient, giveUp := context.WithTimeoutCause(ctx, patience,
		fmt.Errorf("still not converged after %v", patience))
	defer giveUp()
	if err := converge(patient, r.subjects, end); err != nil {
		return nil, err
	}
	r.converging = time.Since(begun)
	r.status = r.world.factory.Status()[0]
	stop()
	factory.Wait()
	for _, s := range r.subjects {
		s.listener.Stop()
	}
	return end, group.wait()
}

// fill makes all writers create their objects.
func (r *run) fill(ctx context.Context, share float64) error {
	group, ctx := newGroup(ctx)
	for _, w := range r.writers {
		group.start(func() error { return w.fill(ctx, share) })
	}
	return group.wait()
}

// change makes the writers change objects, while the API server restarts and listeners come and go.
func (r *run) change(ctx context.Context, t *testing.T) error {
	defer close(r.world.written)
	begun := time.Now()
	group, ctx := newGroup(ctx)
	over := make(chan struct{})
	for _, w := range r.writers {
		group.start(func() error { return w.change(ctx, over) })
	}
	group.start(func() error {
		defer close(over)
		return r.atTimes(ctx, len(r.restarts)+1, func(i int) error {
			if i == len(r.restarts) {
				return r.untilShown(ctx)
			}
			return r.restart(ctx, t, i)
		})
	})
	group.start(func() error {
		return r.atTimes(ctx, 2, func(i int) error {
			if i > 0 {
				return nil
			}
			return r.subject(late).register()
		})
	})
	group.start(func() error {
		return r.atTimes(ctx, 6, func(int) error { return r.subject(renewed).renew(ctx) })
	})
	err := group.wait()
	r.changing = time.Since(begun)
	return err
}

// restart restarts the API server once the informer is back from the previous restart: a restart
// that nobody observes tests little. The informer's backoff stays high for minutes, so it is away
// the longer the more often this happens, and the writers have to continue for longer than the
// duration.
func (r *run) restart(ctx context.Context, t *testing.T, i int) error {
	if err := until(ctx, func() bool {
		return r.world.factory.Status()[0].Lists > uint64(i)
	}); err != nil {
		return err
	}
	gone := time.Now()
	err := r.cluster.restart(ctx, r.restarts[i], func() error { return r.muchWritten(ctx) })
	t.Logf("the API server was ended by %s, and the informer was without it for %v", r.restarts[i],
		time.Since(gone).Round(time.Millisecond))
	return err
}

// untilShown makes the writers continue until each listener has met the fault that it tests. On a
// busy machine they write so little that this takes longer. A fault that never occurs is reported
// at the end.
func (r *run) untilShown(ctx context.Context) error {
	patient, giveUp := context.WithTimeout(ctx, patience)
	defer giveUp()
	err := until(patient, func() bool {
		return !slices.ContainsFunc(r.subjects, func(s *subject) bool { return s.lacks() != "" })
	})
	if ctx.Err() == nil {
		return nil
	}
	return err
}

// muchWritten waits until so many objects have been changed that some of them have been deleted.
func (r *run) muchWritten(ctx context.Context) error {
	enough := r.world.truth.count() + 100
	return r.world.untilWritten(ctx, func() bool { return r.world.truth.count() >= enough })
}

// atTimes divides the duration into equal parts, and calls do at the end of each.
func (r *run) atTimes(ctx context.Context, parts int, do func(i int) error) error {
	begun := time.Now()
	for i := range parts {
		timer := time.NewTimer(
			time.Until(begun.Add(time.Duration(i+1) * r.duration / time.Duration(parts))))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
		if err := do(i); err != nil {
			return err
		}
	}
	return nil
}

// problems checks all ledgers, alone and against each other.
func (r *run) problems(end final) []string {
	var found []string
	for _, s := range r.subjects {
		found = append(found, s.problems(r.world.truth, end)...)
	}
	first := r.subject("fast")
	for _, s := range r.subjects {
		_, epochs := s.ledger.snapshot()
		if s.name == late || epochs > 0 || s.ledger.resyncs || s.listener.Stats().Coalesced > 0 {
			continue
		}
		for key := range r.world.truth.lives {
			if !slices.Equal(s.ledger.of(key).sights(), first.ledger.of(key).sights()) {
				found = append(found,
					fmt.Sprintf(
						"listeners %s and %s have missed nothing but have seen different events of %s\n%s%s",
						s.name, first.name, key, s.story(key), first.story(key)))
				break
			}
		}
	}
	return append(found, r.tooCalm(first.ledger.counts)...)
}

// tooCalm returns what the informer should have met and has not.
func (r *run) tooCalm(c counts) (found []string) {
	if want := uint64(1 + len(r.restarts)); r.status.Lists < want {
		found = append(found, fmt.Sprintf(
			"the run tests nothing: the informer has made %d lists, want %d", r.status.Lists, want))
	}
	if c.tombstones == 0 {
		found = append(found, "the run tests nothing: the informer has missed no deletion")
	}
	return found
}

// figures prints statistics.
func (r *run) figures(t *testing.T) {
	var b strings.Builder
	names, unclear, alive := 0, 0, len(r.world.truth.living())
	for _, w := range r.writers {
		unclear += w.unclear
	}
	for _, ls := range r.world.truth.lives {
		names += len(ls)
	}
	fmt.Fprintf(&b, "%s\n", r.size)
	fmt.Fprintf(&b, "%d writes in all, the changes in %v; %d objects lived, %d are alive; the outcome of %d requests was unclear\n",
		r.world.truth.count(), r.changing.Round(time.Millisecond), names, alive, unclear)
	fmt.Fprintf(&b, "informer: %d lists, %d watches, %d events, %d skipped; converged %v after the last write\n",
		r.status.Lists, r.status.Watches, r.status.Events, r.status.Skipped,
		r.converging.Round(time.Millisecond))
	if lags := r.staleness(); len(lags) > 0 {
		at := func(share float64) time.Duration {
			return lags[int(share*float64(len(lags)-1))].Round(10 * time.Microsecond)
		}
		fmt.Fprintf(&b, "from the server's answer to the writer until the fast listener: median %v, 95 %% %v, 99 %% %v, longest %v\n",
			at(0.5), at(0.95), at(0.99), at(1))
	}
	fmt.Fprintf(&b, "%-13s %8s %8s %8s %8s %8s %8s %8s %8s %8s %8s %8s\n", "listener", "offered",
		"done", "initial", "deletes", "tombst.",
		"resyncs", "missed", "spilled", "blocked", "retried", "discard.")
	for _, s := range r.subjects {
		c, st := s.ledger.counts, s.listener.Stats()
		fmt.Fprintf(&b, "%-13s %8d %8d %8d %8d %8d %8d %8d %8d %8d %8d %8d\n", s.name, st.Offered,
			st.Done, c.initials, c.deletes, c.tombstones,
			c.resyncs, st.Coalesced, st.Spilled, st.Blocked, c.retried, st.Discarded)
	}
	t.Log(b.String())
}

// staleness returns, sorted, the delays between the response to the writer and the fast listener's
// delivery, for each state delivered later than its response.
func (r *run) staleness() []time.Duration {
	var lags []time.Duration
	for key, h := range r.subject("fast").ledger.keys {
		written := map[uint64]time.Time{}
		for _, l := range r.world.truth.lives[key] {
			for _, s := range l.states {
				written[s.version] = s.at
			}
		}
		for _, rec := range h.records {
			if at, ok := written[rec.version]; ok && !rec.initial && !rec.finalStateUnknown {
				lags = append(lags, max(0, rec.at.Sub(at)))
			}
		}
	}
	return slices.SortedFunc(slices.Values(lags), cmp.Compare[time.Duration])
}
