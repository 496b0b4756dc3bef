package template

import (
	"encoding/json"
	"strings"
	"testing"
)

// The pod of a template has what the template says, the namespace of its object, and the name and
// owner that a controller would give it.
func TestPod(t *testing.T) {
	const template = `{"metadata":{"labels":{"app":"web"},"creationTimestamp":null},"spec":{"hostNetwork":true,"n":12345678901234567890}}`
	for _, c := range []struct{ object, of, name, owner string }{
		{`{"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":@}`, "Deployment", "web-x-x", "apps/v1 ReplicaSet web-x"},
		{`{"apiVersion":"apps/v1","kind":"ReplicaSet","spec":{"template":@}`, "ReplicaSet", "web-x", "apps/v1 ReplicaSet web"},
		{`{"apiVersion":"apps/v1","kind":"StatefulSet","spec":{"template":@}`, "StatefulSet", "web-0", "apps/v1 StatefulSet web"},
		{`{"apiVersion":"apps/v1","kind":"DaemonSet","spec":{"template":@}`, "DaemonSet", "web-x", "apps/v1 DaemonSet web"},
		{`{"apiVersion":"v1","kind":"ReplicationController","spec":{"template":@}`, "ReplicationController", "web-x", "v1 ReplicationController web"},
		{`{"apiVersion":"batch/v1","kind":"Job","spec":{"template":@}`, "Job", "web-x", "batch/v1 Job web"},
		{`{"apiVersion":"batch/v1","kind":"CronJob","spec":{"jobTemplate":{"spec":{"template":@}}}`, "CronJob", "web-x-x", "batch/v1 Job web-x"},
	} {
		text := strings.Replace(c.object, "@", template, 1) + `,"metadata":{"name":"web","namespace":"shop"}}`
		made, of := Pod([]byte(text))
		var pod struct {
			APIVersion, Kind string
			Metadata         struct {
				Name, Namespace string
				Labels          map[string]string
				OwnerReferences []struct {
					APIVersion, Kind, Name string
					Controller             bool
				}
			}
			Spec json.RawMessage
		}
		if err := json.Unmarshal(made, &pod); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		m := pod.Metadata
		owner := ""
		for _, o := range m.OwnerReferences {
			if o.Controller {
				owner += o.APIVersion + " " + o.Kind + " " + o.Name
			}
		}
		if of != c.of || pod.APIVersion != "v1" || pod.Kind != "Pod" || m.Name != c.name ||
			m.Namespace != "shop" || m.Labels["app"] != "web" || owner != c.owner ||
			!strings.Contains(string(pod.Spec), `"hostNetwork":true,`) ||
			!strings.Contains(string(pod.Spec), `"n":12345678901234567890`) {
			t.Errorf("%s of %s: %s", made, of, owner)
		}
	}
	for _, none := range []string{"", "[]", "null", `{"kind":"Pod","apiVersion":"v1","spec":{"template":{"spec":{}}}}`,
		`{"apiVersion":"example.com/v1","kind":"Deployment","spec":{"template":{"spec":{}}}}`,
		`{"apiVersion":"apps/v1","kind":"Deployment"}`, `{"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":null}}`,
		`{"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":null}}}`,
		`{"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":[]}}`} {
		if made, of := Pod([]byte(none)); made != nil || of != "" {
			t.Errorf("%s: %s, %s", none, made, of)
		}
	}
	bare, _ := Pod([]byte(`{"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{}}}}`))
	if got := string(bare); strings.Contains(got, "namespace") {
		t.Error(got)
	}
}

