package endpoints

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/informerd/informerd/internal/status"
	"github.com/informerd/informerd/internal/wording"
)

const (
	// stallInterval is how often Look is to be called.
	stallInterval = 5 * time.Second
	// stallLimit is how long nothing has come of what there is to do, in a stall.
	stallLimit = 40 * time.Second

	// silenceLimit is how long nothing was heard of an informer whose server has sent
	// someBookmarks: those that send them do so about once a minute.
	silenceLimit  = 150 * time.Second
	someBookmarks = 3
	// maxLists is how many lists of an informer within stallLimit are no sign of trouble.
	maxLists = 4
)

// The kinds of stalls.
const (
	stalledAPIServer  = "API server"
	stalledInformer   = "informer"
	stalledBuffer     = "buffer"
	stalledWorker     = "worker"
	stalledHandler    = "handler"
	stalledOutput     = "output"
	stalledCheckpoint = "checkpoint"
	stalledReload     = "reload"
)

// stallKinds are all of them, in the order of an event's way.
var stallKinds = []string{stalledAPIServer, stalledInformer, stalledBuffer, stalledWorker, stalledHandler, stalledOutput, stalledCheckpoint,
	stalledReload}

// answers is what is known of the API server.
type answers struct {
	Answers uint64 // how often it has answered
	Err     error  // why it did not, the last time it was asked; nil if it did
}

// detector finds stalls. The zero value has not looked yet. It is for one goroutine.
type detector struct {
	clock time.Duration // that passed, as far as it counts
	last  time.Time
	marks map[string]stallMark
	seen  map[string]bool // marks that this look needs
	found []status.Stall
}

// mark is since when nothing has come of something.
type stallMark struct {
	since    time.Duration
	progress uint64
}

// look returns what has come to a halt, in the order of an event's way. Server is nil if nothing is
// known of the API server.
func (d *detector) look(s *status.Status, server *answers) []status.Stall {
	if !d.last.IsZero() {
		d.clock += min(max(0, s.Time.Sub(d.last)), 2*stallInterval)
	}
	if d.marks == nil {
		d.marks = map[string]stallMark{}
	}
	d.last, d.seen, d.found = s.Time, map[string]bool{}, nil
	if server != nil {
		d.server(server)
	}
	for i := range s.Informers {
		before := len(d.found)
		d.informer(&s.Informers[i])
		for j := range d.found[before:] {
			d.found[before+j].Cluster = s.Informers[i].Cluster
		}
	}
	outputs := map[string]*stalledOutputs{}
	for i := range s.Listeners {
		d.listener(&s.Listeners[i], outputs)
	}
	d.outputs(outputs)
	d.process(s)
	for key := range d.marks {
		if !d.seen[key] {
			delete(d.marks, key)
		}
	}
	return d.found
}

// idle returns how long nothing has come of something that has to be done. progress is different
// whenever something has.
func (d *detector) idle(key string, busy bool, progress uint64) time.Duration {
	if !busy {
		return 0
	}
	d.seen[key] = true
	m, there := d.marks[key]
	if !there || m.progress != progress {
		m = stallMark{d.clock, progress}
		d.marks[key] = m
	}
	return d.clock - m.since
}

// stalled is idle, but reports whether that is too long.
func (d *detector) stalled(key string, busy bool, progress uint64) (since time.Duration, is bool) {
	since = d.idle(key, busy, progress)
	return since, since >= stallLimit
}

func (d *detector) add(kind, what string, since time.Duration, format string, args ...any) {
	d.found = append(d.found, status.Stall{Kind: kind, What: what,
		Text: fmt.Sprintf(format, args...), Since: d.last.Add(-since).Truncate(time.Second)})
}

func (d *detector) server(s *answers) {
	since, is := d.stalled("server", true, s.Answers)
	if is && s.Err != nil {
		d.add(stalledAPIServer, "", since, "it does not answer: %v", s.Err)
	} else if is {
		d.add(stalledAPIServer, "", since, "it does not answer")
	}
}

