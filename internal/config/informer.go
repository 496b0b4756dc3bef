package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/resourcename"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Informer is one resource that is listed and watched, in one scope.
type Informer struct {
	// Resource is the name of the resource as discovery has it: pods, deployments.apps or
	// certificates.v1.cert-manager.io. Without a version it is the one the API server prefers.
	Resource string `json:"resource" jsonschema:"required,format=resource"`
	// Namespaces limits the informer to these namespaces. Default: all.
	Namespaces []string `json:"namespaces,omitempty" jsonschema:"minItems=1,uniqueItems,format=namespace" item:"namespace"`
	// Clusters limits the informer to these of several clusters. Default: all.
	Clusters []string `json:"clusters,omitempty" jsonschema:"minItems=1,uniqueItems,minLength=1" item:"cluster"`
	// ClusterSelector limits the informer to the clusters whose labels it matches. Default: all.
	ClusterSelector string `json:"clusterSelector,omitempty" jsonschema:"format=label-selector"`
	// LabelSelector limits the informer to the objects it matches. Default: all.
	LabelSelector string `json:"labelSelector,omitempty" jsonschema:"format=label-selector"`
	// FieldSelector limits the informer to the objects it matches. Default: all.
	FieldSelector string `json:"fieldSelector,omitempty" jsonschema:"format=field-selector"`
	// Drop are paths of fields that are cut out of each object on arrival, on top of
	// metadata.managedFields.
	Drop []string `json:"drop,omitempty" jsonschema:"maxItems=100,format=drop" item:"path"`
	// Indexes are further ways to look objects up in the cache: name of the index to path of the
	// field. An index on the namespace is always there.
	Indexes map[string]string `json:"indexes,omitempty" jsonschema:"propertyNames=index-name,format=field-path"`
	// KeepManagedFields leaves metadata.managedFields in the objects.
	KeepManagedFields bool `json:"keepManagedFields,omitempty" jsonschema:"default=false"`
	// AllowSecrets must be true for an informer on secrets. Their values are replaced by digests
	// even so.
	AllowSecrets bool `json:"allowSecrets,omitempty" jsonschema:"default=false"`
}

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

func decodeRef(v document.Value, into *InformerRef) {
	if v.IsMapping() {
		into.Inline = &Informer{}
		v.Decode(into.Inline)
		return
	}
	if name, ok := v.Text("the name of an informer or an informer"); ok {
		into.Name = name
	}
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
	sorted.Clusters = slices.Sorted(slices.Values(i.Clusters))
	sorted.Drop = slices.Sorted(slices.Values(i.Drop))
	return &sorted
}

// Scope returns what the informer watches and keeps. Different spellings have equal Scopes.
func (i *Informer) Scope() Scope {
	labelSelector, _ := normalLabels(i.LabelSelector)
	fieldSelector, _ := normalFields(i.FieldSelector)
	drop := i.dropped()
	slices.Sort(drop)
	return Scope{
		Namespaces:        strings.Join(slices.Sorted(slices.Values(i.Namespaces)), ","),
		LabelSelector:     labelSelector,
		FieldSelector:     fieldSelector,
		Drop:              strings.Join(slices.Compact(drop), "\n"),
		KeepManagedFields: i.KeepManagedFields,
	}
}

// dropped returns the paths of Drop in normal form.
func (i *Informer) dropped() (paths []string) {
	for _, text := range i.Drop {
		if path, err := object.CompilePath(text); err == nil {
			paths = append(paths, path.String())
		}
	}
	return paths
}

// normalLabels returns a label selector in normal form.
func normalLabels(text string) (string, error) {
	selector, err := labels.Parse(text)
	if err != nil {
		return "", err
	}
	normal := labels.NewSelector()
	terms, _ := selector.Requirements()
	for _, term := range terms {
		oneValue := term.Operator() == selection.In && term.Values().Len() == 1
		if oneValue || term.Operator() == selection.DoubleEquals {
			if equal, err := labels.NewRequirement(term.Key(), selection.Equals,
				term.Values().List()); err == nil {
				term = *equal
			}
		}
		normal = normal.Add(term)
	}
	return normal.String(), nil
}

