package endpoints

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/status"
)

// world is a pipeline that does what a test says, second by second.
type stallWorld struct {
	status.Status
	server answers
	d      detector
	found  []status.Stall
}

var startStalls = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// newWorld is a pipeline in which all is well, and nothing happens.
func newStallWorld() *stallWorld {
	w := &stallWorld{}
	w.Time = startStalls
	w.Informers = []status.Informer{{Resource: "pods", Namespace: "shop", Synced: true, Objects: 5,
		Lists: 1, Heard: startStalls, Received: 100}}
	w.Listeners = []status.Listener{
		{Name: "a", State: status.Running, Outputs: []status.Output{{Name: "hook"}, {Name: "log"}}},
		{Name: "b", State: status.Running, Handler: &status.Handler{},
			Outputs: []status.Output{{Name: "hook"}}},
	}
	w.DeadLetters = &status.DeadLetters{LimitBytes: 100}
	w.Checkpoint = &status.Checkpoint{Current: startStalls}
	w.Reload = &status.Reload{Successful: true, Last: startStalls}
	return w
}

// pass lets time pass, of which each look changes something.
func (w *stallWorld) pass(over time.Duration, change func(*stallWorld)) {
	for end := w.Time.Add(over); w.Time.Before(end); {
		w.Time = w.Time.Add(stallInterval)
		w.server.Answers++
		w.Checkpoint.Current = w.Time
		if change != nil {
			change(w)
		}
		w.found = w.d.look(&w.Status, &w.server)
	}
}

func (w *stallWorld) says() string {
	var all []string
	for _, s := range w.found {
		all = append(all, strings.TrimSpace(s.Kind+" "+s.What)+": "+s.Text)
	}
	return strings.Join(all, "\n")
}

// stalls are the ways in which something comes to a halt. Each begins with the first change, and
// ends with end.
var foundStalls = map[string]struct {
	change, end func(*stallWorld)
	want        string
}{
	"an output that is away": {
		func(w *stallWorld) {
			o := &w.Listeners[0].Outputs[0]
			o.Waiting, o.Error = o.Waiting+1, "connection refused"
			o.Retried++
			o.Merged++
		},
		func(w *stallWorld) { w.Listeners[0].Outputs[0].Written++ },
		`output hook: %d events of listener "a" wait, and it takes none: connection refused`,
	},
	"an output that does not answer, of two listeners": {
		func(w *stallWorld) {
			w.Listeners[0].Outputs[0].Waiting, w.Listeners[1].Outputs[0].Waiting = 3, 4
		},
		func(w *stallWorld) {
			w.Listeners[0].Outputs[0].Waiting, w.Listeners[1].Outputs[0].Delivered = 0, 9
		},
		"output hook: 7 events of 2 listeners wait, and it takes none: it has not answered",
	},
	"a worker in a host call": {
		func(w *stallWorld) {
			w.Listeners[1].WorkingSeconds += stallInterval.Seconds()
			w.Listeners[1].Buffer.Events = 5
		},
		func(w *stallWorld) {
			w.Listeners[1].WorkingSeconds = 0
			w.Listeners[1].Events = map[string]uint64{"add": 1}
		},
		"worker b: a worker has not come back from one event",
	},
	"a handler of which only crashes come": {
		func(w *stallWorld) {
			l := &w.Listeners[1]
			l.Handler.Calls++
			l.Handler.Crashes++
			l.Retried++
			l.Buffer.Events, l.Buffer.Waiting = 7, 1
			l.State, l.Handler.PausedUntil, l.Handler.Error = status.Paused, w.Time, "deadline exceeded"
			if l.Handler.Calls%4 == 0 { // a trial
				l.State, l.Handler.PausedUntil = status.Running, time.Time{}
			}
		},
		func(w *stallWorld) {
			w.Listeners[1].State, w.Listeners[1].Handler = status.Running, &status.Handler{Calls: 99}
		},
		"handler b: it keeps crashing: deadline exceeded",
	},
	"a buffer that nobody empties": {
		func(w *stallWorld) { w.Listeners[0].Due++; w.Listeners[0].Refused++ },
		func(w *stallWorld) { w.Listeners[0].Events = map[string]uint64{"add": 1} },
		"buffer a: %d events wait in it, and none is taken",
	},
	"an API server that is frozen": {
		func(w *stallWorld) { w.server.Answers, w.server.Err = 77, errors.New("i/o timeout") },
		func(w *stallWorld) { w.server = answers{Answers: 78} },
		"API server: it does not answer: i/o timeout",
	},
	"a first list of which nothing comes": {
		func(w *stallWorld) { w.Informers[0].Synced = false },
		func(w *stallWorld) { w.Informers[0].Received++ },
		"informer pods in shop: its first list is not complete, and nothing more of it comes",
	},
	"an informer that lists again and again": {
		func(w *stallWorld) {
			w.Informers[0].Lists++
			w.Informers[0].Received += 100
		},
		func(*stallWorld) {},
		"informer pods in shop: it lists again and again",
	},
	"a controller that does not go on": {
		func(w *stallWorld) { w.Informers[0].Queued++ },
		func(w *stallWorld) { w.Informers[0].Events++ },
		"informer pods in shop: %d events wait to be handed to listeners, of which one may hold it up",
	},
	"a disk that hangs below the checkpoint": {
		func(w *stallWorld) { w.Checkpoint.Current = startStalls },
		func(*stallWorld) {},
		"checkpoint: nothing has been written since then",
	},
	"a reload that hangs": {
		func(w *stallWorld) { w.Reload.Running = startStalls },
		func(w *stallWorld) { w.Reload.Running = time.Time{} },
		"reload: it has not come to an end",
	},
}

