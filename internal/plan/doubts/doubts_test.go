package doubts_test

import (
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan/doubts"
	openapi "github.com/informerd/informerd/internal/schema"
)

// What a hint shows to write is not doubted.
func TestDoubts(t *testing.T) {
	set, err := openapi.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	selector := func(resource, text string) config.Informer {
		return config.Informer{Resource: resource, FieldSelector: text}
	}
	drop := func(resource, path string) config.Informer {
		return config.Informer{Resource: resource, Drop: []string{path}}
	}
	index := func(path string) config.Informer {
		return config.Informer{Resource: "pods", Indexes: map[string]string{"x": path}}
	}
	for _, c := range []struct {
		wrong config.Informer
		want  string // of the doubt and its hint
		right config.Informer
	}{
		{selector("pods", "status.phase=Runing"), `fieldSelector: status.phase is never "Runing"; did you mean "Running"?`,
			selector("pods", "status.phase=Running")},
		{selector("pods", "status.phase!=running"), `is never "running"; did you mean "Running"?`, selector("pods", "status.phase!=Running")},
		{selector("po", "phase=Running"), `: API servers do not select pods by phase; write "status.phase=Running"`,
			selector("po", "status.phase=Running")},
		{selector("pods", "object.status.phase=Running"), `; write "status.phase=Running"`, selector("pods", "status.phase=Running")},
		{selector("pods", "spec.nodename=n"), `; write "spec.nodeName=n"`, selector("pods", "spec.nodeName=n")},
		{selector("pods", "spec.nodeNam=n"), `; did you mean "spec.nodeName"?`, selector("pods", "spec.nodeName=n")},
		{selector("pods", "metadata.labels.app=web"), `; write labelSelector: "app=web"`,
			config.Informer{Resource: "pods", LabelSelector: "app=web"}},
		{selector("deployments", "spec.replicas=0"), "do not select deployments by spec.replicas; they do by metadata.name and metadata.namespace; ask for others in select",
			selector("deployments", "metadata.name=a")},
		{selector("events", "type=Warn"), `type is never "Warn"`, selector("events", "type=Warning,reason=x,involvedObject.name=y")},
		{selector("pods", "metadata.name=web-*"), `as in select: 'glob("web-*", object.metadata.name)'`, selector("pods", "metadata.name=web-1")},
		{drop("pods", "object.status"), "drop[0]: pods have no field object.status; paths begin in the object: write status", drop("pods", "status")},
		{drop("pods", "managedFields"), "did you mean metadata.managedFields?", drop("pods", "metadata.managedFields")},
		{drop("pods", "spec.foo"), "kubectl explain pods.spec lists the fields", drop("pods", "spec.affinity.podAffinity")},
		{drop("pods", "spec.containers.env"), "spec.containers is a list: drop all of it", drop("pods", "spec.containers")},
		{drop("secrets", `metadata.annotation["a.b/c"]`), `did you mean metadata.annotations["a.b/c"]?`, drop("secrets", `metadata.annotations["a.b/c"]`)},
		{index("spec.nodename"), "indexes.x: pods have no field spec.nodename; did you mean spec.nodeName?", index("spec.nodeName")},
		{index("spec.containers.image"), "as in spec.containers[0].image", index("spec.containers[0].image")},
		{index("spec.nodeName.x"), "spec.nodeName is a string", index("spec.nodeName")},
		{index("metadata[0]"), "metadata is not a list: remove the index", index("metadata.labels.team")},
		{index("spec.os.nam"), "did you mean spec.os.name?", index("spec.os.name")},
		{index("spec.os.x"), "the fields there are name", index("spec.os.name")},
	} {
		var got []string
		for _, d := range doubts.Of(set, &c.wrong) {
			got = append(got, d.Field+d.Message+"; "+d.Hint)
		}
		if len(got) != 1 || !strings.Contains(got[0], c.want) {
			t.Errorf("%+v:\n got %q\nwant %s", c.wrong, got, c.want)
		}
		if again := doubts.Of(set, &c.right); len(again) > 0 {
			t.Errorf("as a hint has it: %+v: %v", c.right, again)
		}
	}
}

