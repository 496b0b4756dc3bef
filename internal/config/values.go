package config

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/config/selectors"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Bytes is a number of bytes, and Expression the text of an expression with its place.
type (
	Bytes      = document.Bytes
	Expression = document.Expression
)

// InformerRef is the name of an informer in Config.Informers or in Policy.Informers, or an informer
// in full: one of its fields is set.
type InformerRef struct {
	Name   string
	Inline *Informer `json:",inline"`
}

// MarshalJSON returns the name, or the informer.
func (r InformerRef) MarshalJSON() ([]byte, error) {
	if r.Inline != nil {
		return json.Marshal(r.Inline)
	}
	return json.Marshal(r.Name)
}

// Informer is the informer the listener refers to or brings along. It is never nil in a Config that
// was loaded.
func (l *Listener) Informer() *Informer { return l.informer }

// Informers are the informers that the listener's expressions may look objects up in, by name: the
// configuration's, and those of the policy file it comes from, which take precedence. The map is
// shared: do not change it.
func (l *Listener) Informers() map[string]*Informer { return l.informers }

// Ops is the set of events the listener wants.
func (l *Listener) Ops() event.OpSet {
	var ops event.OpSet
	for _, op := range l.On {
		ops = ops.With(op)
	}
	return ops
}

// Scope is what an informer watches and keeps of its resource. It is comparable. Informers on the
// same resource with equal Scopes see the same objects and can share one watch and one cache. The
// resource is not part of it: po, pods and pods.v1 are the same, but only the API server knows.
// Neither are indexes: a shared cache has those of all.
type Scope struct {
	Namespaces        string // sorted, joined by commas; empty for all
	LabelSelector     string // normal form
	FieldSelector     string // normal form
	Drop              string // paths in normal form, sorted, one a line
	KeepManagedFields bool
}

// InOrder returns the informer with lists sorted whose order means nothing.
func (i *Informer) InOrder() *Informer {
	if i == nil {
		return nil
	}
	sorted := *i
	sorted.Namespaces = slices.Sorted(slices.Values(i.Namespaces))
	sorted.Drop = slices.Sorted(slices.Values(i.Drop))
	return &sorted
}

// Scope returns what the informer watches and keeps. Different spellings have equal Scopes.
func (i *Informer) Scope() Scope {
	labels, _ := selectors.Label(i.LabelSelector)
	fields, _ := selectors.Field(i.FieldSelector)
	var drop []string
	for _, text := range i.Drop {
		if path, err := object.CompilePath(text); err == nil {
			drop = append(drop, path.String())
		}
	}
	slices.Sort(drop)
	return Scope{
		Namespaces:        strings.Join(slices.Sorted(slices.Values(i.Namespaces)), ","),
		LabelSelector:     labels,
		FieldSelector:     fields,
		Drop:              strings.Join(slices.Compact(drop), "\n"),
		KeepManagedFields: i.KeepManagedFields,
	}
}
