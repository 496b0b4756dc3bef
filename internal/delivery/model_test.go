package delivery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/record/recordtest"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// moods are what a receiver does to messages.
var moods = []string{"takes", "takes", "fails", "refuses", "differs", "hangs", "asks", "alone",
	"crashes", "miscounts"}

// heard is a message that was taken, or is a dead letter.
type heard struct {
	name    string
	version int
	part    string // of its entry: a report, the event, or what was made of it
	missed  int
	letter  bool
	// configuration is the number of the one that made it.
	configuration int
}

// world is the receivers and the store of a run, and what they have.
type world struct {
	mu     sync.Mutex
	all    []heard
	wrong  []string
	store  string // what the store does
	book   *book
	random *rand.Rand
}

func (w *world) say(format string, args ...any) {
	w.wrong = append(w.wrong, fmt.Sprintf(format, args...))
}

func (w *world) hear(m *sink.Message, letter bool) {
	version, err := strconv.Atoi(m.ResourceVersion)
	if err != nil {
		w.say("a message without a version: %+v", m)
	}
	part := m.Data
	if m.Report != nil {
		part = "report"
		w.book.hears(m.Object.Name(), m.Report)
	}
	nth, _ := strconv.Atoi(m.Origin.Cluster)
	w.all = append(w.all, heard{m.Object.Name(), version, part, m.Missed, letter, nth})
}

// receiver is a sink of the model.
type receiver struct {
	*world
	out       *Output
	pace      sink.Pace
	mood      string
	underWay  int
	inTrouble int // writes that began during a pause
}

func (r *receiver) Pace() sink.Pace             { return r.pace }
func (r *receiver) Close(context.Context) error { return nil }

func (r *receiver) Write(ctx context.Context, messages []sink.Message) []error {
	if err := ctx.Err(); err != nil {
		return sink.AllFailed(len(messages), err)
	}
	paused, _ := r.out.Pause()
	// Another write may have failed since this one was let through.
	trial := time.Now().After(paused.Begin) && !paused.IsZero()
	r.begin(messages, paused.End, trial)
	time.Sleep(10 * time.Millisecond)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mood == "hangs" {
		r.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Second):
		}
		r.mu.Lock()
	}
	r.underWay--
	if trial {
		r.inTrouble--
	}
	switch r.mood {
	case "crashes":
		panic("a defect")
	case "miscounts":
		return make([]error, len(messages)+1)
	}
	errs := make([]error, len(messages))
	failed := false
	for i := range messages {
		mood := r.mood
		if mood == "differs" {
			mood = moods[r.random.IntN(len(moods))]
		}
		switch mood {
		case "takes", "differs":
			r.hear(&messages[i], false)
			continue
		case "refuses":
			errs[i] = sink.Permanent(errors.New("refused"))
		case "asks":
			errs[i] = sink.RetryAfter(errors.New("later"), 5*time.Second)
		case "alone":
			errs[i] = sink.Alone(errors.New("not this one"))
		default:
			errs[i] = errors.New("failed")
		}
		failed = true
	}
	if !failed {
		return nil
	}
	return errs
}

func (r *receiver) begin(messages []sink.Message, end time.Time, trial bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.underWay++
	seen := map[string]bool{}
	for i := range messages {
		if name := messages[i].Object.Name(); seen[name] {
			r.say("two messages of %s in one write", name)
		} else {
			seen[name] = true
		}
	}
	if len(messages) == 0 || len(messages) > max(r.pace.Batch, 1) ||
		r.underWay > max(r.pace.Writes, 1) {
		r.say("%d messages in one of %d writes, but %+v", len(messages), r.underWay, r.pace)
	}
	if trial {
		r.inTrouble++
		if r.inTrouble > 1 || len(messages) > 1 || time.Now().Before(end) {
			r.say("%d trials at once, of %d messages, %v before the end of the pause", r.inTrouble,
				len(messages), time.Until(end))
		}
	}
}

// Put implements Letters.
func (w *world) Put(ctx context.Context, l deadletter.Letter) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch w.store {
	case "full":
		w.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-time.After(time.Minute):
		}
		w.mu.Lock()
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
	case "fails":
		return "", errors.New("the disk is broken")
	}
	version, _ := strconv.Atoi(l.ResourceVersion)
	part := "report"
	if l.Rule == "" {
		part = "letter"
	}
	nth, _ := strconv.Atoi(l.Cluster)
	w.all = append(w.all, heard{l.Name, version, part, l.Missed, true, nth})
	return fmt.Sprint(len(w.all)), nil
}

