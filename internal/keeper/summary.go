package keeper

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/informerd/informerd/internal/checkpoint"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Summary is what a checkpoint has, in numbers.
type Summary struct {
	Bytes     int64     `json:"bytes"`
	Committed time.Time `json:"committed,omitzero"` // the last cut
	// Informers and Listeners are sorted.
	Informers []InformerSummary `json:"informers"`
	Listeners []ListenerSummary `json:"listeners"`
}

// InformerSummary is what a checkpoint has of an informer.
type InformerSummary struct {
	Resource      string `json:"resource"`
	Namespace     string `json:"namespace,omitempty"`
	LabelSelector string `json:"labelSelector,omitempty"`
	FieldSelector string `json:"fieldSelector,omitempty"`
	// Version is the resourceVersion up to which the objects are complete.
	Version   string   `json:"version"`
	Objects   int      `json:"objects"`
	Listeners []string `json:"listeners"` // that are about them
}

// ListenerSummary is what a checkpoint has of a listener.
type ListenerSummary struct {
	Name string `json:"name"`
	// Unfinished are objects of which the listener has not finished the last event. It is behind
	// by so many versions: from the oldest of these events to the version of the informer.
	Unfinished int    `json:"unfinished"`
	Behind     uint64 `json:"behind"`
	// Unsent is how many events wait for each output for which some do.
	Unsent map[string]int `json:"unsent,omitempty"`
	// Violations are open.
	Violations int `json:"violations"`
}

// attempts is how often a checkpoint is read that changes meanwhile.
const attempts = 5

// Summarize reads a checkpoint, which another process may use, counts what it has, and changes
// nothing. The error is fs.ErrNotExist if there is none.
func Summarize(dir string) (*Summary, error) {
	for n := 1; ; n++ {
		s := newState()
		contents, err := checkpoint.Inspect(dir, s.add)
		if err == nil && contents.Committed.IsZero() {
			err = fmt.Errorf("there is no checkpoint in %s: %w", dir, fs.ErrNotExist)
		}
		var informers map[informer.InformerID]*informer.Stored
		var listeners map[string]*Listener
		if err == nil {
			informers, listeners, err = s.stored()
		}
		if err == nil {
			return summarize(contents, informers, listeners), nil
		}
		changes := errors.Is(err, fs.ErrNotExist) || errors.Is(err, checkpoint.ErrDamaged)
		if !changes || n == attempts {
			return nil, err
		}
	}
}

func summarize(c checkpoint.Contents, informers map[informer.InformerID]*informer.Stored,
	saved map[string]*Listener) *Summary {
	to := &Summary{Bytes: c.Bytes, Committed: c.Committed, Informers: []InformerSummary{},
		Listeners: []ListenerSummary{}}
	listeners := map[string]*ListenerSummary{}
	of := func(name string) *ListenerSummary {
		if listeners[name] == nil {
			listeners[name] = &ListenerSummary{Name: name}
		}
		return listeners[name]
	}
	for id, in := range informers {
		to.Informers = append(to.Informers, summaryOf(id, in))
		versions := versionsOf(in)
		for name, unfinished := range in.Unfinished {
			l := of(name)
			l.Unfinished += len(unfinished)
			if slices.Contains(in.Begins, name) {
				l.Unfinished += unlisted(in, unfinished)
			}
			l.Behind = max(l.Behind, behind(in, versions, unfinished))
		}
	}
	for name, has := range saved {
		l := of(name)
		l.Unsent = has.Route.UnsentTo()
		if rules := has.Route.Rules(); rules != nil {
			l.Violations = rules.Open()
		}
	}
	slices.SortFunc(to.Informers, func(a, b InformerSummary) int {
		return cmp.Or(cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Namespace, b.Namespace),
			cmp.Compare(a.LabelSelector, b.LabelSelector),
			cmp.Compare(a.FieldSelector, b.FieldSelector))
	})
	for _, name := range slices.Sorted(maps.Keys(listeners)) {
		to.Listeners = append(to.Listeners, *listeners[name])
	}
	return to
}

func summaryOf(id informer.InformerID, in *informer.Stored) InformerSummary {
	return InformerSummary{Resource: id.Resource.String(), Namespace: id.Scope.Namespace,
		LabelSelector: id.Scope.LabelSelector, FieldSelector: id.Scope.FieldSelector,
		Version: in.Version, Objects: len(in.Objects), Listeners: slices.Sorted(maps.Keys(in.Unfinished))}
}

// versionsOf returns the versions of objects, or those by which they were gone.
func versionsOf(in *informer.Stored) map[event.Key]uint64 {
	versions := make(map[event.Key]uint64, len(in.Objects)+len(in.Gone))
	for _, o := range in.Objects {
		versions[o.Key()] = object.ParseVersion(o.ResourceVersion())
	}
	for _, gone := range in.Gone {
		versions[gone.Key] = object.ParseVersion(gone.Version)
	}
	return versions
}

// unlisted returns how many objects there are that are not among those that are unfinished.
func unlisted(in *informer.Stored, unfinished []informer.Unfinished) int {
	listed := make(map[event.Key]bool, len(unfinished))
	for i := range unfinished {
		listed[unfinished[i].Key] = true
	}
	n := 0
	for _, o := range in.Objects {
		if !listed[o.Key()] {
			n++
		}
	}
	return n
}

// behind returns by how many versions the oldest unfinished event is behind the informer: that of
// the object, or of the state that the listener knows if the object is gone and nobody knows when.
func behind(in *informer.Stored, versions map[event.Key]uint64,
	unfinished []informer.Unfinished) (most uint64) {
	version := object.ParseVersion(in.Version)
	for i := range unfinished {
		n := versions[unfinished[i].Key]
		if known := unfinished[i].State; n == 0 && known != nil {
			n = object.ParseVersion(known.ResourceVersion())
		}
		if n > 0 && n < version {
			most = max(most, version-n)
		}
	}
	return most
}
