package plan

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/kube"
)

// KubeconfigMistakes reports that the configuration's kubeconfig cannot be opened.
func KubeconfigMistakes(cfg *config.Config) config.Errors {
	named := cfg.Cluster.Kubeconfig
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
	const field = "cluster.kubeconfig"
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