// A pod has what its controller adds to the template.
func TestWhatControllersAdd(t *testing.T) {
	for _, c := range []struct{ object, want string }{
		{`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"template":{"spec":{}}}}`,
			`{"generateName":"web-x-","labels":{"pod-template-hash":"x"},"name":"web-x-x"} {}`},
		{`{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web"},"spec":{"template":{"spec":{}}}}`,
			`{"generateName":"web-","name":"web-x"} {}`},
		{`{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"},"spec":{"template":{"metadata":{"labels":{"job-name":"mine"}},"spec":{}}}}`,
			`{"finalizers":["batch.kubernetes.io/job-tracking"],"generateName":"j-","labels":{"batch.kubernetes.io/controller-uid":"x","batch.kubernetes.io/job-name":"j","controller-uid":"x","job-name":"j"},"name":"j-x"} {}`},
		{`{"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"c"},"spec":{"jobTemplate":{"spec":{"completionMode":"Indexed","template":{"spec":{}}}}}}`,
			`{"annotations":{"batch.kubernetes.io/job-completion-index":"0"},"finalizers":["batch.kubernetes.io/job-tracking"],"generateName":"c-x-0-","labels":{"batch.kubernetes.io/controller-uid":"x","batch.kubernetes.io/job-completion-index":"0","batch.kubernetes.io/job-name":"c-x","controller-uid":"x","job-name":"c-x"},"name":"c-x-0-x"} {"hostname":"c-x-0"}`},
		{`{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"pg"},"spec":{"serviceName":"db","ordinals":{"start":3},"volumeClaimTemplates":[{"metadata":{"name":"data"}}],"template":{"spec":{"volumes":[{"name":"data","emptyDir":{}},{"name":"tmp"}]}}}}`,
			`{"generateName":"pg-","labels":{"apps.kubernetes.io/pod-index":"3","controller-revision-hash":"pg-x","statefulset.kubernetes.io/pod-name":"pg-3"},"name":"pg-3"} {"hostname":"pg-3","subdomain":"db","volumes":[{"name":"data","persistentVolumeClaim":{"claimName":"data-pg-3"}},{"name":"tmp"}]}`},
		{`{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"pg"},"spec":{"template":{"spec":7}}}`,
			`{"generateName":"pg-","labels":{"apps.kubernetes.io/pod-index":"0","controller-revision-hash":"pg-x","statefulset.kubernetes.io/pod-name":"pg-0"},"name":"pg-0"} 7`},
		{`{"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"d"},"spec":{"template":{"spec":{"tolerations":[{"key":"a"}]}}}}`,
			`{"generateName":"d-","labels":{"controller-revision-hash":"x","pod-template-generation":"1"},"name":"d-x"} {"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":["x"]}]}]}}},"tolerations":[{"key":"a"},{"effect":"NoExecute","key":"node.kubernetes.io/not-ready","operator":"Exists"},{"effect":"NoExecute","key":"node.kubernetes.io/unreachable","operator":"Exists"},{"effect":"NoSchedule","key":"node.kubernetes.io/disk-pressure","operator":"Exists"},{"effect":"NoSchedule","key":"node.kubernetes.io/memory-pressure","operator":"Exists"},{"effect":"NoSchedule","key":"node.kubernetes.io/pid-pressure","operator":"Exists"},{"effect":"NoSchedule","key":"node.kubernetes.io/unschedulable","operator":"Exists"}]}`},
	} {
		made, _ := Pod([]byte(c.object))
		var pod struct {
			Metadata map[string]any
			Spec     json.RawMessage
		}
		if err := json.Unmarshal(made, &pod); err != nil {
			t.Fatalf("%s: %v", made, err)
		}
		delete(pod.Metadata, "ownerReferences")
		metadata, err := json.Marshal(pod.Metadata)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(metadata) + " " + string(pod.Spec); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.object, got, c.want)
		}
	}
}

// A field of another type, which no API server takes, does not hide the template from those who
// judge what is in it.
func TestPodNextToWrongTypes(t *testing.T) {
	for _, wrong := range []string{`"serviceName":5`, `"ordinals":"0"`, `"volumeClaimTemplates":{}`,
		`"completionMode":7`, `"jobTemplate":[]`} {
		made, of := Pod([]byte(`{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"web"},"spec":{` +
			wrong + `,"template":{"spec":{"hostNetwork":true}}}}`))
		if of != "StatefulSet" || !strings.Contains(string(made), `"hostNetwork":true`) {
			t.Errorf("%s: %s", wrong, made)
		}
	}
}
