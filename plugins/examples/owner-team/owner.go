package main

import (
	"errors"
	"fmt"

	informerd "github.com/informerd/informerd/plugins/sdk/go"
)

// maxOwners is how many owner references of an object are examined; one of them is the controller.
const maxOwners = 4

// owner is the object at the end of the chain of controllers that starts at a pod.
type owner struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// reference holds the paths of one owner reference.
type reference struct {
	controller, kind, name *informerd.FieldPath
}

var (
	references = referencePaths()

	replicaSets, deployments, namespaces informerd.CacheReader
	teamPaths                            []*informerd.FieldPath // a label's and an annotation's
)

func referencePaths() (rs []reference) {
	for i := range maxOwners {
		r := fmt.Sprintf("metadata.ownerReferences[%d].", i)
		rs = append(rs, reference{informerd.Path(r + "controller"), informerd.Path(r + "kind"),
			informerd.Path(r + "name")})
	}
	return rs
}

// openCaches opens the informers' caches. An informer that is not granted is an error now, not at
// the first pod.
func openCaches(c config) (err error) {
	for _, cache := range []struct {
		setting, informer string
		reader            *informerd.CacheReader
	}{
		{"replicaSets", c.ReplicaSets, &replicaSets},
		{"deployments", c.Deployments, &deployments},
		{"namespaces", c.Namespaces, &namespaces},
	} {
		*cache.reader, err = informerd.Cache(cache.informer)
		if errors.Is(err, informerd.ErrDenied) {
			return fmt.Errorf(
				"%s: the handler may not read the informer %q: name it in grants.cache.informers",
				cache.setting, cache.informer)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", cache.setting, err)
		}
	}
	teamPaths = nil
	for _, of := range []string{"labels", "annotations"} {
		path, err := informerd.Compile(`metadata.` + of + `["` + c.Team + `"]`)
		if err != nil {
			return fmt.Errorf("team: %w", err)
		}
		teamPaths = append(teamPaths, path)
	}
	return nil
}

// ownerOf follows the controllers of a pod: its ReplicaSet, and that one's Deployment. A pod
// without any is its own owner. The object is the Deployment, if there is one and its cache has it.
func ownerOf(pod informerd.Object, f finding) (top owner, object informerd.Object, err error) {
	top = controller(pod)
	if top.Kind == "" {
		return owner{"Pod", f.Name}, informerd.Object{}, nil
	}
	if top.Kind == "ReplicaSet" {
		set, err := find(replicaSets, f.Namespace, top.Name)
		if err != nil {
			return top, set, err
		}
		if above := controller(set); above.Kind != "" {
			top = above
		}
	}
	if top.Kind == "Deployment" {
		object, err = find(deployments, f.Namespace, top.Name)
	}
	return top, object, err
}

// controller returns the object that controls this one, if any.
func controller(o informerd.Object) owner {
	for _, r := range references {
		if o.Bool(r.controller) {
			return owner{o.String(r.kind), o.String(r.name)}
		}
	}
	return owner{}
}

// teamOf returns the team of the object or, if that has none, of the namespace.
func teamOf(o informerd.Object, namespace string) (team, of string, err error) {
	if team = teamIn(o); team != "" {
		return team, "Deployment", nil
	}
	o, err = find(namespaces, "", namespace)
	if team = teamIn(o); team != "" {
		return team, "Namespace", nil
	}
	return "", "", err
}

func teamIn(o informerd.Object) string {
	for _, path := range teamPaths {
		if team := o.String(path); team != "" {
			return team
		}
	}
	return ""
}

// find returns an object of a cache; a missing one has no fields.
func find(cache informerd.CacheReader, namespace, name string) (informerd.Object, error) {
	o, err := cache.Get(namespace, name)
	if errors.Is(err, informerd.ErrNotFound) {
		return informerd.Object{}, nil
	}
	return o, err
}
