package delivery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errDown = errors.New("connection refused")

// all returns an error for each message.
func all(err error) func([]sink.Message) []error {
	return func(messages []sink.Message) []error { return sink.AllFailed(len(messages), err) }
}

// taking takes everything.
func taking([]sink.Message) []error { return nil }

// one returns the error for each message that is called so.
func one(text string, err error) func([]sink.Message) []error {
	return func(messages []sink.Message) []error {
		errs := make([]error, len(messages))
		for i := range messages {
			if textOfMessage(&messages[i]) == text {
				errs[i] = err
			}
		}
		return errs
	}
}

// textOfMessage returns what stories call a message: "a1" is version 1 of a as it is, "a1:x" what
// was made of it, "a1!" a report, "a1(2)" has missed two, and "a1+" is resumed.
func textOfMessage(m *sink.Message) string {
	text := m.Object.Name() + m.ResourceVersion
	if m.Report != nil {
		return text + "!"
	}
	if m.Body == sink.BodyData {
		text += ":" + m.Data
	}
	if m.Missed > 0 {
		text += fmt.Sprintf("(%d)", m.Missed)
	}
	if m.Resumed {
		text += "+"
	}
	return text
}

// stage is a sink and its receiver.
type stage struct {
	pace sink.Pace

	mu    sync.Mutex
	does  func([]sink.Message) []error
	took  []string
	tries []try
}

// try is one write.
type try struct {
	at    time.Time
	texts string // of its messages
}

func (s *stage) Pace() sink.Pace             { return s.pace }
func (s *stage) Close(context.Context) error { return nil }

func (s *stage) Write(ctx context.Context, messages []sink.Message) []error {
	if err := ctx.Err(); err != nil {
		return sink.AllFailed(len(messages), err)
	}
	var texts []string
	for i := range messages {
		texts = append(texts, textOfMessage(&messages[i]))
	}
	s.mu.Lock()
	does := s.does
	s.tries = append(s.tries, try{time.Now(), strings.Join(texts, " ")})
	s.mu.Unlock()
	errs := does(messages)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, text := range texts {
		if errs == nil || i < len(errs) && errs[i] == nil {
			s.took = append(s.took, text)
		}
	}
	return errs
}

func (s *stage) set(does func([]sink.Message) []error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.does = does
}

// taken returns what the receiver has, in order.
func (s *stage) taken() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.took, " ")
}

// writes returns the messages of each write.
func (s *stage) writes() (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tries {
		all = append(all, t.texts)
	}
	return all
}

// times returns when the writes began, after a time.
func (s *stage) times(since time.Time) (all []time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tries {
		all = append(all, t.at.Sub(since))
	}
	return all
}

// shelf is a store of dead letters.
type shelf struct {
	mu      sync.Mutex
	broken  bool
	full    bool // until ctx is done
	letters []deadletter.Letter
}

func (s *shelf) Put(ctx context.Context, l deadletter.Letter) (string, error) {
	s.mu.Lock()
	broken, full := s.broken, s.full
	s.mu.Unlock()
	switch {
	case broken:
		return "", errors.New("the disk is broken")
	case full:
		<-ctx.Done()
		return "", ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.letters = append(s.letters, l)
	return fmt.Sprintf("letter-%d", len(s.letters)), nil
}

func (s *shelf) set(broken, full bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken, s.full = broken, full
}

// reasons returns what the letters are about, and why.
func (s *shelf) reasons() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, l := range s.letters {
		text := l.Name + l.ResourceVersion
		if l.Rule != "" {
			text += "!"
		}
		if l.Resumed {
			text += "+"
		}
		all = append(all, text+" "+l.Reason)
	}
	return strings.Join(all, ", ")
}

// story is an outbox with what is around it.
type story struct {
	*Outbox
	t       *testing.T
	out     *stage
	to      *Output
	letters *shelf
	by      *Maker
	begun   time.Time
	last    map[string]*object.Object
	cancel  func()
	ended   chan error
}

var quiet = slog.New(slog.DiscardHandler)

// tell runs a story in virtual time.
func tell(t *testing.T, cfg Config, pace sink.Pace, what func(*story)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newStory(t, cfg, pace)
		s.run()
		what(s)
		s.cancel()
		if err := <-s.ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("Run: %v", err)
		}
	})
}

func newStory(t *testing.T, cfg Config, pace sink.Pace) *story {
	s := &story{t: t, out: &stage{pace: pace, does: taking}, letters: &shelf{}, begun: time.Now(),
		last: map[string]*object.Object{}}
	s.to = NewOutput("out", s.out, quiet)
	cfg.Listener = "l"
	if cfg.Letters == nil {
		cfg.Letters = s.letters
	}
	if cfg.Log == nil {
		cfg.Log = &FailureLog{Logger: quiet}
	}
	if cfg.Policy.MaxBackoff == 0 {
		cfg.Policy.MinBackoff, cfg.Policy.MaxBackoff = time.Second, time.Minute
	}
	var err error
	if s.Outbox, err = New(s.to, cfg); err != nil {
		t.Fatal(err)
	}
	s.by = newMaker(t, "c")
	return s
}

