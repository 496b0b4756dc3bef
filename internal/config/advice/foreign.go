package advice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
)

// signature are members at the top of files of other programs. A file has all of one of them.
type signature struct {
	members    []string
	what, hint string
}

const beginHint = "informerd init writes a configuration to begin with"

// signatures are those of files without apiVersion and kind.
var signatures = []signature{
	{[]string{"services"}, "a file of docker compose", beginHint},
	{[]string{"scrape_configs"}, "a configuration of Prometheus", beginHint},
	{[]string{"rule_files"}, "a configuration of Prometheus", beginHint},
	{[]string{"groups"}, "rules of Prometheus",
		"they are about metrics; rules about objects are in listeners, or in policy files; " + beginHint},
	{[]string{"inhibit_rules"}, alertmanagerFile, alertmanagerHint},
	{[]string{"route", "receivers", "global"}, alertmanagerFile, alertmanagerHint},
	{[]string{"route", "receivers", "templates"}, alertmanagerFile, alertmanagerHint},
	{[]string{"jobs", "on"}, "a workflow of GitHub", beginHint},
	{[]string{"stages"}, "a pipeline of GitLab", beginHint},
	{[]string{"image", "replicaCount"}, helmValues, helmHint},
	{[]string{"image", "config"}, helmValues, helmHint},
	{[]string{"config", "rbac"}, helmValues, helmHint},
	{[]string{"serviceAccount"}, helmValues, helmHint},
	{[]string{"replicaCount"}, helmValues, helmHint},
	{[]string{"dependencies", "name", "version"}, "Chart.yaml of a Helm chart", helmHint},
	{[]string{"resources", "namespace"}, "a kustomization", kustomizeHint},
	{[]string{"configMapGenerator"}, "a kustomization", kustomizeHint},
	{[]string{"openapi"}, "a description of an API", beginHint},
}

const (
	alertmanagerFile = "a configuration of Alertmanager"
	alertmanagerHint = "its address belongs to an output: write outputs: {NAME: {alertmanager: {url: http://alertmanager:9093}}}; " + beginHint
	helmValues       = "values of a Helm chart"
	helmHint         = "the chart of informerd has the configuration in config: save that as a file of its own, and name that file"
	kustomizeHint    = "name the file of the configuration itself"
)

// Foreign returns what a file of another program with these members at its top, and these ones in
// its receivers, looks like, and what to do, "" if it does not.
func Foreign(members, receivers []string, apiVersion, kind string) (what, hint string) {
	has := func(name string) bool { return slices.Contains(members, name) }
	switch ours := strings.HasPrefix(apiVersion, "informerd"); {
	case !has("apiVersion") && !has("kind") && !has("listeners") && !has("outputs"):
		for _, s := range signatures {
			if !slices.ContainsFunc(s.members, func(name string) bool { return !has(name) }) {
				return s.what, s.hint
			}
		}
		if has("route") && slices.ContainsFunc(receivers, func(name string) bool {
			return strings.HasSuffix(name, "_configs")
		}) {
			return alertmanagerFile, alertmanagerHint
		}
	case ours && kind == "Config" && has("rules") && has("informer") && !has("listeners"):
		return "a policy", "write kind: Policy"
	case ours || kind == "" || apiVersion == "":
	case kind == "Config" && !has("listeners") && !has("outputs") &&
		(has("clusters") || has("contexts") || has("current-context")):
		return "a kubeconfig", "name it with --kubeconfig, or in a configuration: cluster: {kubeconfig: PATH}; " + beginHint
	case kind == "Config" || kind == "Policy" && !has("spec"):
	case kind == "ConfigMap" || kind == "Secret":
		return "a " + kind + " of Kubernetes", "save the text of the file in its data as a file of its own, and name that file; in a cluster: kubectl get -o 'jsonpath={.data.informerd\\.yaml}' configmap/NAME | informerd validate -"
	case apiVersion == "kustomize.config.k8s.io/v1beta1" || kind == "Kustomization":
		return "a kustomization", kustomizeHint
	case has("metadata") || has("spec") || has("items"):
		return fmt.Sprintf("an object of Kubernetes, of kind %s", document.Quote(kind)), beginHint
	}
	return "", ""
}
