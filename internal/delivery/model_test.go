package delivery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// moods are what a receiver does to messages.
var moods = []string{"takes", "takes", "fails", "refuses", "differs", "hangs", "asks", "alone"}

// heard is a message that was taken, or is a dead letter.
type heard struct {
	name    string
	version int
	part    string // of its entry: a report, the event, or what was made of it
	missed  int
	letter  bool
}

// world is the receivers and the store of a run, and what they have.
type world struct {
	mu     sync.Mutex
	all    []heard
	wrong  []string
	store  string // what the store does
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
	}
	w.all = append(w.all, heard{m.Object.Name(), version, part, m.Missed, letter})
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
	trial := !paused.IsZero()
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
func (w *world) Put(ctx context.Context, l deadletter.Letter) error {
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
			return ctx.Err()
		}
	case "fails":
		return errors.New("the disk is broken")
	}
	version, _ := strconv.Atoi(l.ResourceVersion)
	part := "report"
	if l.Rule == "" {
		part = "letter"
	}
	w.all = append(w.all, heard{l.Name, version, part, l.Missed, true})
	return nil
}

// settled is a report's settler, and how it has ended.
type settled struct {
	*world
	name  string
	owes  map[string]int // reports that are owed, by object
	ended bool
}

func (s *settled) Owed() bool { return true }

func (s *settled) end(release bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		s.say("a report of %s ended twice", s.name)
	}
	s.ended = true
	if release {
		s.owes[s.name]++
	}
}

func (s *settled) Took(time.Time)    { s.end(false) }
func (s *settled) Refused(time.Time) { s.end(false) }
func (s *settled) Release()          { s.end(true) }

// run is one run of the model.
type run struct {
	*world
	t        *testing.T
	outbox   *Outbox
	builder  *cloudevent.Builder
	overflow informer.Overflow
	last     map[string]*object.Object
	owes     map[string]int // as above
	offered  map[string]int // entries that were wanted, by object
	final    map[string]int // the last version that was wanted
	reports  int            // that were offered
	version  int
	receiver *receiver
	cancel   func()
	ended    chan error
}

func (r *run) report(m sink.Message) Report {
	m.Report = &sink.Report{Rule: "rule"}
	return Report{Message: m, Settler: &settled{world: r.world, name: m.Object.Name(),
		owes: r.owes}}
}

// owed returns the reports that were released, as a route does.
func (r *run) owed(e event.Event) (all []Report) {
	r.mu.Lock()
	n := r.owes[e.Object.Name()]
	r.owes[e.Object.Name()] = 0
	r.mu.Unlock()
	for range n {
		all = append(all, r.report(r.builder.Event(e, time.Now())))
	}
	return all
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
func (r *run) offer(name string, wanted bool, reports, made int) {
	r.version++
	o, err := (&object.Parser{}).Parse(fmt.Appendf(nil,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"uid":"u","resourceVersion":"%d"}}`,
		name, r.version))
	if err != nil {
		r.t.Fatal(err)
	}
	e := event.Event{Op: event.Update, Object: o, Old: r.last[name]}
	if e.Old == nil {
		e.Op = event.Add
	}
	entry := &Entry{Wanted: wanted, Builder: r.builder, Observed: time.Now()}
	for range reports {
		entry.Reports = append(entry.Reports, r.report(r.builder.Event(e, time.Now())))
	}
	for i := range made {
		m := r.builder.Event(e, time.Now())
		m.Body, m.Data = sink.BodyData, strconv.Itoa(i)
		entry.Messages = append(entry.Messages, m)
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Second)
	defer cancel()
	if err := r.outbox.Offer(ctx, e, entry); err != nil {
		return // there was no room
	}
	r.last[name] = o
	r.reports += reports
	if wanted {
		r.offered[name]++
		r.final[name] = r.version
	}
}