// normalFields returns a field selector in normal form: its terms sorted, == as =.
func normalFields(text string) (string, error) {
	selector, err := fields.ParseSelector(text)
	if err != nil {
		return "", err
	}
	var terms []string
	for _, term := range selector.Requirements() {
		terms = append(terms, fmt.Sprintf("%s%s%s", term.Field,
			strings.Replace(string(term.Operator), "==", "=", 1), fields.EscapeValue(term.Value)))
	}
	slices.Sort(terms)
	return strings.Join(slices.Compact(terms), ","), nil
}

func checkLabelSelector(text, _ string) (problem string) {
	if _, err := normalLabels(text); err != nil {
		return " is not a label selector: " + selectorError(err)
	}
	return ""
}

func checkFieldSelector(text, _ string) (problem string) {
	if _, err := normalFields(text); err != nil {
		return " is not a field selector: " + selectorError(err)
	}
	return ""
}

// selectorError returns what the parser says, without the expression for what would be right.
func selectorError(err error) string {
	text, _, _ := strings.Cut(document.Printable(err), " (e.g. ")
	return strings.NewReplacer("unable to parse requirement: ", "", "<nil>: ", "").Replace(text)
}

func checkFieldPath(text, _ string) (problem string) {
	_, err := object.CompilePath(text)
	return problemOf(err)
}

// checkDrop checks the path of a field that objects can do without.
func checkDrop(text, _ string) (problem string) {
	path, err := object.CompilePath(text)
	if err == nil {
		err = new(object.Parser).Drop(path)
	}
	return problemOf(err)
}

// placedInformer is an informer, named or inline, and where it is.
type placedInformer struct {
	path     string
	report   *document.Report
	informer *Informer
}

// checkInformer checks what the tags of an informer's fields cannot say.
func checkInformer(i *Informer, path string, r *document.Report) {
	field := document.Join(path, "resource")
	if r.Good(field) && resourcename.MayBeSecrets(i.Resource) && !i.AllowSecrets &&
		!r.Failed(document.Join(path, "allowSecrets")) {
		r.BadValue(field, "%s: secrets are not watched without allowSecrets: true", field)
	}
	for name, text := range document.Sorted(i.Indexes) {
		at := document.Join(document.Join(path, "indexes"), name)
		if name == "namespace" {
			r.BadField(at, "%s: every informer has an index on the namespace already", at)
		}
		p, err := object.CompilePath(text)
		if err == nil && r.Good(at) && slices.ContainsFunc(i.dropped(), func(drop string) bool {
			rest, below := strings.CutPrefix(p.String(), drop)
			return below && (rest == "" || rest[0] == '.' || rest[0] == '[')
		}) {
			r.BadValue(at, "%s reads %s, which the informer drops", at, document.Quote(text))
		}
	}
}

// checkSharedIndexes looks at informers that will share one cache: an index of one name is one
// index.
func checkSharedIndexes(informers []placedInformer) {
	type key struct {
		resource string
		scope    Scope
		index    string
	}
	first := map[key]placedInformer{}
	for _, p := range informers {
		scope := p.informer.Scope()
		for name, text := range document.Sorted(p.informer.Indexes) {
			field := document.Join(document.Join(p.path, "indexes"), name)
			k := key{p.informer.Resource, scope, name}
			other, taken := first[k]
			if !taken {
				first[k] = p
			} else if p.report.Good(field) && other.informer.Indexes[name] != text {
				where := other.path
				if other.report != p.report {
					where += " of " + document.Shown(other.report.File())
				}
				p.report.BadValue(field,
					"%s is %s, but %s watches the same objects and has an index of this name on %s",
					field, document.Quote(text), where,
					document.Quote(other.informer.Indexes[name]))
			}
		}
	}
}
