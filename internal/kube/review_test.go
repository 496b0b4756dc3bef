package kube

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestAllowed(t *testing.T) {
	right := Right{Resource{GVR: schema.GroupVersionResource{Group: "apps", Version: "v1",
		Resource: "deployments"}}, "shop", "web", "patch"}
	answer := ""
	w := newWriter(t, func(rw http.ResponseWriter, r *http.Request) {
		var review authorizationv1.SelfSubjectAccessReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil || r.URL.Path !=
			"/prefix/apis/authorization.k8s.io/v1/selfsubjectaccessreviews" {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		if got, want := *review.Spec.ResourceAttributes, (authorizationv1.ResourceAttributes{
			Namespace: "shop", Verb: "patch", Group: "apps", Version: "v1",
			Resource: "deployments", Name: "web"}); got != want {
			t.Errorf("asked for %+v", got)
		}
		io.WriteString(rw, answer)
	})
	for text, want := range map[string]bool{
		`{"status":{"allowed":true}}`: true, `{"status":{"allowed":false,"denied":true}}`: false,
		`{"status":{}}`: false,
	} {
		answer = text
		if got, err := w.Allowed(t.Context(), right); err != nil || got != want {
			t.Errorf("%s: %t, %v", text, got, err)
		}
	}
	for _, answer = range []string{"<html>", "{}", `{"kind":"List","items":[]}`} {
		if _, err := w.Allowed(t.Context(), right); err == nil {
			t.Errorf("%s is an answer", answer)
		}
	}
}
