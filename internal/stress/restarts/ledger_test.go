package restarts

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// message is what a receiver got.
type message struct {
	ID, Source, Type, Subject, Op, UID string
	ResourceVersion                    string
	OldResourceVersion                 string
	Rule                               string
	Missed                             int
	Resumed                            bool
	FinalStateUnknown                  bool
	Data                               struct {
		N      int // of what an expression has made
		Object struct{ Spec struct{ N int } }
	}
}

func (m message) version() int { v, _ := strconv.Atoi(m.ResourceVersion); return v }
func (m message) from() int    { v, _ := strconv.Atoi(m.OldResourceVersion); return v }
func (m message) kind() string { return m.Type[strings.LastIndex(m.Type, ".")+1:] }
func (m message) n() int       { return m.Data.N + m.Data.Object.Spec.N } // one of them is 0
func (m message) key() string  { return strings.TrimPrefix(m.Subject, "pods/") }

// listener is the name of the one that it comes from.
func (m message) listener() string { return m.Source[strings.LastIndex(m.Source, "/")+1:] }

func (m message) String() string {
	more := ""
	for _, is := range []struct {
		what string
		true bool
	}{{"missed " + strconv.Itoa(m.Missed), m.Missed > 0}, {"rule " + m.Rule, m.Rule != ""},
		{"resumed", m.Resumed}, {"final state unknown", m.FinalStateUnknown}} {
		if is.true {
			more += ", " + is.what
		}
	}
	return fmt.Sprintf("%s %s %s %d from %q, n %d%s, id %.6s", m.kind(), m.key(), m.UID,
		m.version(), m.OldResourceVersion, m.n(), more, m.ID)
}

// outcome is what becomes of a request.
type outcome int

const (
	waiting outcome = iota // there is no answer yet
	taken
	refused // by an error, or without an answer
)

// entry is a message in a ledger.
type entry struct {
	message
	life     int
	received time.Time
	answered time.Time
	beat     *int // the last one that had come when it was acknowledged, see requests
	outcome  outcome
}

func (e *entry) String() string {
	how := [...]string{"waiting", "taken", "refused"}[e.outcome]
	return fmt.Sprintf("life %d, %s, %s %s at beat %d: %v", e.life, e.received.Format("05.000"),
		how, e.answered.Format("05.000"), *e.beat, e.message)
}
