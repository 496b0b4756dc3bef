package keeper

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
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

// Summarize reads a checkpoint as Recall does, and counts what it has.
func Summarize(dir string) (*Summary, error) {
	r, err := Recall(dir)
	if err != nil {
		return nil, err
	}
	return r.state.summary(r.contents), nil
}

func (s *state) summary(c checkpoint.Contents) *Summary {
	to := &Summary{Bytes: c.Bytes, Committed: c.Committed, Informers: []InformerSummary{},
		Listeners: []ListenerSummary{}}
	listeners := map[string]*ListenerSummary{}
	of := func(name string) *ListenerSummary {
		if listeners[name] == nil {
			listeners[name] = &ListenerSummary{Name: name}
		}
		return listeners[name]
	}
	for id, in := range s.informers {
		to.Informers = append(to.Informers, in.summary(id))
		for name, told := range in.told {
			l := of(name)
			l.Unfinished += len(told) + in.unlisted(name)
			l.Behind = max(l.Behind, in.behind(name))
		}
	}
	for name, saved := range s.listeners {
		l := of(name)
		l.Unsent = saved.Route.UnsentTo()
		if rules := saved.Route.Rules(); rules != nil {
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

func (s *storedInformer) summary(id informer.InformerID) InformerSummary {
	return InformerSummary{Resource: id.Resource.String(), Namespace: id.Scope.Namespace,
		LabelSelector: id.Scope.LabelSelector, FieldSelector: id.Scope.FieldSelector,
		Version: s.version, Objects: len(s.objects), Listeners: slices.Sorted(maps.Keys(s.told))}
}

// unlisted returns how many objects a listener has to learn that are not listed for it.
func (s *storedInformer) unlisted(listener string) (n int) {
	if !s.begins[listener] {
		return 0
	}
	for key := range s.objects {
		if _, listed := s.told[listener][key]; !listed {
			n++
		}
	}
	return n
}

// behind returns by how many versions a listener is behind the informer.
func (s *storedInformer) behind(listener string) (most uint64) {
	version, err := strconv.ParseUint(s.version, 10, 64)
	if err != nil {
		return 0
	}
	for key, known := range s.told[listener] {
		if n := s.unfinished(key, known.State); n > 0 && n < version {
			most = max(most, version-n)
		}
	}
	return most
}

// unfinished returns the version of an object's last event, or that of the state which a listener
// knows if the object has gone; 0 if it is unknown.
func (s *storedInformer) unfinished(key event.Key, known *object.Object) uint64 {
	text := s.gone[key]
	if o := cmp.Or(s.objects[key], known); o != nil && text == "" {
		text = o.ResourceVersion()
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0
	}
	return n
}
