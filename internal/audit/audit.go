package audit

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/ledger"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Listener is who is audited.
type Listener struct {
	Name   string
	Ledger *ledger.Ledger
	Parts  []Part
	// Buffer adds the hashes of the keys of objects that are in the buffer or with a worker, and
	// reports whether an informer has more. Outputs adds those that wait for an output.
	Buffer  func(map[uint64]struct{}) (blocked bool)
	Outputs func(map[uint64]struct{})
	// Check returns why the parts are not the listener's any more, nil if they are.
	Check func() error
}

// Part is one informer that brings the listener events.
type Part struct {
	// List requests a page of what the informer lists.
	List func(context.Context, metav1.ListOptions) (io.ReadCloser, error)
	// Passed returns what the informer has handed on of objects, as a registration does.
	Passed func(hashes []uint64) (passed []informer.Passed, version uint64, held bool)
	// Queued returns how many changes the informer has that it has not handed on.
	Queued func() int
	// Ended returns the key of an object that has ended lately, and Stored has those that have not.
	Ended  func(hash uint64) (object.Key, bool)
	Stored iter.Seq[object.Key]
}

// Object is what an audit says of one object.
type Object struct {
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"` // "" if it is gone, and nobody knows it any more
	UID       string `json:"uid,omitempty"`
	// Version is the object's in the cluster, and Seen the last one of which the listener's stream
	// had an event that came to an end.
	Version string `json:"version,omitempty"`
	Seen    string `json:"seen,omitempty"`
	Deleted bool   `json:"deleted,omitempty"` // it is about the object's end
	Outcome string `json:"outcome"`
	Reason  string `json:"reason,omitempty"`
}

// Summary is how many objects had which outcome.
type Summary struct {
	Listener string         `json:"listener"`
	Objects  int            `json:"objects"`
	Counts   map[string]int `json:"counts"`
	Seconds  float64        `json:"seconds"`
}

// Options are how an audit is done.
type Options struct {
	// All reports the objects that were delivered or filtered as well.
	All bool
	// Patience is how long an object is waited for that nobody has seen. Default: 10 seconds.
	Patience time.Duration
	// Progress, if set, is called with how many objects were looked at.
	Progress func(objects int)
}

const (
	defaultPatience = 10 * time.Second
	pageSize        = 500
)

// delays is how often an object is asked for that nobody has seen.
var delays = backoff.Backoff{Min: 20 * time.Millisecond, Max: time.Second}

// subject is an object that is being audited.
type subject struct {
	Object
	hash    uint64
	version uint64 // in the cluster
	part    int    // that has it, -1 if it is in none
	// sought: the list does not have it, so that its end is what the listener must have seen.
	sought bool
}

// auditor is one run.
type auditor struct {
	Listener
	Options
	report  func(Object)
	summary Summary
	seen    map[uint64]struct{} // in the cluster
	listed  uint64              // the version of the last list
	open    []subject           // that nobody has seen so far
}

// Run audits a listener, and calls report for each object that was not delivered or filtered, or
// for each. The error is ctx's, or says why the cluster could not be listed.
func Run(ctx context.Context, l Listener, o Options, report func(Object)) (Summary, error) {
	began := time.Now()
	if o.Patience <= 0 {
		o.Patience = defaultPatience
	}
	a := &auditor{Listener: l, Options: o, report: report, seen: map[uint64]struct{}{}}
	a.summary.Listener, a.summary.Counts = l.Name, map[string]int{}
	known := l.Ledger.Objects() // before the list: what begins later is not missed in it
	if err := a.list(ctx, a.judge); err != nil {
		return a.summary, err
	}
	var sought []subject
	for _, hash := range known {
		if _, there := a.seen[hash]; !there {
			sought = append(sought, subject{hash: hash, part: -1, sought: true})
		}
	}
	for page := range slices.Chunk(sought, pageSize) {
		a.judge(page)
	}
	late := began.Add(o.Patience)
	for attempt := 1; len(a.open) > 0 && time.Now().Before(late); attempt++ {
		if err := backoff.Sleep(ctx, delays.Delay(attempt)); err != nil {
			return a.summary, err
		}
		if attempt%4 == 0 {
			if err := a.lookAgain(ctx); err != nil {
				return a.summary, err
			}
		}
		a.judgeOpen()
		if err := a.Check(); err != nil {
			return a.summary, err
		}
	}
	if len(a.open) > 0 {
		if err := a.lookAgain(ctx); err != nil {
			return a.summary, err
		}
		a.judgeOpen()
	}
	if err := a.Check(); err != nil {
		return a.summary, err
	}
	for _, s := range a.open {
		s.Outcome = ledger.OutcomeNeverSeen
		if s.Reason == behind && a.queued(s.part) {
			s.Outcome, s.Reason = ledger.OutcomeWaiting, inInformer
		}
		a.end(&s)
	}
	a.summary.Seconds = time.Since(began).Seconds()
	return a.summary, nil
}

// queued reports whether an informer has something that it has not handed on, which waits for a
// listener with overflow block. It may be any informer if it is not known which one has the object.
func (a *auditor) queued(part int) bool {
	for i := range a.Parts {
		if (part < 0 || part == i) && a.Parts[i].Queued() > 0 {
			return true
		}
	}
	return false
}

// judgeOpen judges again what nobody has seen.
func (a *auditor) judgeOpen() {
	open := a.open
	a.open = nil
	for page := range slices.Chunk(open, pageSize) {
		a.judge(page)
	}
}

// lookAgain looks what became of the open objects in the cluster.
func (a *auditor) lookAgain(ctx context.Context) error {
	now := map[uint64]subject{}
	wanted := map[uint64]bool{}
	for _, s := range a.open {
		wanted[s.hash] = true
	}
	clear(a.seen)
	err := a.list(ctx, func(page []subject) {
		for _, s := range page {
			if wanted[s.hash] {
				now[s.hash] = s
			}
		}
	})
	for i := range a.open {
		s := &a.open[i]
		if is, there := now[s.hash]; there {
			*s = is
		} else {
			s.part, s.sought = -1, true
		}
	}
	return err
}

// end reports an object whose outcome is known.
func (a *auditor) end(s *subject) {
	switch s.Outcome {
	case "":
		return
	case ledger.OutcomeDelivered, ledger.OutcomeFiltered, ledger.OutcomeEarlier:
		a.count(s, a.All)
	default:
		a.count(s, true)
	}
}

func (a *auditor) count(s *subject, report bool) {
	a.summary.Objects++
	a.summary.Counts[s.Outcome]++
	if !report {
		return
	}
	if s.sought {
		s.Deleted = true
		a.name(s)
	}
	a.report(s.Object)
}

// name finds the key of an object that is gone.
func (a *auditor) name(s *subject) {
	for _, p := range a.Parts {
		if key, known := p.Ended(s.hash); known {
			s.Namespace, s.Name = key.Namespace, key.Name
			return
		}
	}
	for _, p := range a.Parts {
		for key := range p.Stored {
			if key.Hash() == s.hash {
				s.Namespace, s.Name = key.Namespace, key.Name
				return
			}
		}
	}
}

// shown returns a version as people see it.
func shown(version uint64) string {
	if version == 0 {
		return ""
	}
	return strconv.FormatUint(version, 10)
}

// wrapped returns an error of a list.
func wrapped(err error) error { return fmt.Errorf("the cluster cannot be listed: %w", err) }
