package config

import (
	"slices"

	"k8s.io/apimachinery/pkg/labels"
)

// Member is one of several clusters that are watched.
type Member struct {
	// Kubeconfig is the path of a kubeconfig file, relative to the folder of this configuration. It
	// is read again when it changes.
	Kubeconfig string `json:"kubeconfig,omitempty" jsonschema:"minLength=1,oneof_required=access"`
	// Context is the context to use of the kubeconfig. Default: its current context.
	Context string `json:"context,omitempty" jsonschema:"minLength=1"`
	// InCluster is the cluster that informerd runs in.
	InCluster bool `json:"inCluster,omitempty" jsonschema:"default=false,oneof_required=access"`
	// Labels are what selectors of clusters and expressions see of it. Default: none.
	Labels map[string]string `json:"labels,omitempty"`
}

// ClustersFrom is a place where kubeconfigs of clusters are.
type ClustersFrom struct {
	// Folder is the path of a folder, relative to the folder of this configuration: a file NAME.yaml
	// in it is the kubeconfig of a cluster of that name.
	Folder string `json:"folder,omitempty" jsonschema:"format=path,oneof_required=from"`
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
