package kube

import "fmt"

// Right is what an account may do with a resource.
type Right struct {
	Resource  Resource
	Namespace string // empty: all, or the resource is cluster-scoped
	Name      string // of the only object; empty: any
	Verb      string
}

// String returns the right as in "patch deployments.apps in shop".
func (r Right) String() string {
	text := r.Verb + " " + r.Resource.GVR.GroupResource().String()
	if r.Name != "" {
		text += fmt.Sprintf(" %q", r.Name)
	}
	if r.Namespace != "" {
		text += " in " + r.Namespace
	}
	return text
}
