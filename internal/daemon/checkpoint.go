package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/keeper"
	sinks "github.com/informerd/informerd/internal/outputs"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/statefolder"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// resume looks for what the listener had before a restart. If its select was another one, that says
// which objects it has, unless its route remembers it of them.
func (l *listener) resume(k *keeper.Keeper, log *slog.Logger) {
	if k == nil {
		return
	}
	if l.saved = k.Listener(l.name); l.saved == nil {
		return
	}
	l.wentOn = make(chan struct{})
	l.hadSelect(log)
}

// hadSelect notes the select of before the restart, if objects may have been decided by another one
// than the present one.
func (l *listener) hadSelect(log *slog.Logger) {
	s := l.setup()
	if l.saved.Select == s.Config.Select.Text {
		return
	}
	selects, err := plan.EarlierSelect(s.whole, s.Config, l.place.cluster, l.place.labels,
		strings.TrimSuffix(l.saved.Select, keeper.Unsettled))
	if err != nil {
		log.Warn("the select of before the restart cannot be read, so objects that it did not select may be told as deleted",
			"listener", l.name, "error", err)
	}
	l.before, l.beforeText = &route.Selection{Select: selects}, l.saved.Select
}

// goOn makes the route use the listener's setup, with what the listener had before the restart. The
// caller holds mu.
func (l *listener) goOn(k *keeper.Keeper) error {
	s, known := l.setup(), l.saved.Route.Rules()
	if known != nil && (known.Len() > 0 || s.book() != nil) {
		s.remembered.Store(rules.Restore(s.Rules, s.Config.Outputs, known, time.Now()))
	}
	if err := l.route.Use(l.pipeline()); err != nil {
		return err
	}
	l.saved.Route.Moved(l.left)
	if err := l.route.Restore(l.saved.Route); err != nil {
		return err
	}
	l.saved = nil
	k.Taken(l.name)
	if s.book() != nil || s.Select != nil || l.before != nil {
		l.subscription.RescanLater() // times have passed, and expressions may be others
	}
	l.behind = true
	close(l.wentOn)
	return nil
}

// endAbsent ends what the listener remembers of objects that went while nobody looked, once it has
// begun and its informers are complete.
func (l *listener) endAbsent(ctx context.Context, log *slog.Logger) {
	select {
	case <-l.wentOn:
	case <-ctx.Done():
		return
	}
	l.endGone(ctx, log)
	l.endedAbsent.Store(true)
}

// endGone ends what the listener remembers of objects that there are no more, once its informers
// are complete.
func (l *listener) endGone(ctx context.Context, log *slog.Logger) {
	if informer.WaitForSync(ctx, l.registrations()...) != nil {
		return
	}
	// Not the registrations of now: a reload may exchange them before a worker asks.
	switch err := l.route.EndAbsent(ctx, l.subscription.Knows); {
	case err == nil:
		log.Debug("ended what is remembered of objects that are gone", "listener", l.name)
	case ctx.Err() == nil:
		log.Error("what is remembered of objects that are gone cannot be ended", "listener", l.name,
			"error", err)
	}
}

// keep has the keeper make cuts until kept is called, which makes the last one and returns the
// error of the disk. The context ends as its parent, or with the keeper.
func (s *shard) keep(parent context.Context) (ctx context.Context, kept func() error) {
	if s.keeper == nil {
		if err := statefolder.RemoveCheckpoint(s.plan.Config, s.place().cluster); err != nil {
			s.log.Warn("the checkpoint that no listener asks for any more cannot be removed",
				"error", err)
		}
		return parent, func() error { return nil }
	}
	s.factory.Stored = s.keeper.Stored
	s.factory.ListFirst = s.once != nil // the list says what there is by now
	ctx, fail := context.WithCancelCause(parent)
	keeping, stop := context.WithCancel(context.WithoutCancel(parent))
	ended := make(chan error, 1)
	go func() {
		err := s.keeper.Run(keeping, keeper.Source{Informers: s.factory,
			Listeners: s.cutters, Flush: func() error { return s.host.FlushKV(s.place().String()) }})
		if err != nil {
			s.log.Error("the checkpoint cannot be written, so informerd stops", "error", err)
			fail(errCheckpoint)
		}
		ended <- err
	}()
	_ = s.keeper.Await(ctx) // if it fails, ctx ends
	return ctx, func() error {
		stop()
		err := <-ended
		fail(nil)
		return err
	}
}

