package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/informerd/informerd/pkg/informer/object"
)

// maxPaths is how many paths an informer may drop.
const maxPaths = 100

// placedInformer is an informer, named or inline, and where it stands.
type placedInformer struct {
	path     string
	report   *report
	informer *Informer
}

var (
	resourceName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`)
	indexName    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,62}$`)
)

func checkInformer(i *Informer, path string, r *report) {
	checkResource(i, path, r)
	checkNamespaces(i, join(path, "namespaces"), r)
	if field := join(path, "labelSelector"); r.good(field) {
		if _, err := parseLabelSelector(i.LabelSelector); err != nil {
			r.value(field, "as in tier=frontend,env in (prod, test),!legacy",
				"%s is not a label selector: %s", field, printable(err))
		}
	}
	if field := join(path, "fieldSelector"); r.good(field) {
		if _, err := parseFieldSelector(i.FieldSelector); err != nil {
			r.value(field, "as in spec.nodeName!=,status.phase=Running",
				"%s is not a field selector: %s", field, printable(err))
		}
	}
	dropped := checkDrop(i, join(path, "drop"), r)
	for name, text := range sorted(i.Indexes) {
		checkIndex(name, text, dropped, join(join(path, "indexes"), name), r)
	}
}

func checkResource(i *Informer, path string, r *report) {
	field := join(path, "resource")
	if r.missing(path, "resource") {
		r.key(path, "add resource, as in pods, deployments.apps or certificates.v1.cert-manager.io",
			"%s has no resource", path)
	}
	if !r.good(field) {
		return
	}
	if !resourceName.MatchString(i.Resource) {
		r.value(field, "write it as pods, deployments.apps or certificates.v1.cert-manager.io",
			"%s is not a resource name: %s", field, quote(i.Resource))
		return
	}
	if isSecrets(i.Resource) && !i.AllowSecrets && !r.failed[join(path, "allowSecrets")] {
		r.value(field, "add allowSecrets: true to the informer if this is meant; their values are replaced by digests even then",
			"%s: secrets are not watched unless the informer allows it", field)
	}
}

// isSecrets tells whether the name is that of the core group's Secrets, as far as one can say
// without the server.
func isSecrets(name string) bool {
	resource, group, _ := strings.Cut(strings.ToLower(name), ".")
	return (resource == "secrets" || resource == "secret") && (group == "" || group == "v1")
}

func checkNamespaces(i *Informer, path string, r *report) {
	if r.good(path) && len(i.Namespaces) == 0 {
		r.value(path, "remove it to watch all namespaces", "%s is an empty list", path)
	}
	seen := make(map[string]bool, len(i.Namespaces))
	for n, namespace := range i.Namespaces {
		field := item(path, n)
		switch {
		case r.good(field) && (namespace == "" || namespace == "*"):
			r.value(field, "remove namespaces to watch all of them",
				"%s must be the name of a namespace, is %s", field, quote(namespace))
		case seen[namespace] && r.good(field):
			r.value(field, "", "%s repeats the namespace %s", field, quote(namespace))
		default:
			r.label(field, namespace)
		}
		seen[namespace] = true
	}
}

// checkDrop gives the paths that are well formed, in normal form.
func checkDrop(i *Informer, path string, r *report) []string {
	if len(i.Drop) > maxPaths {
		r.value(path, "", "%s must have at most %d paths, has %d", path, maxPaths, len(i.Drop))
		return nil
	}
	var dropped []string
	for n, text := range i.Drop {
		field := item(path, n)
		if !r.good(field) {
			continue
		}
		p, err := object.CompilePath(text)
		if err == nil {
			err = new(object.Parser).Drop(p)
		}
		if err != nil {
			r.value(field, "", "%s: %s", field, printable(err))
			continue
		}
		dropped = append(dropped, p.String())
	}
	return dropped
}

func checkIndex(name, text string, dropped []string, path string, r *report) {
	if !indexName.MatchString(name) {
		r.key(path, `use at most 63 letters, digits, "-" and "_", with a letter first`,
			"%s: %s is not a name for an index", path, quote(name))
	}
	if name == "namespace" {
		r.key(path, "choose another name",
			"%s: every informer has an index on the namespace already", path)
	}
	if !r.good(path) {
		return
	}
	p, err := object.CompilePath(text)
	if err != nil {
		r.value(path, "", "%s: %s", path, printable(err))
		return
	}
	for _, drop := range dropped {
		if rest, below := strings.CutPrefix(p.String(), drop); below &&
			(rest == "" || rest[0] == '.' || rest[0] == '[') {
			r.value(path, "", "%s reads %s, which the informer drops", path, quote(text))
			return
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
		for name, text := range sorted(p.informer.Indexes) {
			field := join(join(p.path, "indexes"), name)
			k := key{p.informer.Resource, scope, name}
			other, taken := first[k]
			if !taken {
				first[k] = p
			} else if p.report.good(field) && other.informer.Indexes[name] != text {
				where := other.path
				if other.report != p.report {
					where += " of " + shown(other.report.file)
				}
				p.report.value(field, "choose another name",
					"%s is %s, but %s watches the same objects and has an index of this name on %s",
					field, quote(text), where, quote(other.informer.Indexes[name]))
			}
		}
	}
}

// parseLabelSelector gives the selector in normal form.
func parseLabelSelector(text string) (string, error) {
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

// parseFieldSelector gives the selector in normal form: its terms sorted, == as =.
func parseFieldSelector(text string) (string, error) {
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

// printable is the text of an error that may quote the file, in one line of bounded length.
func printable(err error) string {
	text := strings.Join(strings.Fields(err.Error()), " ")
	const limit = 300
	if runes := []rune(text); len(runes) > limit {
		text = string(runes[:limit]) + "…"
	}
	return text
}
