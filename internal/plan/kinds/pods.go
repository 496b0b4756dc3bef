package kinds

import (
	"slices"

	openapi "github.com/informerd/informerd/internal/schema"
)

// makePods are the resources whose objects have a template of pods.
var makePods = []string{"deployments.apps", "statefulsets.apps", "daemonsets.apps",
	"replicasets.apps", "jobs.batch", "cronjobs.batch", "replicationcontrollers."}

// MakesPods reports whether an object of the kind has pods that are made for it.
func MakesPods(apiVersion, kind string) bool {
	set, err := openapi.Builtin()
	if err != nil {
		return false
	}
	known, ok := set.FindKind(apiVersion, kind)
	return ok && slices.Contains(makePods, known.Resource+"."+known.Group)
}

// MakerOfPods returns the kind of a resource whose objects have pods that are made for them, "" if
// they have none.
func MakerOfPods(resource string) string {
	set, err := openapi.Builtin()
	if err != nil {
		return ""
	}
	known, ok := set.Find(resource)
	if !ok || !slices.Contains(makePods, known.Resource+"."+known.Group) {
		return ""
	}
	return known.Kind
}
