package away

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer/event"
)

// receiver is a sink that several listeners share, with a ledger for each.
type receiver struct {
	mu      sync.Mutex
	away    bool
	writes  int // while it was away
	ledgers map[string]*ledger
}

// ledger is what a receiver has of a listener. It takes no memory for each message.
type ledger struct {
	offered  []time.Time // by version: when the listener got the event
	known    []known     // by object
	messages int         // of events
	missed   int
	reports  int
	slowest  time.Duration // from the listener to here
	wrong    []string
}

// known is what a receiver knows of an object.
type known struct {
	version  int
	gone     bool
	violated bool
}

func (r *receiver) Pace() sink.Pace { return sink.Pace{Batch: batch, Writes: writes} }

func (r *receiver) Close(context.Context) error { return nil }

// How the sinks want to be used.
const (
	batch  = 100
	writes = 2
)

func (r *receiver) Write(ctx context.Context, messages []sink.Message) []error {
	if err := ctx.Err(); err != nil {
		return sink.AllFailed(len(messages), err)
	}
	if r.refuses() {
		return sink.AllFailed(len(messages), errors.New("connection refused"))
	}
	time.Sleep(time.Millisecond)
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range messages {
		r.ledgers[messages[i].Origin.Listener].take(&messages[i])
	}
	return nil
}

func (r *receiver) refuses() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.away {
		r.writes++
	}
	return r.away
}

func (r *receiver) set(away bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away = away
}

func (l *ledger) say(format string, args ...any) {
	if len(l.wrong) < 10 {
		l.wrong = append(l.wrong, fmt.Sprintf(format, args...))
	}
}

// take takes a message.
func (l *ledger) take(m *sink.Message) {
	i, err := strconv.Atoi(m.Object.Name()[1:])
	if err != nil {
		l.say("an object that nobody has made: %v", err)
		return
	}
	k := &l.known[i]
	if r := m.Report; r != nil {
		l.reports++
		if r.Violated == k.violated {
			l.say("object %d: violated is %t, and that comes again", i, r.Violated)
		}
		k.violated = r.Violated
		return
	}
	l.messages++
	l.missed += m.Missed
	version, err := strconv.Atoi(m.ResourceVersion)
	if err != nil {
		l.say("object %d: %v", i, err)
		return
	}
	if version <= k.version {
		l.say("object %d: version %d after %d", i, version, k.version)
	}
	k.version, k.gone = version, m.Op == event.Delete
	l.slowest = max(l.slowest, time.Since(l.offered[version]))
}
