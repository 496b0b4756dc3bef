package plan

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/kube"
)

// KubeconfigMistakes reports the kubeconfigs of the configuration that cannot be opened.
func KubeconfigMistakes(cfg *config.Config) config.Errors {
	mistakes := HomeMistakes(cfg)
	for name, m := range document.Sorted(cfg.Clusters) {
		if m != nil { // of a configuration with mistakes
			mistakes = append(mistakes, MemberMistakes(cfg, name)...)
		}
	}
	return mistakes
}

// MemberMistakes is KubeconfigMistakes of one of several clusters alone.
func MemberMistakes(cfg *config.Config, name string) config.Errors {
	return unreadable(cfg, document.Join("clusters", name)+".kubeconfig", cfg.Clusters[name].Kubeconfig)
}

// HomeMistakes is KubeconfigMistakes of the configuration's cluster alone.
func HomeMistakes(cfg *config.Config) config.Errors {
	return unreadable(cfg, "cluster.kubeconfig", cfg.Cluster.Kubeconfig)
}

func unreadable(cfg *config.Config, field, named string) config.Errors {
	if named == "" {
		return nil
	}
	path := cfg.Path(named)
	err := kube.Readable(path)
	if err == nil {
		return nil
	}
	hint := ""
	if strings.Contains(named, "$") {
		hint = "variables are not expanded"
	}
	return config.Errors{cfg.ErrorAt(field, fmt.Sprintf("%s: %.200q cannot be read: %s", field,
		path, document.Reason(err)), hint)}
}

// Connection returns which API server the configuration is about, for [kube.RESTConfig]. A
// kubeconfig and a context that are not empty win over the configuration's.
func Connection(cfg *config.Config, kubeconfig, context string) kube.Options {
	o := kube.Options{Kubeconfig: kubeconfig, Context: cmp.Or(context, cfg.Cluster.Context),
		Compression: cfg.Cluster.Compression}
	if kubeconfig == "" && cfg.Cluster.Kubeconfig != "" {
		o.Kubeconfig = cfg.Path(cfg.Cluster.Kubeconfig)
	}
	return o
}
