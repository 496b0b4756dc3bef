// Package template makes the pod that an object's template stands for, as a controller would.
//
//   - Only Kubernetes' own kinds that make pods have one.
//   - The pod is as an API server gets it: without defaults, status and what admission adds. Its
//     name, which a controller makes up, is that of the object with a suffix.
//   - It has what its controller adds: labels, of which hashes and uids are made up, the volumes of
//     a StatefulSet's claims with its host name, and the tolerations and the node of a DaemonSet.
package template

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"

	"github.com/informerd/informerd/internal/plan/kinds"
)

// maker is what an object that makes pods has.
type maker struct {
	APIVersion, Kind string
	Metadata         struct{ Name, Namespace string }
	Spec             struct {
		jobSpec
		JobTemplate          struct{ Spec jobSpec }
		ServiceName          string
		Ordinals             struct{ Start int }
		VolumeClaimTemplates []struct{ Metadata struct{ Name string } }
	}
}

// jobSpec is the spec of what makes pods, or of the Job that does.
type jobSpec struct {
	Template       pod
	CompletionMode string
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
	var wrongType *json.UnmarshalTypeError // of a field; the others are read
	if err := json.Unmarshal(object, &m); err != nil && !errors.As(err, &wrongType) ||
		!kinds.MakesPods(m.APIVersion, m.Kind) {
		return nil, ""
	}
	by := m.Spec.jobSpec
	if m.Kind == "CronJob" {
		by = m.Spec.JobTemplate.Spec
	}
	p := by.Template
	if p.Spec == nil || string(p.Spec) == "null" {
		return nil, ""
	}
	p.APIVersion, p.Kind = "v1", "Pod"
	if p.Metadata == nil {
		p.Metadata = map[string]any{}
	}
	name, version, kind := m.Metadata.Name, m.APIVersion, m.Kind
	if by, between := owners[m.Kind]; between {
		version, kind, name = by[0], by[1], name+"-"+madeUp
	}
	p.Metadata["ownerReferences"] = []any{map[string]any{"apiVersion": version, "kind": kind,
		"name": name, "uid": madeUp, "controller": true}}
	p.Metadata["generateName"], p.Metadata["name"] = name+"-", name+"-"+madeUp
	if m.Metadata.Namespace != "" {
		p.Metadata["namespace"] = m.Metadata.Namespace
	}
	switch kind {
	case "ReplicaSet":
		if m.Kind == "Deployment" {
			p.label("pod-template-hash", madeUp)
		}
	case "StatefulSet":
		m.ofStatefulSet(&p)
	case "DaemonSet":
		p.label("controller-revision-hash", madeUp)
		p.label("pod-template-generation", "1")
		p.edit(ofDaemonSet)
	case "Job":
		for _, prefix := range []string{"", "batch.kubernetes.io/"} {
			p.label(prefix+"job-name", name)
			p.label(prefix+"controller-uid", madeUp)
		}
		if by.CompletionMode == "Indexed" {
			p.label("batch.kubernetes.io/job-completion-index", "0")
			p.set("annotations", "batch.kubernetes.io/job-completion-index", "0")
			p.Metadata["generateName"], p.Metadata["name"] = name+"-0-", name+"-0-"+madeUp
			p.edit(func(spec map[string]any) { spec["hostname"] = name + "-0" })
		}
		p.Metadata["finalizers"] = []any{"batch.kubernetes.io/job-tracking"}
	}
	made, err := json.Marshal(p)
	if err != nil { // it was JSON
		panic(fmt.Sprintf("template: a pod that was read as JSON is none: %v", err))
	}
	return made, m.Kind
}

// madeUp stands for what a controller makes up: hashes, uids and the ends of names.
const madeUp = "x"

// label sets a label, as a controller does whatever the template has.
func (p *pod) label(name, value string) { p.set("labels", name, value) }

func (p *pod) set(field, name, value string) {
	all := map[string]any{}
	if is, ok := p.Metadata[field].(map[string]any); ok {
		maps.Copy(all, is) // several pods may have the template
	}
	all[name] = value
	p.Metadata[field] = all
}

