package doubts

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/fields"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/nearest"
	openapi "github.com/informerd/informerd/internal/schema"
)

// everywhere are the fields by which API servers select objects of every resource.
var everywhere = []string{"metadata.name", "metadata.namespace"}

// selectable are the further fields by which API servers select the objects of a resource: those of
// the field label conversions and strategies of Kubernetes v1.36. A resource that is not here is
// not checked.
var selectable = map[string]string{
	"pods": "spec.nodeName spec.host spec.restartPolicy spec.schedulerName spec.serviceAccountName " +
		"spec.hostNetwork status.phase status.podIP status.podIPs status.nominatedNodeName",
	"events": "involvedObject.apiVersion involvedObject.fieldPath involvedObject.kind " +
		"involvedObject.name involvedObject.namespace involvedObject.resourceVersion " +
		"involvedObject.uid reason reportingComponent source type",
	"namespaces":             "status.phase",
	"secrets":                "type",
	"services":               "spec.clusterIP spec.type",
	"nodes":                  "spec.unschedulable",
	"replicationcontrollers": "status.replicas",
	"replicasets.apps":       "status.replicas",
	"jobs.batch":             "status.successful",
	"configmaps":             "", "serviceaccounts": "", "persistentvolumes": "",
	"persistentvolumeclaims": "", "endpoints": "", "limitranges": "", "resourcequotas": "",
	"deployments.apps": "", "statefulsets.apps": "", "daemonsets.apps": "", "cronjobs.batch": "",
	"horizontalpodautoscalers.autoscaling": "", "poddisruptionbudgets.policy": "",
	"ingresses.networking.k8s.io": "", "networkpolicies.networking.k8s.io": "",
	"endpointslices.discovery.k8s.io": "", "leases.coordination.k8s.io": "",
	"roles.rbac.authorization.k8s.io": "", "rolebindings.rbac.authorization.k8s.io": "",
	"clusterroles.rbac.authorization.k8s.io": "", "storageclasses.storage.k8s.io": "",
	"clusterrolebindings.rbac.authorization.k8s.io": "",
}

// values are the only ones that some of the fields have.
var values = map[string][]string{
	"pods status.phase":        {"Pending", "Running", "Succeeded", "Failed", "Unknown"},
	"pods spec.restartPolicy":  {"Always", "OnFailure", "Never"},
	"pods spec.hostNetwork":    {"true", "false"},
	"namespaces status.phase":  {"Active", "Terminating"},
	"nodes spec.unschedulable": {"true", "false"},
	"events type":              {"Normal", "Warning"},
	"services spec.type":       {"ClusterIP", "NodePort", "LoadBalancer", "ExternalName"},
}

// selectorDoubts is about the field selector of an informer on a resource.
func selectorDoubts(name openapi.Name, text string) (all []Doubt) {
	selector, err := fields.ParseSelector(text)
	resource := strings.TrimSuffix(name.Resource+"."+name.Group, ".")
	more, known := selectable[resource]
	if err != nil || text == "" {
		return nil
	}
	may := slices.Concat(everywhere, strings.Fields(more))
	for _, term := range selector.Requirements() {
		wrong := ""
		hint := ""
		switch {
		case term.Value == "":
		case term.Field == "metadata.name" && strings.ContainsAny(term.Value, "*?[]"):
			wrong = fmt.Sprintf(" is for an object of the name %s: names are compared as they are",
				document.Quote(term.Value))
			hint = fmt.Sprintf("write it in select of the listener, as in select: 'glob(%q, object.metadata.name)'",
				term.Value)
		case values[resource+" "+term.Field] != nil:
			wrong, hint = valueDoubt(values[resource+" "+term.Field], term.Field, term.Value)
		}
		if known && !slices.Contains(may, term.Field) {
			wrong = fmt.Sprintf(": API servers do not select %s by %s", name.Resource, term.Field)
			if hint = fieldHint(term, may); hint == "" {
				hint = "they do by " + document.And(may) +
					"; ask for others in select of the listener, an expression about the object"
			}
		}
		if wrong != "" {
			all = append(all, Doubt{"fieldSelector", wrong, hint})
		}
	}
	return all
}

// valueDoubt is about a value that a field never has.
func valueDoubt(values []string, field, value string) (message, hint string) {
	if slices.Contains(values, value) {
		return "", ""
	}
	hint = "write " + document.Or(values)
	for _, v := range values {
		if strings.EqualFold(v, value) {
			return fmt.Sprintf(": %s is never %s", field, document.Quote(value)),
				fmt.Sprintf("did you mean %q?", v)
		}
	}
	if near, found := nearest.Name(value, values); found {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return fmt.Sprintf(": %s is never %s", field, document.Quote(value)), hint
}

// fieldHint returns what to write in place of a term on a field that cannot be selected by.
func fieldHint(term fields.Requirement, may []string) string {
	op := strings.Replace(string(term.Operator), "==", "=", 1)
	for _, prefix := range []string{"metadata.labels.", "labels.", "label."} {
		if label, found := strings.CutPrefix(term.Field, prefix); found && label != "" {
			return "write labelSelector: " + document.Flow(label+op+term.Value)
		}
	}
	bare := strings.TrimPrefix(strings.TrimPrefix(term.Field, "object."), ".")
	for _, field := range may {
		if strings.EqualFold(bare, field) || strings.HasSuffix(field, "."+bare) {
			return "write " + document.Flow(field+op+fields.EscapeValue(term.Value))
		}
	}
	if near, found := nearest.Name(bare, may); found {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}
