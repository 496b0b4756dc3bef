package apiserver

import (
	"context"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/informerd/informerd/bench/objects"
)

func allKinds() Config {
	cfg := Config{}
	served := map[string]bool{} // several kinds share a resource
	for _, kind := range objects.Kinds {
		if served[kind.Resource] {
			continue
		}
		served[kind.Resource] = true
		cfg.Collections = append(cfg.Collections,
			Collection{Kind: kind, Count: 3, Size: objects.Small, Events: 3})
	}
	return cfg
}

func TestDiscoveryFindsWhatIsServed(t *testing.T) {
	client, err := kubernetes.NewForConfig(serve(t, allKinds()).config())
	if err != nil {
		t.Fatal(err)
	}
	_, lists, err := client.Discovery().ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, list := range lists {
		for _, r := range list.APIResources {
			found[r.Name] = list.GroupVersion
			if r.Namespaced == (r.Kind == "Node") || len(r.Verbs) != 3 {
				t.Errorf("%+v", r)
			}
		}
	}
	for _, kind := range objects.Kinds {
		if found[kind.Resource] != kind.APIVersion() {
			t.Errorf("%s is in %q", kind.Resource, found[kind.Resource])
		}
	}
	if v, err := client.Discovery().ServerVersion(); err != nil || v.GitVersion != "v1.36.3" {
		t.Errorf("%v, %v", v, err)
	}
	review := &authorizationv1.SelfSubjectAccessReview{}
	if review, err = client.AuthorizationV1().SelfSubjectAccessReviews().Create(t.Context(), review,
		metav1.CreateOptions{}); err != nil || !review.Status.Allowed {
		t.Errorf("%+v, %v", review, err)
	}
}

func TestBothPortsServe(t *testing.T) {
	s, err := New(allKinds())
	if err != nil {
		t.Fatal(err)
	}
	l, err := Listen(s, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, path := range []string{l.Plain, l.TLS} {
		cfg, err := clientcmd.BuildConfigFromFlags("", path)
		if err != nil {
			t.Fatal(err)
		}
		client, err := kubernetes.NewForConfig(cfg)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), deadline)
		defer cancel()
		pods, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
		if err != nil || len(pods.Items) != 3 {
			t.Errorf("%s: %v, %v", path, pods, err)
		}
	}
}