// Each stall is found within a minute of its beginning, alone and with its beginning, and ends with
// its cause.
func TestStalls(t *testing.T) {
	for name, c := range foundStalls {
		t.Run(name, func(t *testing.T) {
			w := newStallWorld()
			w.pass(10*time.Minute, nil)
			if len(w.found) > 0 {
				t.Fatalf("all is well: %s", w.says())
			}
			began := w.Time
			w.pass(stallLimit-stallInterval, c.change)
			if name != "an informer that lists again and again" && len(w.found) > 0 {
				t.Errorf("too soon: %s", w.says())
			}
			w.pass(time.Minute-stallLimit+stallInterval, c.change)
			if len(w.found) != 1 {
				t.Fatalf("found: %s", w.says())
			}
			want := c.want
			if before, after, has := strings.Cut(want, "%d"); has {
				got := w.says()
				if !strings.HasPrefix(got, before) || !strings.HasSuffix(got, after) {
					t.Errorf("found %q, want %q", got, want)
				}
			} else if got := w.says(); got != want {
				t.Errorf("found %q, want %q", got, want)
			}
			if since := w.found[0].Since; since.Before(began.Add(-stallInterval)) ||
				since.After(began.Add(2*stallInterval)) && !strings.Contains(name, "again") {
				t.Errorf("since %v, and it began at %v", since, began)
			}
			w.pass(10*time.Minute, c.change)
			if len(w.found) != 1 {
				t.Errorf("after ten minutes: %s", w.says())
			}
			c.end(w)
			w.pass(stallInterval, nil)
			if strings.Contains(name, "again") {
				w.pass(2*stallLimit, nil)
			}
			if len(w.found) > 0 {
				t.Errorf("it has ended: %s", w.says())
			}
		})
	}
}

// Nothing that goes on is a stall, however slow and full it is.
func TestWhatGoesOnIsNoStall(t *testing.T) {
	for name, change := range map[string]func(*stallWorld){
		"an idle cluster without bookmarks": func(*stallWorld) {},
		"a first list of 100,000 objects": func(w *stallWorld) {
			w.Informers[0].Synced = false
			w.Informers[0].Received += 1 << 20
		},
		"a slow output with much to do": func(w *stallWorld) {
			o := &w.Listeners[0].Outputs[0]
			if o.Waiting = 1_000_000; w.Time.Second()%30 == 0 {
				o.Delivered++
			}
		},
		"a full store of dead letters": func(w *stallWorld) {
			w.DeadLetters.Waiting, w.DeadLetters.Bytes = 2, 100
		},
		"dead letters alone": func(w *stallWorld) {
			w.Listeners[0].Outputs[0].Waiting = 5
			w.Listeners[0].Outputs[0].DeadLetters++
		},
		"a slow handler": func(w *stallWorld) {
			l := &w.Listeners[1]
			l.Buffer.Events, l.Due = 1000, 1000
			if l.WorkingSeconds += stallInterval.Seconds(); l.WorkingSeconds > 30 {
				l.WorkingSeconds = 0
				l.Events = map[string]uint64{"add": l.Events["add"] + 1}
				l.Handler.Calls++
			}
		},
		"events that wait for a retry": func(w *stallWorld) {
			w.Listeners[0].Buffer.Events, w.Listeners[0].Buffer.Waiting = 3, 3
			w.Listeners[0].Buffer.Marked = 9
		},
		"a listener that is starting or failing": func(w *stallWorld) {
			w.Listeners[0].State, w.Listeners[0].Buffer.Events = status.Failing, 5
			w.Listeners[1].State, w.Listeners[1].Buffer.Backlog = status.Starting, 5
		},
		"a checkpoint that was given up": func(w *stallWorld) {
			w.Checkpoint.Error, w.Checkpoint.Current = "disk full", startStalls
		},
		"a list each half minute": func(w *stallWorld) {
			if w.Time.Second()%30 == 0 {
				w.Informers[0].Lists++
			}
		},
		"bookmarks each minute": func(w *stallWorld) {
			if w.Time.Second() == 0 {
				w.Informers[0].Bookmarks++
				w.Informers[0].Heard = w.Time
			}
		},
	} {
		w := newStallWorld()
		for range 60 {
			w.pass(2*time.Minute, change)
			if len(w.found) > 0 {
				t.Errorf("%s: %s", name, w.says())
				break
			}
		}
	}
}