// run is one run of the model.
type run struct {
	*world
	t        *testing.T
	outbox   *Outbox
	maker    *Maker // of the present configuration
	nth      int    // so many configurations there were before
	overflow informer.Overflow
	last     map[string]*object.Object // that was taken
	seen     map[string]*object.Object
	offered  map[string]int // entries that were wanted, by object
	final    map[string]int // the last version that was wanted
	retired  atomic.Bool
	replays  atomic.Int32 // that have not ended
	version  int
	receiver *receiver
	cancel   func()
	ended    chan error
	cuts     []recordtest.Cut
	past     Stats // of the outboxes before restarts
}

// configure begins another configuration, by whose number its messages are known.
func (r *run) configure() {
	r.nth++
	b, err := cloudevent.NewBuilder(
		sink.Origin{Cluster: strconv.Itoa(r.nth), Listener: "l", Resource: "pods"})
	if err != nil {
		r.t.Fatal(err)
	}
	r.maker = &Maker{Builder: b, DueReports: func(e event.Event) []Report {
		if r.retired.Load() {
			return nil
		}
		return r.book.owed(e.Object.Name(), message(b, e))
	}}
}

// message returns what a report is sent with.
func message(by *cloudevent.Builder, e event.Event) func() sink.Message {
	return func() sink.Message { return by.Event(e, time.Now()) }
}

// use makes another receiver of the output's name.
func (r *run) use(pace sink.Pace, p Policy) *Output {
	r.receiver = &receiver{world: r.world, pace: pace, mood: "takes"}
	out := NewOutput("out", r.receiver, slog.New(slog.DiscardHandler))
	r.receiver.out = out
	if r.outbox != nil {
		r.outbox.Use(out, p)
	}
	return out
}

func (r *run) start() {
	ctx, cancel := context.WithCancel(r.t.Context())
	r.cancel, r.ended = cancel, make(chan error, 1)
	ended := r.ended
	go func() { ended <- r.outbox.Run(ctx) }()
}

// offer offers what came of an event.
func (r *run) offer(name string, wanted bool, violated [2]bool, made int) {
	r.version++
	o, err := (&object.Parser{}).Parse(fmt.Appendf(nil,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"uid":"u","resourceVersion":"%d"}}`,
		name, r.version))
	if err != nil {
		r.t.Fatal(err)
	}
	r.seen[name] = o
	e := event.Event{Op: event.Update, Object: o, Old: r.last[name]}
	if e.Old == nil {
		e.Op = event.Add
	}
	entry := &Pending{Wanted: wanted, By: r.maker, Observed: time.Now()}
	r.book.judge(name, violated)
	entry.own().Reports = r.book.owed(name, message(r.maker.Builder, e))
	if !wanted && len(entry.own().Reports) == 0 {
		return
	}
	for i := range made {
		m := r.maker.Builder.Event(e, time.Now())
		m.Body, m.Data = sink.BodyData, strconv.Itoa(i)
		entry.own().Messages = append(entry.own().Messages, m)
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Second)
	defer cancel()
	if err := r.outbox.Offer(ctx, e, entry); err != nil {
		for _, report := range entry.own().Reports { // there was no room
			report.Settler.Release()
		}
		return
	}
	r.last[name] = o
	if wanted {
		r.offered[name]++
		r.final[name] = r.version
	}
}

// replay offers what is owed about an object, because of a dead letter or not.
func (r *run) replay(name string, letter bool) {
	o := r.seen[name]
	if o == nil || r.outbox.Has(o.Key()) || letter && !r.book.again(name) {
		return
	}
	entry := DueReports(r.maker)
	if letter {
		r.replays.Add(1)
		entry.own().Replay = &Replay{Letter: "1", Superseded: func() bool { return false },
			Ended: func(Result, error) { r.replays.Add(-1) }}
		entry.own().Replay.Begin()
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Second)
	defer cancel()
	if err := r.outbox.Offer(ctx, event.Event{Op: event.Resync, Object: o}, entry); err != nil &&
		letter {
		entry.own().Replay.End(Failed, err)
	}
}
