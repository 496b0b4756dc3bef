package config

import (
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/informerd/informerd/internal/config/document"
)

// Member is one of several clusters that are watched.
type Member struct {
	// Kubeconfig is the path of a kubeconfig file, relative to the folder of this configuration. It
	// is read again when it changes.
	Kubeconfig string `json:"kubeconfig,omitempty" jsonschema:"minLength=1,oneof_required=access"`
	// Context is the context to use of the kubeconfig. Default: its current context.
	Context string `json:"context,omitempty" jsonschema:"minLength=1"`
	// InCluster is the cluster that informerd runs in.
	InCluster bool `json:"inCluster,omitempty" jsonschema:"enum=true,oneof_required=access"`
	// Labels are what selectors of clusters and expressions see of it. Default: none.
	Labels map[string]string `json:"labels,omitempty" jsonschema:"propertyNames=label-key,format=label-value"`
}

// ClustersFrom is a place where kubeconfigs of clusters are.
type ClustersFrom struct {
	// Folder is the path of a folder, relative to the folder of this configuration: a file NAME.yaml
	// in it is the kubeconfig of a cluster of that name.
	Folder string `json:"folder,omitempty" jsonschema:"format=path,oneof_required=from" item:"a folder"`
	// Secrets are those of which each is a cluster of its name and labels, with its kubeconfig in
	// kubeconfig, or in value.
	Secrets *ClusterSecrets `json:"secrets,omitempty" jsonschema:"oneof_required=from"`
}

// ClusterSecrets are Secrets of the cluster that informerd belongs to.
type ClusterSecrets struct {
	// Namespace is that of the Secrets.
	Namespace string `json:"namespace" jsonschema:"required,format=namespace"`
	// LabelSelector is which of them are clusters.
	LabelSelector string `json:"labelSelector" jsonschema:"required,minLength=1,format=label-selector"`
}

// Fleet reports whether several clusters are watched.
func (c *Config) Fleet() bool { return len(c.Clusters)+len(c.ClustersFrom) > 0 }

// In reports whether the informer watches a cluster of a name and with labels.
func (i *Informer) In(cluster string, with map[string]string) bool {
	if len(i.Clusters) > 0 {
		return slices.Contains(i.Clusters, cluster)
	}
	selector, err := labels.Parse(i.ClusterSelector)
	return err == nil && selector.Matches(labels.Set(with))
}

func checkClusters(c *Config, r *document.Report) {
	inside := "" // the first one that informerd runs in
	for name, m := range document.Sorted(c.Clusters) {
		path := document.Join("clusters", name)
		if m == nil || !r.Good(path) {
			continue
		}
		if field := path + ".context"; m.Kubeconfig == "" && r.Good(field) && r.Missing(path, "kubeconfig") {
			r.BadField(field, "%s has no effect without %s.kubeconfig", field, path)
		}
		switch field := path + ".inCluster"; {
		case !m.InCluster || !r.Good(field):
		case inside != "":
			r.BadValue(field, "%s: informerd runs in %s already", field, inside)
		default:
			inside = path
		}
	}
	if !c.Fleet() {
		return
	}
	if c.LeaderElection != nil && r.Good("leaderElection") && c.Sharding == nil && r.Missing("", "sharding") {
		r.BadField("leaderElection", "leaderElection with clusters needs sharding, by which replicas share the work")
	}
}

// checkMembership checks which clusters informers are limited to. r is about the configuration.
func checkMembership(c *Config, informers []placedInformer, r *document.Report) {
	for _, p := range informers {
		names, selector := document.Join(p.path, "clusters"), document.Join(p.path, "clusterSelector")
		for _, field := range []string{names, selector} {
			if p.report.Has(field) && !c.Fleet() && r.Missing("", "clusters") && r.Missing("", "clustersFrom") {
				p.report.BadField(field, "%s needs clusters or clustersFrom in the configuration", field)
			}
		}
		if p.report.Has(names) && p.report.Has(selector) {
			p.report.BadField(selector, "%s cannot be combined with %s", selector, names)
		}
		for i, name := range p.informer.Clusters {
			_, known := c.Clusters[name]
			if at := document.Item(names, i); !known && p.report.Good(at) && r.Good("clusters") &&
				!r.Has("clustersFrom") && !r.Broken("") && !misnamed(name, c.Clusters) {
				p.report.BadValue(at, "%s: unknown cluster %s", at,
					document.Quote(name)).Hint = nameHint(p.report, name, "clusters", c.Clusters)
			}
		}
	}
}