// newMaker returns a maker whose messages are from a cluster.
func newMaker(t *testing.T, cluster string) *Maker {
	t.Helper()
	b, err := cloudevent.NewBuilder(
		sink.Origin{Cluster: cluster, Listener: "l", Resource: "pods"})
	if err != nil {
		t.Fatal(err)
	}
	return &Maker{Builder: b}
}

// run has the outbox run.
func (s *story) run() {
	ctx, cancel := context.WithCancel(s.t.Context())
	s.cancel, s.ended = cancel, make(chan error, 1)
	ended := s.ended
	go func() { ended <- s.Run(ctx) }()
	synctest.Wait()
}

// event returns an event of an object: "a1" is version 1 of a, and "a1+" is resumed.
func (s *story) event(text string) event.Event {
	s.t.Helper()
	text, resumed := strings.CutSuffix(text, "+")
	name, version := text[:1], text[1:]
	if _, err := strconv.Atoi(version); err != nil {
		s.t.Fatal(err)
	}
	o, err := (&object.Parser{}).Parse(fmt.Appendf(nil,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"uid":"u","resourceVersion":%q}}`,
		name, version))
	if err != nil {
		s.t.Fatal(err)
	}
	e := event.Event{Op: event.Add, Object: o, Resumed: resumed}
	if old := s.last[name]; old != nil {
		e.Op, e.Old = event.Update, old
	}
	s.last[name] = o
	return e
}

// entry returns what came of an event: the event as it is, or what was made of it, and reports.
func (s *story) entry(e event.Event, made []string, settlers ...Settler) *Pending {
	entry := &Pending{Wanted: true, By: s.by}
	for _, data := range made {
		m := s.by.Builder.Event(e, time.Now())
		m.Body, m.Data = sink.BodyData, data
		entry.own().Messages = append(entry.own().Messages, m)
	}
	for _, settler := range settlers {
		entry.own().Reports = append(entry.own().Reports, s.report(e, settler))
	}
	return entry
}

func (s *story) report(e event.Event, settler Settler) Report {
	m := s.by.Builder.Event(e, time.Now())
	m.Report = &sink.Report{Rule: "rule"}
	return Report{Message: m, Settler: settler}
}

// due is what rules owe of each state of an object, once.
func due(report func(event.Event) Report) func(event.Event) []Report {
	asked := map[*object.Object]bool{}
	return func(e event.Event) []Report {
		if asked[e.Object] {
			return nil
		}
		asked[e.Object] = true
		return []Report{report(e)}
	}
}

// offer offers events as they are: "a1 b1 a2".
func (s *story) offer(texts string) {
	s.t.Helper()
	for _, text := range strings.Fields(texts) {
		e := s.event(text)
		s.put(e, s.entry(e, nil))
	}
}

func (s *story) put(e event.Event, entry *Pending) {
	s.t.Helper()
	if err := s.Offer(s.t.Context(), e, entry); err != nil {
		s.t.Fatal(err)
	}
}

// wait waits for a time, and then until all is quiet.
func (s *story) wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (s *story) wantTaken(want string) {
	s.t.Helper()
	synctest.Wait()
	if got := s.out.taken(); got != want {
		s.t.Errorf("taken: %s\nwant:  %s", got, want)
	}
}

func (s *story) wantLetters(want string) {
	s.t.Helper()
	synctest.Wait()
	if got := s.letters.reasons(); got != want {
		s.t.Errorf("letters: %s\nwant: %s", got, want)
	}
}

// wantEnds checks how so many entries have ended, and that the others wait.
func (s *story) wantEnds(offered, delivered, letters, dropped, merged uint64) {
	s.t.Helper()
	synctest.Wait()
	got := s.Stats()
	waiting := offered - delivered - letters - dropped - merged
	if got.Offered != offered || got.Delivered != delivered || got.DeadLettered != letters ||
		got.Dropped != dropped || got.Merged != merged || got.Waiting != waiting {
		s.t.Errorf("got %+v, want %d offered, %d delivered, %d letters, %d dropped, %d merged",
			got, offered, delivered, letters, dropped, merged)
	}
}

// noted is a settler that notes how its report ended.
type noted struct {
	mu    sync.Mutex
	owed  bool
	ended []string
}

func owedReport() *noted { return &noted{owed: true} }

func (n *noted) Confirm() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.owed {
		n.ended = append(n.ended, "released")
	}
	return n.owed
}

func (n *noted) end(how string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ended = append(n.ended, how)
}

func (n *noted) Took(time.Time)    { n.end("took") }
func (n *noted) Refused(time.Time) { n.end("refused") }
func (n *noted) Release()          { n.end("released") }

func (n *noted) want(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	n.mu.Lock()
	defer n.mu.Unlock()
	if !slices.Equal(n.ended, want) {
		t.Errorf("a report has ended as %v, want %v", n.ended, want)
	}
}

// many is the configuration of most stories.
var many = Config{Capacity: 100, Overflow: informer.OverflowBlock}

// Offer is OfferWait for what came of an event.
func (o *Outbox) Offer(ctx context.Context, e event.Event, p *Pending) error {
	return o.OfferWait(ctx, p.Of(e))
}