// edit changes the spec. One that is not an object, which no API server takes, stays as it is.
func (p *pod) edit(change func(spec map[string]any)) {
	var spec map[string]any
	decoder := json.NewDecoder(bytes.NewReader(p.Spec))
	decoder.UseNumber()
	if decoder.Decode(&spec) != nil {
		return
	}
	change(spec)
	text, err := json.Marshal(spec)
	if err != nil { // it was JSON
		panic(fmt.Sprintf("template: a spec that was read as JSON is none: %v", err))
	}
	p.Spec = text
}

// ofStatefulSet adds to a pod what the first one of a StatefulSet has.
func (m *maker) ofStatefulSet(p *pod) {
	number := strconv.Itoa(m.Spec.Ordinals.Start)
	name := m.Metadata.Name + "-" + number
	p.Metadata["name"] = name
	p.label("statefulset.kubernetes.io/pod-name", name)
	p.label("apps.kubernetes.io/pod-index", number)
	p.label("controller-revision-hash", m.Metadata.Name+"-"+madeUp)
	p.edit(func(spec map[string]any) {
		spec["hostname"] = name
		if m.Spec.ServiceName != "" {
			spec["subdomain"] = m.Spec.ServiceName
		}
		var volumes []any
		claimed := map[any]bool{}
		for _, c := range m.Spec.VolumeClaimTemplates {
			claimed[c.Metadata.Name] = true
			volumes = append(volumes, map[string]any{"name": c.Metadata.Name,
				"persistentVolumeClaim": map[string]any{"claimName": c.Metadata.Name + "-" + name}})
		}
		others, _ := spec["volumes"].([]any)
		for _, v := range others {
			if o, ok := v.(map[string]any); !ok || !claimed[o["name"]] {
				volumes = append(volumes, v)
			}
		}
		if len(volumes) > 0 {
			spec["volumes"] = volumes
		}
	})
}

// ofDaemonSet adds what the pods of a DaemonSet tolerate, and that each is for one node.
func ofDaemonSet(spec map[string]any) {
	affinity := member(spec, "affinity")
	node := member(affinity, "nodeAffinity")
	required := member(node, "requiredDuringSchedulingIgnoredDuringExecution")
	terms, _ := required["nodeSelectorTerms"].([]any)
	if len(terms) == 0 {
		terms = []any{map[string]any{}}
	}
	for _, term := range terms {
		if t, ok := term.(map[string]any); ok {
			t["matchFields"] = []any{map[string]any{"key": "metadata.name", "operator": "In",
				"values": []any{madeUp}}}
		}
	}
	required["nodeSelectorTerms"] = terms
	all, _ := spec["tolerations"].([]any)
	taints := [][2]string{{"not-ready", "NoExecute"}, {"unreachable", "NoExecute"},
		{"disk-pressure", "NoSchedule"}, {"memory-pressure", "NoSchedule"},
		{"pid-pressure", "NoSchedule"}, {"unschedulable", "NoSchedule"}}
	if spec["hostNetwork"] == true {
		taints = append(taints, [2]string{"network-unavailable", "NoSchedule"})
	}
	for _, t := range taints {
		all = append(all, map[string]any{"key": "node.kubernetes.io/" + t[0],
			"operator": "Exists", "effect": t[1]})
	}
	spec["tolerations"] = all
}

// member returns a member that is an object, which is there from then on.
func member(of map[string]any, name string) map[string]any {
	is, ok := of[name].(map[string]any)
	if !ok {
		is = map[string]any{}
		of[name] = is
	}
	return is
}

// Replicas returns how many pods an object asks for, 1 if it does not say that, and 0 while it is
// suspended.
func Replicas(object []byte) int {
	o := struct {
		Spec struct {
			Replicas int
			Suspend  bool
		}
	}{}
	o.Spec.Replicas = 1
	switch {
	case json.Unmarshal(object, &o) != nil:
		return 1
	case o.Spec.Suspend:
		return 0
	}
	return o.Spec.Replicas
}
