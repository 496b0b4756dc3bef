// Package template makes the pod that an object's template stands for, as a controller would.
//
//   - Only Kubernetes' own kinds that make pods have one.
//   - The pod is as an API server gets it: without defaults, status and what admission adds. Its
//     name, which a controller makes up, is that of the object with a suffix.
package template

import (
	"encoding/json"
	"fmt"

	"github.com/informerd/informerd/internal/plan/kinds"
)

// maker is what an object that makes pods has.
type maker struct {
	APIVersion, Kind string
	Metadata         struct{ Name, Namespace string }
	Spec             struct {
		Template    pod
		JobTemplate struct{ Spec struct{ Template pod } }
	}
}

// pod is a pod, or the template of one.
type pod struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Metadata   map[string]any  `json:"metadata"`
	Spec       json.RawMessage `json:"spec"`
}

// owners are the kinds between an object and its pods, with their apiVersions.
var owners = map[string][2]string{"Deployment": {"apps/v1", "ReplicaSet"},
	"CronJob": {"batch/v1", "Job"}}

// Pod returns the pod of an object's template, and what the object is. It returns nil for an object
// of a kind that makes no pods, or without a template.
func Pod(object []byte) (made []byte, of string) {
	var m maker
	if json.Unmarshal(object, &m) != nil || !kinds.MakesPods(m.APIVersion, m.Kind) {
		return nil, ""
	}
	p := m.Spec.Template
	if m.Kind == "CronJob" {
		p = m.Spec.JobTemplate.Spec.Template
	}
	if p.Spec == nil || string(p.Spec) == "null" {
		return nil, ""
	}
	p.APIVersion, p.Kind = "v1", "Pod"
	if p.Metadata == nil {
		p.Metadata = map[string]any{}
	}
	name, version, kind := m.Metadata.Name, m.APIVersion, m.Kind
	if by, between := owners[m.Kind]; between {
		version, kind, name = by[0], by[1], name+"-x"
	}
	p.Metadata["ownerReferences"] = []any{map[string]any{"apiVersion": version, "kind": kind,
		"name": name, "controller": true}}
	if m.Kind == "StatefulSet" {
		p.Metadata["name"] = name + "-0"
	} else {
		p.Metadata["name"] = name + "-x"
	}
	if m.Metadata.Namespace != "" {
		p.Metadata["namespace"] = m.Metadata.Namespace
	}
	made, err := json.Marshal(p)
	if err != nil { // it was JSON
		panic(fmt.Sprintf("template: a pod that was read as JSON is none: %v", err))
	}
	return made, m.Kind
}

// Replicas returns how many pods an object asks for, 1 if it does not say that.
func Replicas(object []byte) int {
	o := struct{ Spec struct{ Replicas int } }{}
	o.Spec.Replicas = 1
	if json.Unmarshal(object, &o) != nil {
		return 1
	}
	return o.Spec.Replicas
}