func (d *detector) informer(in *status.Informer) {
	name := in.Resource + wording.In(in.Namespace)
	key := "informer " + in.Key()
	if since, is := d.stalled(key+" list", !in.Synced, in.Received+in.Lists); is {
		d.add(stalledInformer, name, since, "its first list is not complete, and nothing more of it comes")
		return
	}
	if since, is := d.stalled(key+" queue", in.Queued > 0, in.Events); is {
		d.add(stalledInformer, name, since,
			"%d events wait to be handed to listeners, of which one may hold it up", in.Queued)
	}
	d.lists(key, name, in)
	if since := d.idle(key+" heard", in.Synced && in.Bookmarks >= someBookmarks,
		uint64(in.Heard.UnixNano())); since >= silenceLimit {
		d.add(stalledInformer, name, since,
			"nothing was heard of the API server, not even the bookmarks that it used to send")
	}
}

// lists finds an informer that lists again and again: more than maxLists times within stallLimit. It has
// stopped once it did not for as long.
func (d *detector) lists(key, name string, in *status.Informer) {
	key += " lists"
	again := key + " again"
	window, there := d.marks[key]
	looping, is := d.marks[again]
	many := there && in.Lists-window.progress > maxLists
	if many && !is {
		looping, is = stallMark{since: window.since}, true
	}
	if !there || d.clock-window.since >= stallLimit {
		is = is && many
		d.marks[key] = stallMark{d.clock, in.Lists}
	}
	d.seen[key] = true
	if is {
		d.seen[again], d.marks[again] = true, looping
		d.add(stalledInformer, name, d.clock-looping.since, "it lists again and again")
	}
}

func (d *detector) listener(l *status.Listener, outputs map[string]*stalledOutputs) {
	key := "listener " + l.Name
	before := len(d.found)
	stalled := 0
	for i := range l.Outputs {
		o := &l.Outputs[i]
		since, is := d.stalled(key+" output "+o.Name, o.Waiting > 0,
			o.Delivered+o.Written+o.Unwanted+o.DeadLetters)
		if is {
			stalled++
			at := outputs[o.Name]
			if at == nil {
				at = &stalledOutputs{}
				outputs[o.Name] = at
			}
			at.add(l, o, since)
		}
	}
	working := time.Duration(l.WorkingSeconds * float64(time.Second))
	if working >= stallLimit && stalled == 0 {
		d.add(stalledWorker, l.Name, working, "a worker has not come back from one event")
	}
	if h := l.Handler; h != nil {
		d.handler(key, l, h)
	}
	if stalled > 0 || len(d.found) > before {
		return
	}
	if since, is := d.stalled(key+" buffer", l.Due > 0, l.Taken()+l.Retried+l.DeadLetters); is {
		d.add(stalledBuffer, l.Name, since, "%d events wait in it, and none is taken", l.Due)
	}
}

// handler finds a handler of which only crashes come. It stays found between its pauses, until a
// call is good.
func (d *detector) handler(key string, l *status.Listener, h *status.Handler) {
	key += " handler"
	good := h.Calls - h.Crashes
	m, there := d.marks[key]
	still := there && m.progress == good && l.Waiting() > 0
	if since, is := d.stalled(key, !h.PausedUntil.IsZero() || still, good); is {
		d.add(stalledHandler, l.Name, since, "it keeps crashing: %.300s", h.Error)
	}
}

// away is an output that takes nothing.
type stalledOutputs struct {
	listeners, waiting int
	since              time.Duration
	first, reason      string
}

func (a *stalledOutputs) add(l *status.Listener, o *status.Output, since time.Duration) {
	if a.listeners++; a.listeners == 1 {
		a.first = l.Name
	}
	a.waiting += o.Waiting
	a.since = max(a.since, since)
	a.reason = cmp.Or(a.reason, o.Error)
}

func (d *detector) outputs(all map[string]*stalledOutputs) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		a := all[name]
		of := fmt.Sprintf("of listener %q", a.first)
		if a.listeners > 1 {
			of = fmt.Sprintf("of %d listeners", a.listeners)
		}
		d.add(stalledOutput, name, a.since, "%d events %s wait, and it takes none: %s", a.waiting, of,
			cmp.Or(a.reason, "it has not answered"))
	}
}

// process finds stalls that are of no listener.
func (d *detector) process(s *status.Status) {
	if c := s.Checkpoint; c != nil && !c.Current.IsZero() {
		since, is := d.stalled("checkpoint", c.Error == "", uint64(c.Current.UnixNano()))
		if is {
			d.add(stalledCheckpoint, "", since, "nothing has been written since then")
		}
	}
	if r := s.Reload; r != nil {
		if since, is := d.stalled("reload", !r.Running.IsZero(), uint64(r.Running.UnixNano())); is {
			d.add(stalledReload, "", since, "it has not come to an end")
		}
	}
}