// Of what is right, and of what may be, nothing is said.
func TestNoDoubts(t *testing.T) {
	set, err := openapi.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, inf := range []config.Informer{
		{Resource: "widgets.example.com", FieldSelector: "spec.x=1", Drop: []string{"a.b"}},
		{Resource: "certificatesigningrequests", FieldSelector: "spec.signerName=x"},
		{Resource: "pods", FieldSelector: "spec.nodeName!=,metadata.namespace!=kube-system,status.phase!=Running"},
		{Resource: "nodes", FieldSelector: "spec.unschedulable=true", Drop: []string{"status.images"}},
		{Resource: "namespaces", FieldSelector: "status.phase=Active"},
		{Resource: "secrets", FieldSelector: "type=kubernetes.io/tls", Drop: []string{"data", `data["a"]`}},
		{Resource: "replicasets.apps", FieldSelector: "status.replicas=0"},
		{Resource: "jobs", FieldSelector: "status.successful=1"},
		{Resource: "ingresses", Indexes: map[string]string{"host": "spec.rules[0].host"}},
		{Resource: "customresourcedefinitions", Drop: []string{"spec.versions"}},
		{Resource: "deployments", Drop: []string{
			`metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]`,
			"metadata.managedFields", "spec.template.spec", "apiVersion"}},
	} {
		if got := doubts.Of(set, &inf); len(got) > 0 {
			t.Errorf("%+v: %v", inf, got)
		}
	}
}

// A name that many clusters have is not taken for a misspelling of another one.
func TestNamesOfResources(t *testing.T) {
	set, err := openapi.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][2]string{ // what is meant, and what is near
		"apps.deployments":                     {"deployments.apps"},
		"apps.v1.deployments":                  {"deployments.v1.apps"},
		"ingresses.extensions":                 {"ingresses.networking.k8s.io"},
		"deployments.extensions":               {"deployments.apps"},
		"jobs.apps":                            {"jobs.batch"},
		"deployments.v1beta1.apps":             {"deployments.apps"},
		"deployments.apps.v1beta1":             {"deployments.apps"},
		"events.k8s.io":                        {"events.events.k8s.io"},
		"events.v1beta1.events.k8s.io":         {"events.events.k8s.io"},
		"pods.v2":                              {"pods"},
		"widgets.apps":                         {},
		"jobs.foundry.example":                 {},
		"pods.metrics.k8s.io":                  {},
		"pods.core":                            {"pods"},
		"deployments.apps":                     {},
		"deployments.example.com":              {},
		"pods":                                 {},
		"certficates":                          {"", "certificates"},
		"certificates.certmanager.io":          {"", "certificates.cert-manager.io"},
		"servicemonitor.monitoring.coreos.com": {"", "servicemonitors.monitoring.coreos.com"},
		"tcproutes.gateway.networking.k8s.io":  {},
		"workloadentries.networking.istio.io":  {},
	} {
		if meant, near := doubts.Meant(set, name), doubts.NearCustom(name); meant != want[0] ||
			near != want[1] {
			t.Errorf("%s: got %q and %q, want %q", name, meant, near, want)
		}
		if want[0] != "" {
			if _, known := set.Find(want[0]); !known {
				t.Errorf("%s: there is no %s", name, want[0])
			}
		}
	}
	for _, name := range []string{"certificates", "Certificate", "certificates.v1.cert-manager.io",
		"certificates.cert-manager.io", "clusterpolicy", "ingressroutes"} {
		if !doubts.IsCustom(name) {
			t.Errorf("%s is not known", name)
		}
	}
	for _, name := range []string{"pods", "certificatesigningrequest", "certificates.example.com"} {
		if doubts.IsCustom(name) {
			t.Errorf("%s is known", name)
		}
	}
}
