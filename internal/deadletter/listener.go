package deadletter

import (
	"slices"
	"strconv"
	"sync/atomic"
)

// Listener notes what is delivered for one listener, so that a replay does not put an older state
// after a newer one.
type Listener struct {
	name  string
	store *Store
	count atomic.Int64 // letters

	// guarded by the store's lock
	objects          map[objectKey][]*entry
	dropped, expired uint64
}

// Listener returns the part of the store for one listener. It is the same at each call.
func (s *Store) Listener(name string) *Listener {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.listeners[name]
	if l == nil {
		l = &Listener{name: name, store: s, objects: map[objectKey][]*entry{}}
		s.listeners[name] = l
	}
	return l
}

// Delivery is a message that an output took, or the deletion of its object.
type Delivery struct {
	Output                    string
	Cluster                   string
	Resource, Namespace, Name string
	ResourceVersion           string
	Delete                    bool
	Rule                      string // whose report the message is
	Letter                    string // the ID of the letter that was replayed, if one was
}

// Empty reports whether the listener has no letters, so that Delivered has nothing to do.
func (l *Listener) Empty() bool { return l.count.Load() == 0 }

// Delivered notes a delivery. The letters of its object that are older are superseded. Call it
// after the output has taken the message, and before the next message of the object and output.
func (l *Listener) Delivered(d Delivery) {
	if l.Empty() {
		return
	}
	s := l.store
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.last + spread // letters so far
	if id := parseID(d.Letter); id != 0 {
		before = id
	}
	for _, e := range l.objects[s.keyOfObject(d.Cluster, d.Resource, d.Namespace, d.Name)] {
		if !e.superseded && !e.hidden && (e.id < before || d.isLater(e)) && d.supersedes(e) {
			e.superseded = true
			s.useLocked(e, 0, e.size)
			if e.part != nil {
				s.laterLocked(e.part, e.id, e)
				continue
			}
			s.marks = append(s.marks, e)
			signal(s.wake)
		}
	}
}

// supersedes reports whether a message that was delivered after an older letter was put is newer
// than that, too. It may be older if it is for another output than the one that delayed it. An output
// gets the events of an object in order, so there a lower version means that the server was restored.
// A report is superseded by reports of its rule alone: an event says nothing of a violation.
func (d *Delivery) supersedes(e *entry) bool {
	switch output, rule := e.output.Value(), e.rule.Value(); {
	case output != "" && output != d.Output:
		return false
	case rule != "":
		return d.Rule == rule
	case d.ResourceVersion == e.version:
		return d.Delete && !e.deletion
	case output != "" && d.Letter == "" && d.Rule == "":
		return true
	}
	delivered, letter, ok := d.versions(e)
	return !ok || delivered > letter
}

// isLater reports whether a message that was replayed is of a later version than a letter that was
// put behind that of the message: the two were delayed in different places.
func (d *Delivery) isLater(e *entry) bool {
	delivered, letter, ok := d.versions(e)
	return ok && delivered > letter && e.rule.Value() == ""
}

// versions returns those of a delivery and of a letter. Ok is false if one of them is no number.
func (d *Delivery) versions(e *entry) (delivered, letter uint64, ok bool) {
	delivered, errD := strconv.ParseUint(d.ResourceVersion, 10, 64)
	letter, errL := strconv.ParseUint(e.version, 10, 64)
	return delivered, letter, errD == nil && errL == nil
}

// Superseded reports whether something newer than the letter was delivered where it would go. It is
// false for a letter that is not there any more.
func (s *Store) Superseded(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.findLocked(id)
	return e != nil && e.superseded
}

// add adds a letter to its object's.
func (l *Listener) add(e *entry) {
	l.objects[e.object] = append(l.objects[e.object], e)
	l.count.Add(1)
}

func (l *Listener) remove(e *entry) {
	l.count.Add(-1)
	all := slices.DeleteFunc(l.objects[e.object], func(o *entry) bool { return o == e })
	l.objects[e.object] = all
	if len(all) == 0 {
		delete(l.objects, e.object)
	}
}
