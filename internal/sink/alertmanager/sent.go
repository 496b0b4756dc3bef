package alertmanager

import (
	"strconv"
	"strings"
	"sync"

	"github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer/event"
)

// maxSent is how many violations of a listener the labels are kept of.
const maxSent = 1 << 16

// Sent has the labels of the violations that an Alertmanager has, of 65,536 of each listener. Sinks
// that take each other's place share one. Listeners are named
// CLUSTER/NAME/SHARD. The zero value is empty.
type Sent struct {
	mu sync.Mutex // guards what follows
	by map[string]*sentBy
}

// sentBy is what a listener has sent.
type sentBy struct {
	labels  map[violation]map[string]string
	changed map[violation]struct{} // since the last cut; nil if there was none
}

// violation is what has labels.
type violation struct {
	_                     struct{} `cbor:",toarray"`
	Rule, Namespace, Name string
	Since                 int64 // nanoseconds
}

// savedLabels is the value of a record.
type savedLabels struct {
	_      struct{} `cbor:",toarray"`
	Of     violation
	Labels map[string]string
}

// listenerOf names the listener of a message, in its cluster and shard.
func listenerOf(m *sink.Message) string {
	return m.Origin.Cluster + "/" + m.Origin.Listener + "/" + m.Origin.Shard
}

func violationOf(m *sink.Message) violation {
	return violation{Rule: m.Report.Rule, Namespace: m.Object.Namespace(), Name: m.Object.Name(),
		Since: m.Report.Since.UnixNano()}
}

// write writes the record of a violation.
func (l *sentBy) write(v violation, to record.Writer, part string) {
	key := event.Key{Namespace: v.Namespace,
		Name: strings.Join([]string{v.Name, strconv.FormatInt(v.Since, 36), v.Rule}, "\x00")}
	if labels := l.labels[v]; labels != nil {
		to.Put(part, key, &savedLabels{Of: v, Labels: labels}, nil)
	} else {
		to.Delete(part, key)
	}
}

// labels returns those that a violation was sent with, which must not be changed, nil if it was not.
func (s *Sent) labels(listener string, v violation) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.by[listener]; l != nil {
		return l.labels[v]
	}
	return nil
}

// set notes the labels that a violation was sent with; nil: its end was.
func (s *Sent) set(listener string, v violation, labels map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by == nil {
		s.by = map[string]*sentBy{}
	}
	l := s.by[listener]
	if l == nil {
		l = &sentBy{labels: map[violation]map[string]string{}}
		s.by[listener] = l
	}
	if l.change(v); labels == nil {
		delete(l.labels, v)
		return
	}
	l.labels[v] = labels
	for other := range l.labels {
		if len(l.labels) <= maxSent {
			break
		}
		if other != v {
			l.change(other)
			delete(l.labels, other)
		}
	}
}

func (l *sentBy) change(v violation) {
	if l.changed != nil {
		l.changed[v] = struct{}{}
	}
}

// Cut writes what has changed of a listener since the cut before into a part of its records. The
// first cut has everything.
func (s *Sent) Cut(listener string, to record.Writer, part string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.by[listener]
	switch {
	case l == nil:
	case l.changed == nil:
		l.changed = map[violation]struct{}{}
		l.whole(to, part)
	default:
		for v := range l.changed {
			l.write(v, to, part)
		}
		clear(l.changed)
	}
}

// Whole writes all of a listener. What Cut writes stays as it was.
func (s *Sent) Whole(listener string, to record.Writer, part string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.by[listener]; l != nil {
		l.whole(to, part)
	}
}

func (l *sentBy) whole(to record.Writer, part string) {
	to.Clear(part)
	for v := range l.labels {
		l.write(v, to, part)
	}
}

// Forget forgets what a listener has sent.
func (s *Sent) Forget(listener string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.by, listener)
}

// Restore notes what a listener's cuts have.
func (s *Sent) Restore(listener string, records map[event.Key]record.Record) error {
	for _, r := range records {
		var saved savedLabels
		if err := r.Decode(&saved); err != nil {
			return err
		}
		s.set(listener, saved.Of, saved.Labels)
	}
	return nil
}
