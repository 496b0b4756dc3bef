package status

import "time"

// Rates are what happened per second between two statuses.
type Rates struct {
	Over      time.Duration
	CPU       float64 // cores
	Informers map[string]float64
	Listeners map[string]ListenerRates
}

// ListenerRates are those of a listener.
type ListenerRates struct {
	Events   float64 // taken from the buffer
	Seen     float64 // the same, and those that were refused before it
	Written  float64
	Retried  float64
	Failures float64
	Outputs  map[string]float64 // messages that they took
}

// RatesOf returns what happened between two statuses. What is only in one of them, and what has
// begun again at 0, has no rate.
func RatesOf(before, after *Status) Rates {
	over := after.Time.Sub(before.Time)
	r := Rates{Over: over, Informers: map[string]float64{}, Listeners: map[string]ListenerRates{}}
	if over <= 0 {
		return r
	}
	per := func(was, is uint64) float64 {
		if is < was {
			return 0
		}
		return float64(is-was) / over.Seconds()
	}
	r.CPU = max(0, after.Process.CPUSeconds-before.Process.CPUSeconds) / over.Seconds()
	informers := map[string]uint64{}
	for i := range before.Informers {
		informers[before.Informers[i].Key()] = before.Informers[i].Events
	}
	for i := range after.Informers {
		in := &after.Informers[i]
		if was, there := informers[in.Key()]; there {
			r.Informers[in.Key()] = per(was, in.Events)
		}
	}
	listeners := map[string]*Listener{}
	for i := range before.Listeners {
		listeners[before.Listeners[i].Name] = &before.Listeners[i]
	}
	for i := range after.Listeners {
		l := &after.Listeners[i]
		was := listeners[l.Name]
		if was == nil {
			continue
		}
		rates := ListenerRates{Events: per(was.Taken(), l.Taken()),
			Seen:    per(was.Taken()+was.Refused, l.Taken()+l.Refused),
			Written: per(was.Written, l.Written), Retried: per(was.Retried, l.Retried),
			Failures: per(was.failures(), l.failures()),
			Outputs:  map[string]float64{}}
		outputs := map[string]uint64{}
		for _, o := range was.Outputs {
			outputs[o.Name] = o.Written
		}
		for _, o := range l.Outputs {
			if was, there := outputs[o.Name]; there {
				rates.Outputs[o.Name] = per(was, o.Written)
			}
		}
		r.Listeners[l.Name] = rates
	}
	return r
}

// Key tells an informer from all others.
func (in *Informer) Key() string {
	return in.Resource + " " + in.Namespace + " " + in.LabelSelector + " " + in.FieldSelector + " " + in.Shard + " " + in.Cluster
}

// Taken is how many events the listener took from its buffer.
func (l *Listener) Taken() (n uint64) {
	for _, events := range l.Events {
		n += events
	}
	return n
}

// failures is how many tries of the listener have failed: events and messages that were put back,
// and those that were given up.
func (l *Listener) failures() uint64 { return l.Retried + l.DeadLetters }

// Oldest is the age of the oldest event that waits anywhere in the listener, in seconds.
func (l *Listener) Oldest() float64 {
	oldest := l.Buffer.OldestSeconds
	for _, o := range l.Outputs {
		oldest = max(oldest, o.OldestSeconds)
	}
	return oldest
}

// Waiting is how many events wait in the listener, in its buffer or for its outputs.
func (l *Listener) Waiting() int {
	n := l.Buffer.Events + l.Buffer.Marked + l.Buffer.Backlog + l.Buffer.OnDisk
	for _, o := range l.Outputs {
		n += o.Waiting
	}
	return n
}

// Troubles returns what is wrong with the listener, the most serious first.
func (l *Listener) Troubles() (all []string) {
	all = append(all, l.Reasons...)
	if l.Handler != nil && l.Handler.Error != "" {
		all = append(all, "handler: "+l.Handler.Error)
	}
	for _, o := range l.Outputs {
		if o.Error != "" {
			all = append(all, "output "+o.Name+": "+o.Error)
		}
	}
	return all
}
