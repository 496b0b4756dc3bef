package starter

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/nearest"
	"github.com/informerd/informerd/internal/resourcename"
)

// DefaultFile is the name of a configuration that nobody has named.
const DefaultFile = "informerd.yaml"

// DefaultStateDir is where a configuration keeps its state if nobody says otherwise.
const DefaultStateDir = "state"

// What a configuration may be about.
const (
	Problems = "problems"
	Changes  = "changes"
)

// Subjects are what a configuration may be about.
var Subjects = []string{Problems, Changes}

// DefaultResources are watched if neither resources nor policies are named.
var DefaultResources = []string{"pods", "deployments"}

// Wishes are what a configuration is made of. The zero value is for the problems of
// DefaultResources, on standard output.
type Wishes struct {
	Resources  []string // as in pods, deploy or certificates.cert-manager.io
	Policies   []string // names of ready policies
	About      []string // of Subjects; none: Problems
	Alerts     []Alert  // none: stdout
	Namespaces []string // none: all
	StateDir   string   // "": DefaultStateDir
}

// listener is one of the configuration.
type listener struct {
	name      string
	why       string // a comment above it
	informer  config.Informer
	informers map[string]*config.Informer // further ones, of a policy
	choice    string                      // a select
	rules     []rule
	filter    string
	outputs   []string
}

// settled returns the listeners and outputs, everything filled in.
func (w *Wishes) settled() (listeners []listener, alerts []Alert, err error) {
	for _, about := range w.About {
		if !slices.Contains(Subjects, about) {
			return nil, nil, fmt.Errorf("--about: unknown subject %q; it is %s", about,
				strings.Join(Subjects, " or "))
		}
	}
	resources := w.Resources
	if len(resources) == 0 && len(w.Policies) == 0 {
		resources = DefaultResources
	}
	if alerts, err = w.alerts(); err != nil {
		return nil, nil, err
	}
	names := map[string]bool{}
	for _, name := range unique(w.Policies) {
		l, err := policyListener(name)
		if err != nil {
			return nil, nil, err
		}
		l.name = freeName(l.name, names)
		listeners = append(listeners, l)
	}
	var known []string
	for _, resource := range resources {
		known = append(known, topicOf(resource).resource)
	}
	for _, resource := range unique(known) {
		if resource == "" {
			return nil, nil, errors.New("--from: the name of a resource is empty")
		}
		listeners = append(listeners, w.resourceListener(resource, names))
	}
	if err := w.connect(listeners, alerts); err != nil {
		return nil, nil, err
	}
	return listeners, needed(listeners, alerts), nil
}

// resourceListener returns the listener of a resource.
func (w *Wishes) resourceListener(resource string, names map[string]bool) listener {
	t := topicOf(resource)
	problems := len(w.About) == 0 || slices.Contains(w.About, Problems)
	l := listener{informer: config.Informer{Resource: t.resource,
		AllowSecrets: resourcename.MayBeSecrets(t.resource)}}
	plural, _, _ := strings.Cut(t.resource, ".")
	if names[label(plural)] {
		plural = t.resource
	}
	l.name = freeName(plural, names)
	if problems {
		l.rules = t.rules
	}
	if slices.Contains(w.About, Changes) || len(l.rules) == 0 {
		l.filter = t.filter()
	}
	l.why = t.note
	return l
}

// connect fills in the outputs of the listeners, and their namespaces.
func (w *Wishes) connect(listeners []listener, alerts []Alert) error {
	used := map[string]bool{}
	for i := range listeners {
		l := &listeners[i]
		l.informer.Namespaces = w.namespacesFor(&l.informer)
		for _, further := range l.informers {
			further.Namespaces = w.namespacesFor(further)
		}
		for _, a := range alerts {
			if a.refuses(l) == "" {
				l.outputs = append(l.outputs, a.name)
				used[a.name] = true
			}
		}
		if len(l.outputs) == 0 {
			l.outputs = []string{kindStdout}
		}
	}
	for _, a := range alerts {
		if !used[a.name] {
			return fmt.Errorf("--alert: nothing would go to %s: %s", a.Kind,
				a.refuses(&listeners[0]))
		}
	}
	return nil
}

// namespacesFor returns the namespaces of an informer.
func (w *Wishes) namespacesFor(inf *config.Informer) []string {
	if topicOf(inf.Resource).cluster {
		return nil
	}
	return unique(w.Namespaces)
}

// refuses returns why an output does not get what a listener has, "" if it does.
func (a *Alert) refuses(l *listener) string {
	switch {
	case a.Kind == kindAlertmanager && len(l.rules) == 0:
		return "it takes problems, and there are only changes"
	case a.Kind == kindEvent && strings.HasPrefix(l.informer.Resource, "events"):
		return "Events about Events help nobody"
	}
	return ""
}

// needed returns the outputs, and stdout if a listener has no other.
func needed(listeners []listener, alerts []Alert) []Alert {
	for i := range listeners {
		for _, name := range listeners[i].outputs {
			if !slices.ContainsFunc(alerts, func(a Alert) bool { return a.name == name }) {
				return append(slices.Clone(alerts), Alert{Kind: kindStdout, name: kindStdout})
			}
		}
	}
	return alerts
}

// topicOf returns what is known of a resource, by any of its names.
func topicOf(resource string) topic {
	name := strings.ToLower(strings.TrimSpace(resource))
	for _, t := range topics {
		plural, _, grouped := strings.Cut(t.resource, ".")
		if name == t.resource || slices.Contains(t.names, name) ||
			grouped && name == plural && !t.fullOnly {
			return t
		}
	}
	t := unknownTopic
	t.resource = strings.TrimSpace(resource)
	return t
}

// maxLabel is how long a name may be.
const maxLabel = 63

// label returns a text as the name of a listener.
func label(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, text)
	return strings.Trim(text[:min(len(text), maxLabel)], "-")
}

// freeName returns a name that no listener has, and notes it.
func freeName(wish string, names map[string]bool) string {
	base := label(wish)
	if base == "" {
		base = "listener"
	}
	name := base
	for n := 2; names[name]; n++ {
		suffix := fmt.Sprintf("-%d", n)
		name = base[:min(len(base), maxLabel-len(suffix))] + suffix
	}
	names[name] = true
	return name
}

// unique returns the items without repetitions, trimmed, in their order.
func unique(items []string) (all []string) {
	for _, item := range items {
		if item = strings.TrimSpace(item); !slices.Contains(all, item) {
			all = append(all, item)
		}
	}
	return all
}

// informersOf returns the further informers of all listeners, by name.
func informersOf(listeners []listener) map[string]*config.Informer {
	all := map[string]*config.Informer{}
	for i := range listeners {
		maps.Copy(all, listeners[i].informers)
	}
	return all
}

// unknownWord returns the error about a word that is not among those that are known.
func unknownWord(flag, what, word string, known []string) error {
	if near, ok := nearest.Name(word, known); ok {
		return fmt.Errorf("%s: unknown %s %q; did you mean %s?", flag, what, word, near)
	}
	return fmt.Errorf("%s: unknown %s %q; there are %s", flag, what, word,
		strings.Join(known, ", "))
}
