package informer

import (
	"context"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// checkpoint is what all cuts make together, as texts: what is restored shares nothing with what
// was there before.
type checkpoint map[InformerID]*keptInformer

type keptInformer struct {
	version string
	objects map[event.Key]string
	gone    map[event.Key]string
	told    map[string]map[event.Key]keptState
	begins  map[string]bool // subscriptions that know nothing yet
	due     map[string]time.Time
}

// keptState is what a subscription knows of an object, and may know; "" is no state.
type keptState struct {
	text    string
	present bool
	same    bool
	gone    []string
}

func (c checkpoint) apply(cuts []InformerCut) {
	for _, cut := range cuts {
		kept := c[cut.Informer]
		if kept == nil || cut.Whole {
			kept = &keptInformer{objects: map[event.Key]string{}, gone: map[event.Key]string{},
				told: map[string]map[event.Key]keptState{}, begins: map[string]bool{},
				due: map[string]time.Time{}}
			c[cut.Informer] = kept
		}
		kept.version = cut.Version
		for o := range cut.Objects {
			kept.objects[o.Key()] = o.JSON()
			delete(kept.gone, o.Key())
		}
		for _, gone := range cut.Gone {
			delete(kept.objects, gone.Key)
			kept.gone[gone.Key] = gone.Version
		}
		for _, name := range cut.Left {
			delete(kept.told, name)
			delete(kept.begins, name)
		}
		for _, t := range cut.Unfinished {
			if t.Whole {
				kept.told[t.Subscription] = map[event.Key]keptState{}
				kept.begins[t.Subscription] = t.Begins
				delete(kept.due, t.Subscription)
			}
			if !t.Due.IsZero() {
				kept.due[t.Subscription] = t.Due
			}
			for _, e := range t.Entries {
				if e.Ended {
					delete(kept.told[t.Subscription], e.Key)
					continue
				}
				is := keptState{present: e.Present, same: e.Same}
				if e.State != nil {
					is.text = e.State.JSON()
				}
				for _, o := range e.Gone {
					is.gone = append(is.gone, o.JSON())
				}
				kept.told[t.Subscription][e.Key] = is
			}
		}
	}
}

// has reports whether the checkpoint knows a subscription.
func (c checkpoint) has(name string) bool {
	for _, kept := range c {
		if _, ok := kept.told[name]; ok {
			return true
		}
	}
	return false
}

func (c checkpoint) stored(id InformerID) *Stored {
	kept := c[id]
	if kept == nil {
		return nil
	}
	parse := func(text string) *object.Object {
		if text == "" {
			return nil
		}
		o, err := (&object.Parser{}).Parse([]byte(text))
		if err != nil {
			panic(err)
		}
		return o
	}
	s := &Stored{Version: kept.version, Unfinished: map[string][]Unfinished{},
		Due: maps.Clone(kept.due)}
	for _, text := range kept.objects {
		s.Objects = append(s.Objects, parse(text))
	}
	for key, version := range kept.gone {
		s.Gone = append(s.Gone, Gone{Key: key, Version: version})
	}
	for name, entries := range kept.told {
		s.Unfinished[name] = nil
		for key, is := range entries {
			e := Unfinished{Key: key, State: parse(is.text), Present: is.present,
				Same: is.same}
			for _, text := range is.gone {
				e.Gone = append(e.Gone, parse(text))
			}
			s.Unfinished[name] = append(s.Unfinished[name], e)
		}
		if kept.begins[name] {
			s.Begins = append(s.Begins, name)
		}
	}
	return s
}

// lives is a process that is ended and started again, from its last cut, while the server goes on.
type lives struct {
	t      *testing.T
	server *fakeServer
	kept   checkpoint
	// killed: something may have been delivered after the last cut.
	asked, killed bool
	factory       *Factory
	cancel        context.CancelFunc
	running       sync.WaitGroup
	subs          []*Subscription
}

func inLives(t *testing.T, f func(l *lives)) {
	synctest.Test(t, func(t *testing.T) {
		l := &lives{t: t, server: newFakeServer(), kept: checkpoint{}}
		l.start()
		f(l)
		l.kill()
	})
}

func (l *lives) start() {
	ctx, cancel := context.WithCancel(l.t.Context())
	l.cancel, l.factory = cancel, NewFactory(l.server, nil)
	kept := maps.Clone(l.kept)
	l.asked = false
	l.factory.Stored = func(id InformerID) *Stored {
		s := kept.stored(id)
		if s != nil {
			s.Killed = l.killed
		}
		l.asked, l.killed = true, true
		return s
	}
	l.running.Go(func() { _ = l.factory.Run(ctx) })
}

// kill ends the process, with all that it has not put into a cut.
func (l *lives) kill() {
	l.cancel()
	DiscardAll(l.subs)
	l.running.Wait()
	l.subs = nil
}

// stop ends the process as after SIGTERM.
func (l *lives) stop() {
	l.settle(l.factory.Cut)
	l.kill()
}

// settle takes the last cut of a process.
func (l *lives) settle(cut func() []InformerCut) {
	DiscardAll(l.subs)
	synctest.Wait()
	cuts := cut()
	l.kept.apply(cuts)
	for i := range cuts {
		l.killed = cuts[i].Killed
	}
}

func (l *lives) restart() {
	l.kill()
	l.start()
}

func (l *lives) cut() {
	l.kept.apply(l.factory.Cut())
	l.keep()
}

// keep says that the last cut is kept.
func (l *lives) keep() (waiting bool) {
	names := make([]string, 0, len(l.subs))
	for _, sub := range l.subs {
		names = append(names, sub.name)
	}
	return l.factory.Kept(names)
}

// join subscribes without a worker, and makes the cut that a new subscription waits for.
func (l *lives) join(cfg SubscriptionConfig) (*Subscription, *Registration) {
	l.t.Helper()
	sub, reg := l.subscribe(cfg)
	if !l.kept.has(cfg.Name) {
		l.cut()
		synctest.Wait()
	}
	return sub, reg
}

// subscribe subscribes without a worker.
func (l *lives) subscribe(cfg SubscriptionConfig) (*Subscription, *Registration) {
	l.t.Helper()
	cfg.Track = true
	sub, err := NewSubscription(cfg)
	if err != nil {
		l.t.Fatal(err)
	}
	reg, err := l.factory.Subscribe(pods, Scope{}, Shape{}, sub)
	if err != nil {
		l.t.Fatal(err)
	}
	l.subs = append(l.subs, sub)
	synctest.Wait()
	return sub, reg
}

// finish has a worker finish all there is, and returns it.
func finish(sub *Subscription) (told []string) {
	synctest.Wait()
	for got := sub.More(nil, 1, 1); len(got) > 0; got = sub.More(nil, 1, 1) {
		for _, d := range got {
			line := story(d.Event)
			if d.Resumed {
				line += " resumed"
			}
			told = append(told, line)
			d.Done()
		}
		synctest.Wait()
	}
	return told
}
