package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/docs"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
)

// Query is what to watch. The zero value of each field but Resources is no limit.
type watchQuery struct {
	// Resources are those to watch, as in pods or deployments.apps, or one object of them, as in
	// pods/web. There may be none with a Policy.
	Resources           []string
	Namespaces          []string
	Labels              string // a selector
	Select, Filter      string // expressions
	policy              *config.Policy
	Kubeconfig, Context string
}

// document is the configuration in the order in which it is written.
type watchDocument struct {
	APIVersion string                      `json:"apiVersion"`
	Kind       string                      `json:"kind"`
	Cluster    *watchCluster               `json:"cluster,omitempty"`
	Informers  map[string]*config.Informer `json:"informers,omitempty"`
	Listeners  map[string]*watchListener   `json:"listeners"`
	Outputs    map[string]any              `json:"outputs"`
}

type watchCluster struct {
	Kubeconfig string `json:"kubeconfig,omitempty"`
	Context    string `json:"context,omitempty"`
}

type watchListener struct {
	Informer *config.Informer `json:"informer"`
	Select   string           `json:"select,omitempty"`
	Filter   string           `json:"filter,omitempty"`
	Rules    []config.Rule    `json:"rules,omitempty"`
	Outputs  []string         `json:"outputs"`
}

// output is the name of the only output.
const watchOutput = "stdout"

// config returns the text of the configuration.
func (q *watchQuery) config() ([]byte, error) {
	informers, err := q.informers()
	if err != nil {
		return nil, err
	}
	d := watchDocument{APIVersion: config.APIVersion, Kind: config.Kind,
		Listeners: map[string]*watchListener{}, Outputs: map[string]any{
			watchOutput: map[string]any{"stdout": struct{}{}}}}
	if q.Kubeconfig != "" || q.Context != "" {
		d.Cluster = &watchCluster{q.Kubeconfig, q.Context}
	}
	for _, inf := range informers {
		l := &watchListener{Informer: inf, Select: q.Select, Filter: q.Filter,
			Outputs: []string{watchOutput}}
		if q.policy != nil {
			l.Rules, d.Informers = q.policy.Rules, q.policy.Informers
			l.Select = cmp.Or(l.Select, q.policy.Select.Text)
		}
		d.Listeners[listenerName(inf.Resource, d.Listeners)] = l
	}
	text, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("the configuration cannot be written: %w", err)
	}
	written, err := document.FromJSON(text)
	return append([]byte(docs.SchemaComment), written...), err
}

// informers returns one for each resource.
func (q *watchQuery) informers() (all []*config.Informer, err error) {
	resources := q.Resources
	from := &config.Informer{}
	if len(resources) == 0 {
		if from, err = q.policyInformer(); err != nil {
			return nil, err
		}
		resources = []string{from.Resource}
	}
	for _, resource := range resources {
		inf := *from
		resource, name, one := strings.Cut(resource, "/")
		inf.Resource = resource
		if one {
			if resource == "" || name == "" || strings.ContainsAny(name, "/%,=!\\ ") {
				return nil, fmt.Errorf("%q is no object: write it as pods/web", resource+"/"+name)
			}
			inf.FieldSelector = "metadata.name=" + name
		}
		if len(q.Namespaces) > 0 {
			inf.Namespaces = q.Namespaces
		}
		if q.Labels != "" {
			inf.LabelSelector = q.Labels
		}
		// Whoever names them on the command line watches them on purpose.
		plural, _, _ := strings.Cut(resource, ".")
		inf.AllowSecrets = inf.AllowSecrets || plural == "secrets" || plural == "secret"
		all = append(all, &inf)
	}
	return all, nil
}

func (q *watchQuery) policyInformer() (*config.Informer, error) {
	if q.policy == nil {
		return nil, errors.New("name a resource, as in pods or deployments.apps")
	}
	ref := q.policy.InformerRef
	if ref.Inline != nil {
		return ref.Inline, nil
	}
	if inf := q.policy.Informers[ref.Name]; inf != nil {
		return inf, nil
	}
	return nil, fmt.Errorf("the rules are for the informer %q of a configuration: name a resource as well, as in pods", ref.Name)
}

// nameOf returns the name of a resource's listener, which none of the others has.
func listenerName(resource string, others map[string]*watchListener) string {
	whole := strings.ToLower(strings.NewReplacer(".", "-", "/", "-").Replace(resource))
	plural, _, _ := strings.Cut(whole, "-")
	for n, name := 2, plural; ; n++ {
		if !slices.Contains(slices.Collect(maps.Keys(others)), name) {
			return name
		}
		if name = whole; n > 2 {
			name = fmt.Sprintf("%s-%d", whole, n)
		}
	}
}
