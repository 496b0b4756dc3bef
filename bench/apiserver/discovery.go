package apiserver

import (
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/bench/objects"
)

// addDiscovery serves what clients request before they list: versions, groups, resources, access.
func (s *Server) addDiscovery() {
	answer := func(pattern string, body any) {
		s.mux.HandleFunc("GET "+pattern, func(w http.ResponseWriter, _ *http.Request) {
			reply(w, http.StatusOK, body)
		})
	}
	answer("/version", map[string]string{"major": "1", "minor": "36", "gitVersion": "v1.36.3",
		"platform": "linux/amd64"})
	answer("/api", metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"},
		Versions: []string{"v1"}})

	lists := map[string]*metav1.APIResourceList{"v1": resourceList("v1")}
	groups := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"},
		Groups: []metav1.APIGroup{}}
	for _, c := range s.collections {
		kind := c.data.Kind
		if lists[kind.APIVersion()] == nil {
			lists[kind.APIVersion()] = resourceList(kind.APIVersion())
			group := apiGroup(kind)
			groups.Groups = append(groups.Groups, group)
			group.TypeMeta = metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
			answer("/apis/"+kind.Group, group)
		}
		list := lists[kind.APIVersion()]
		list.APIResources = append(list.APIResources, metav1.APIResource{
			Name: kind.Resource, SingularName: kind.Singular, Namespaced: !kind.ClusterScoped,
			Kind: kind.Name, Verbs: metav1.Verbs{"get", "list", "watch"},
		})
	}
	answer("/apis", groups)
	for version, list := range lists {
		if version == "v1" {
			answer("/api/v1", list)
		} else {
			answer("/apis/"+version, list)
		}
	}
	s.mux.HandleFunc("POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
		func(w http.ResponseWriter, _ *http.Request) {
			reply(w, http.StatusCreated, map[string]any{
				"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1",
				"metadata": map[string]any{},
				"spec":     map[string]any{}, "status": map[string]any{"allowed": true},
			})
		})
}

func resourceList(version string) *metav1.APIResourceList {
	return &metav1.APIResourceList{
		TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: version,
		APIResources: []metav1.APIResource{},
	}
}

func apiGroup(kind *objects.Kind) metav1.APIGroup {
	version := metav1.GroupVersionForDiscovery{GroupVersion: kind.APIVersion(),
		Version: kind.Version}
	return metav1.APIGroup{Name: kind.Group, Versions: []metav1.GroupVersionForDiscovery{version},
		PreferredVersion: version}
}
