package sinktest

import (
	"slices"
	"strings"
	"sync"
	"testing"

	ce "github.com/cloudevents/sdk-go/v2/event"
	"go.uber.org/goleak"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
)

// Target is a kind of sink that the suite runs against.
type Target struct {
	// New returns a sink and its receiver, which is healthy, for one case. What outlives Close of
	// the sink ends in a clean-up of t. The sink's own timeout must be some seconds at least; with
	// a fence, which is nil for all cases but one, it may be a second.
	New func(t *testing.T, f *sink.Fence) (sink.Sink, Receiver)
	// Together is set if several messages are one request or one write, for which the fence is
	// asked once. Without it, the fence is asked for each message and for what carries them.
	Together bool
	// Text returns what the receiver has taken when it has taken m. By default it is structured
	// JSON, as cloudevent.Append writes it.
	Text func(m sink.Message) string
	// Read returns the CloudEvent in a text. By default it reads structured JSON with the
	// CloudEvents SDK. A sink that does not send CloudEvents skips "odd messages/*: read".
	Read func(text string) (ce.Event, error)
	// Prepare changes a message of the suite to one that the sink is for, such as the report of a
	// rule. By default nothing is changed.
	Prepare func(m sink.Message) sink.Message
	// RefusesForNow is set if Refuse is worth a retry for this receiver.
	RefusesForNow bool
	// Skip has the names of cases that cannot apply, as they are in the test's output, and why.
	// "odd messages/*" is all odd messages, "odd messages/*: read" that an SDK reads them.
	Skip map[string]string
}

// Receiver is the other end of a sink. Its methods may be called concurrently.
type Receiver interface {
	// Taken returns the text of each message that the receiver has taken, in order.
	Taken() []string
	// Set changes the behaviour from now on. What hangs goes on with Healthy.
	Set(Behaviour)
	// Hung receives a value when a request, or a part of one, has come that hangs. It has room.
	Hung() <-chan struct{}
}

// Behaviour is what a receiver does with messages.
type Behaviour uint8

const (
	Healthy Behaviour = iota // takes every message
	Refuse                   // refuses for good the messages that contain RefusedName
	Fail                     // takes nothing for now, and says so
	Hang                     // takes nothing and does not answer
	Break                    // takes a request and breaks the connection without an answer
)

// RefusedName is in the name of objects whose messages are refused while the receiver is set to
// Refuse, and in no other message.
const RefusedName = "to-be-refused"

// Log is what a receiver has taken and how it behaves: what most receivers need.
type Log struct {
	mu        sync.Mutex
	taken     []string
	behaviour Behaviour
	release   chan struct{} // closed when hanging ends; nil if nothing hangs
	hung      chan struct{}
}

// NewLog returns the Log of a healthy receiver.
func NewLog() *Log { return &Log{hung: make(chan struct{}, 1000)} }

// Taken implements Receiver.
func (l *Log) Taken() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.taken)
}

// Set implements Receiver.
func (l *Log) Set(b Behaviour) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.behaviour = b
	if l.release != nil {
		close(l.release)
		l.release = nil
	}
	if b == Hang {
		l.release = make(chan struct{})
	}
}

// Hung implements Receiver.
func (l *Log) Hung() <-chan struct{} { return l.hung }

// Take takes one message if the behaviour allows, and returns the behaviour that the receiver has
// to show: Healthy if it was taken, Refuse, Fail or Break. While the behaviour is Hang it blocks,
// or until done is closed; it then returns Hang.
func (l *Log) Take(done <-chan struct{}, text string) Behaviour {
	for {
		b, release := l.take(text)
		if b != Hang {
			return b
		}
		select {
		case l.hung <- struct{}{}:
		default:
		}
		select {
		case <-release:
		case <-done:
			return Hang
		}
	}
}

func (l *Log) take(text string) (Behaviour, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.behaviour
	if b == Refuse && !strings.Contains(text, RefusedName) {
		b = Healthy
	}
	if b == Healthy || b == Break {
		l.taken = append(l.taken, text)
	}
	return b, l.release
}

// Run runs the suite. Each case is a subtest and has its own sink, and leaves no goroutine behind.
func Run(t *testing.T, target Target) {
	if target.Text == nil {
		target.Text = func(m sink.Message) string { return string(cloudevent.Append(nil, m)) }
	}
	if target.Read == nil {
		target.Read = readStructured
	}
	if target.Prepare == nil {
		target.Prepare = func(m sink.Message) sink.Message { return m }
	}
	target.checkSkips(t)
	for _, c := range cases {
		before := goleak.IgnoreCurrent()
		t.Run(c.name, func(t *testing.T) {
			if why, ok := target.Skip[c.name]; ok {
				t.Skip(why)
			}
			c.run(newBench(t, target))
		})
		if err := goleak.Find(before); err != nil {
			t.Errorf("%s leaves something behind: %v", c.name, err)
		}
	}
	for _, o := range oddMessages {
		before := goleak.IgnoreCurrent()
		t.Run(oddPrefix+o.name, func(t *testing.T) {
			for _, name := range []string{oddPrefix + "*", oddPrefix + o.name} {
				if why, ok := target.Skip[name]; ok {
					t.Skip(why)
				}
			}
			newBench(t, target).odd(o.make(t))
		})
		if err := goleak.Find(before); err != nil {
			t.Errorf("%s leaves something behind: %v", o.name, err)
		}
	}
}

const (
	oddPrefix = "odd messages/"
	oddUnread = oddPrefix + "*: read"
)

// checkSkips fails the test for a case that does not exist, or has no reason.
func (target *Target) checkSkips(t *testing.T) {
	t.Helper()
	known := []string{oddPrefix + "*", oddUnread}
	for _, c := range cases {
		known = append(known, c.name)
	}
	for _, o := range oddMessages {
		known = append(known, oddPrefix+o.name)
	}
	for name, why := range target.Skip {
		if !slices.Contains(known, name) || why == "" {
			t.Errorf("skipped case %q: unknown, or without a reason; cases are %q", name, known)
		}
	}
}
