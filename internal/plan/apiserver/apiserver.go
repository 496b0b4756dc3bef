// Package apiserver returns which API server a configuration is about, and what is wrong with the
// kubeconfig that it names.
package apiserver

import (
	"cmp"
	"fmt"
	"path/filepath"
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
	var hint string
	below, inHome := strings.CutPrefix(strings.NewReplacer("${HOME}", "$HOME").Replace(named),
		"$HOME/")
	switch {
	case inHome:
		hint = fmt.Sprintf("variables are not expanded; write %.200q", "~/"+below)
	case strings.Contains(named, "$"):
		hint = "variables are not expanded; write the path, or pass it with --kubeconfig"
	case !filepath.IsAbs(named) && !strings.HasPrefix(named, "~"):
		hint = "it counts from the folder of this configuration"
	default:
		hint = "name another file, or remove it to use $KUBECONFIG or ~/.kube/config"
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
