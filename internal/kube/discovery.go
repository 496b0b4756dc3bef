package kube

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/outbound"
)

// groupVersion is what a server has in one version of a group.
type groupVersion struct {
	schema.GroupVersion
	entries []entry
	err     error // why they cannot be listed
}

// acceptAggregated asks for all groups in one answer. Servers before Kubernetes 1.26 answer with the
// names of groups alone.
const acceptAggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
	"application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"

// discover asks the server for its groups: the core group first, then in the server's order, each
// with its preferred version first.
func (r *Resolver) discover(ctx context.Context) ([]groupVersion, error) {
	core, err := r.groups(ctx, "/api")
	if err != nil && !apierrors.IsNotFound(err) { // an aggregated server may have no core group
		return nil, err
	}
	// Where the servers themselves are, behind the address that they were reached at. Only the older
	// form of the answer has it, and what does not know it is no worse for that.
	var own metav1.APIVersions
	_ = r.get(ctx, "/api", "application/json", &own)
	for _, a := range own.ServerAddressByClientCIDRs {
		outbound.AddAPIServer(a.ServerAddress)
	}
	others, err := r.groups(ctx, "/apis")
	return append(core, others...), err
}

// groups returns the groups below a path.
func (r *Resolver) groups(ctx context.Context, path string) ([]groupVersion, error) {
	var answer struct {
		Items []struct { // of an APIGroupDiscoveryList
			Metadata metav1.ObjectMeta
			Versions []struct {
				Version, Freshness string
				Resources          []struct {
					Verbs, ShortNames                 []string
					Resource, Scope, SingularResource string
					ResponseKind                      schema.GroupVersionKind
					Subresources                      []struct{ Subresource string }
				}
			}
		}
		metav1.APIGroupList          // of older servers, or
		Versions            []string // of the core group
	}
	if err := r.get(ctx, path, acceptAggregated, &answer); err != nil {
		return nil, err
	}
	if answer.Items == nil {
		return r.legacyGroups(ctx, path, answer.Versions, answer.Groups)
	}
	var found []groupVersion
	for _, group := range answer.Items {
		for _, v := range group.Versions {
			gv := groupVersion{
				GroupVersion: schema.GroupVersion{Group: group.Metadata.Name, Version: v.Version}}
			if v.Freshness == "Stale" {
				gv.err = errors.New("the server's list is stale")
			}
			for _, res := range v.Resources {
				e := entry{Resource: Resource{GVR: gv.WithResource(res.Resource),
					GVK: gv.WithKind(res.ResponseKind.Kind), Namespaced: res.Scope == "Namespaced",
					OwnStatus: true},
					singular: res.SingularResource, shortNames: res.ShortNames, verbs: res.Verbs}
				for _, sub := range res.Subresources {
					e.OwnStatus = e.OwnStatus && sub.Subresource != "status"
				}
				gv.entries = append(gv.entries, e)
			}
			found = append(found, gv)
		}
	}
	return found, nil
}

// legacyGroups asks for each version of the groups.
func (r *Resolver) legacyGroups(ctx context.Context, path string, core []string,
	groups []metav1.APIGroup) ([]groupVersion, error) {
	var found []groupVersion
	for _, version := range core {
		found = append(found,
			groupVersion{GroupVersion: schema.GroupVersion{Version: version}})
	}
	for _, group := range groups {
		var others []groupVersion
		for _, v := range group.Versions {
			gv := groupVersion{
				GroupVersion: schema.GroupVersion{Group: group.Name, Version: v.Version}}
			if v.Version == group.PreferredVersion.Version {
				found = append(found, gv)
			} else {
				others = append(others, gv)
			}
		}
		found = append(found, others...)
	}
	for i := range found {
		gv := &found[i]
		var answer struct{ Resources []metav1.APIResource }
		gv.err = r.get(ctx, path+"/"+strings.TrimPrefix(gv.String(), "/"), "application/json",
			&answer)
		if ctx.Err() != nil {
			return nil, gv.err
		}
		all := map[string]bool{}
		for _, res := range answer.Resources {
			all[res.Name] = true
		}
		for _, res := range answer.Resources {
			if !strings.Contains(res.Name, "/") { // else it is a subresource
				gv.entries = append(gv.entries, entry{
					Resource: Resource{GVR: gv.WithResource(res.Name), GVK: gv.WithKind(res.Kind),
						Namespaced: res.Namespaced, OwnStatus: !all[res.Name+"/status"]},
					singular: res.SingularName, shortNames: res.ShortNames, verbs: res.Verbs})
			}
		}
	}
	return found, nil
}

func (r *Resolver) get(ctx context.Context, path, accept string, answer any) error {
	return ReadJSON(r.client.Get().AbsPath(path).SetHeader("Accept", accept).Do(ctx), answer)
}

// allFailed returns an error if no version of any group can be listed.
func allFailed(found []groupVersion) error {
	listed := func(gv groupVersion) bool { return gv.err == nil }
	if len(found) == 0 || slices.ContainsFunc(found, listed) {
		return nil
	}
	return fmt.Errorf("no group can be listed: %s: %w", found[0], found[0].err)
}
