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
			string(pod.Spec) != `{"hostNetwork":true,"n":12345678901234567890}` {
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