// A server that used to send bookmarks and does not any more is found, even if it answers others.
func TestSilence(t *testing.T) {
	w := newStallWorld()
	w.pass(10*time.Minute, func(w *stallWorld) {
		if w.Time.Second() == 0 {
			w.Informers[0].Bookmarks++
			w.Informers[0].Heard = w.Time
		}
	})
	w.pass(silenceLimit-stallInterval, nil)
	if len(w.found) > 0 {
		t.Errorf("too soon: %s", w.says())
	}
	w.pass(2*stallInterval, nil)
	if !strings.Contains(w.says(), "not even the bookmarks") {
		t.Errorf("found %q", w.says())
	}
	w.Informers[0].Heard = w.Time
	w.pass(stallInterval, nil)
	if len(w.found) > 0 {
		t.Errorf("it has ended: %s", w.says())
	}
}

// Time in which nobody looked does not count, such as while the machine slept, nor does a clock
// that is set.
func TestTimeThatDoesNotCount(t *testing.T) {
	w := newStallWorld()
	hang := func(w *stallWorld) { w.Listeners[0].Outputs[0].Waiting = 1 }
	w.pass(stallInterval, hang)
	w.Time = w.Time.Add(time.Hour)
	w.pass(2*stallInterval, hang)
	w.Time = w.Time.Add(-3 * time.Hour)
	w.pass(stallInterval, hang)
	if len(w.found) > 0 {
		t.Errorf("found: %s", w.says())
	}
	w.pass(stallLimit, hang)
	if len(w.found) != 1 {
		t.Errorf("found: %s", w.says())
	}
}

// What has gone is forgotten.
func TestMarksAreBounded(t *testing.T) {
	w := newStallWorld()
	for i := range 1000 {
		w.Listeners[0].Name = fmt.Sprint("l", i)
		w.Listeners[0].Outputs[0].Waiting = 1
		w.pass(stallInterval, nil)
	}
	if n := len(w.d.marks); n > 20 {
		t.Errorf("%d marks", n)
	}
}

// Without an API server to ask, a watch looks all the same.
func TestAWatchOfSeveralClusters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newStallWorld()
		watch := &StallWatch{Status: func() *status.Status {
			s := w.Status
			s.Time, s.Checkpoint = time.Now(), nil
			return &s
		}}
		w.Listeners[0].Due = 1
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { watch.Run(ctx); close(ended) }()
		time.Sleep(10 * time.Minute)
		if found := watch.Found(); len(found) != 1 || found[0].Kind != stalledBuffer {
			t.Errorf("%v", found)
		}
		stop()
		<-ended
	})
}

func TestAWatchLooksAndAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var frozen atomic.Bool
		var pings atomic.Int64
		w := newStallWorld()
		watch := &StallWatch{
			Status: func() *status.Status {
				s := w.Status
				s.Time = time.Now()
				s.Checkpoint = nil
				return &s
			},
			Ping: func(ctx context.Context) error {
				pings.Add(1)
				if frozen.Load() {
					<-ctx.Done()
					return ctx.Err()
				}
				return nil
			},
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { watch.Run(ctx); close(ended) }()
		time.Sleep(10 * time.Minute)
		if found := watch.Found(); len(found) > 0 || pings.Load() < 38 || pings.Load() > 42 {
			t.Errorf("%v after %d pings", found, pings.Load())
		}
		frozen.Store(true)
		time.Sleep(time.Minute)
		if found := watch.Found(); len(found) != 1 || found[0].Kind != stalledAPIServer {
			t.Errorf("%v", found)
		}
		frozen.Store(false)
		time.Sleep(pingInterval + pingTime + 2*stallInterval)
		if found := watch.Found(); len(found) > 0 {
			t.Errorf("%v", found)
		}
		frozen.Store(true)
		time.Sleep(20 * time.Second)
		stop() // while a ping is under way
		<-ended
	})
}