// errCheckpoint is the cause of a context that has ended because the checkpoint cannot be written.
var errCheckpoint = errors.New("the checkpoint cannot be written")

// cutters returns the listeners that go on after a restart.
func (s *shard) cutters() (all []keeper.Cutter) {
	s.mu.Lock()
	listeners := slices.Concat(s.leaving, s.listeners)
	s.mu.Unlock()
	for _, l := range listeners {
		if l.setup().Config.GoesOn() && l.hasState() {
			all = append(all, cutter{l, s.maker})
		}
	}
	return all
}

// hasState reports whether there is something to be cut of a listener: it has begun, or has what it
// had before a restart.
func (l *listener) hasState() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.begun || l.saved != nil
}

// cutter makes cuts of a listener.
type cutter struct {
	*listener
	maker *sinks.Maker
}

// sentPart and the name of an output are what an Alertmanager has of the listener's violations.
const sentPart = "sent "

// Name implements keeper.Cutter.
func (c cutter) Name() string { return c.name }

// Select implements keeper.Cutter. While a rescan has not come to all objects, it is the one of
// before, unsettled.
func (c cutter) Select() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.before != nil && c.saved != nil:
		return c.saved.Select
	case c.before != nil && c.subscription.Rescanning():
		return strings.TrimSuffix(c.beforeText, keeper.Unsettled) + keeper.Unsettled
	}
	return c.setup().Config.Select.Text
}

// Cut implements keeper.Cutter.
func (c cutter) Cut(to record.Writer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.saved == nil { // else the checkpoint has it
		c.cutResource(to)
		c.route.Cut(to)
		for _, o := range c.setup().outputs {
			c.maker.Sent(o.name).Cut(c.inShard(), to, sentPart+o.name)
		}
	}
}

// Whole implements keeper.Cutter.
func (c cutter) Whole(to record.Writer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.saved != nil {
		c.saved.Records.Write(to)
		return
	}
	c.route.Whole(to)
	c.cutResource(to)
	for _, o := range c.setup().outputs {
		c.maker.Sent(o.name).Whole(c.inShard(), to, sentPart+o.name)
	}
}

// cutResource adds what a listener was about that is at no informer, in case the process is killed
// before it has sent everything.
func (c cutter) cutResource(to record.Writer) {
	if c.was.Resource != "" {
		to.Put(keeper.ResourcePart, event.Key{}, &c.was, nil)
	}
}

// forget has the checkpoint forget a listener that has ended, before another one of its name
// begins.
func (s *shard) forget(ctx context.Context, l *listener) {
	s.mu.Lock()
	s.leaving = slices.DeleteFunc(s.leaving, func(other *listener) bool { return other == l })
	s.mu.Unlock()
	if s.keeper == nil || !l.setup().Config.GoesOn() || l.leftUnused() && s.named(l.name) != nil {
		return
	}
	s.factory.Forget(l.name)
	s.keeper.Forget(l.name)
	_ = s.keeper.Await(context.WithoutCancel(ctx)) // if it has ended, so does the daemon
}

// leftUnused reports whether the listener has not begun with what it had before a restart. Another
// one of its name goes on with that.
func (l *listener) leftUnused() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.saved != nil
}

// resumed notes which informers a listener is about that begins, and says if they are others than
// before the restart.
func (s *shard) resumed(l *listener) {
	if s.keeper == nil {
		l.endedAbsent.Store(true)
		return
	}
	if l.wentOn != nil {
		s.task(l, func() { l.endAbsent(l.life, s.log) })
		s.task(l, func() { s.lookAgain(l.life, l) })
	} else {
		s.log.Debug("the listener begins: no checkpoint has anything of it", "listener", l.name)
		l.endedAbsent.Store(true)
	}
	others := append(s.keeper.Bound(l.name), s.factory.Forget(l.name)...)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range others {
		l.left = append(l.left, id.Scope.Namespace)
		s.log.Warn("the listener's informer has changed, so it gets all objects again",
			"listener", l.name, "was", fmt.Sprint(id.Resource, " in ", id.Scope))
	}
}
