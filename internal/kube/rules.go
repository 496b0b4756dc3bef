package kube

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/wording"
)

// Rules returns what the account may do in a namespace, which need not exist, those of the whole
// cluster included.
func (w *Writer) Rules(ctx context.Context, namespace string) (
	may authorizationv1.SubjectRulesReviewStatus, err error) {
	asked := authorizationv1.SelfSubjectRulesReview{
		TypeMeta: metav1.TypeMeta{APIVersion: authorizationv1.SchemeGroupVersion.String(),
			Kind: "SelfSubjectRulesReview"},
		Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: namespace},
	}
	var answer struct {
		Status *authorizationv1.SubjectRulesReviewStatus
	}
	if err := review(ctx, w,
		authorizationv1.SchemeGroupVersion.WithResource("selfsubjectrulesreviews"), asked,
		&answer); err != nil {
		return may, err
	}
	if answer.Status == nil {
		return may, errors.New("the answer is not a review of rules: it has no status")
	}
	return *answer.Status, nil
}

// User returns the name of the account.
func (w *Writer) User(ctx context.Context) (string, error) {
	asked := authenticationv1.SelfSubjectReview{
		TypeMeta: metav1.TypeMeta{APIVersion: authenticationv1.SchemeGroupVersion.String(),
			Kind: "SelfSubjectReview"},
	}
	var answer authenticationv1.SelfSubjectReview
	err := review(ctx, w,
		authenticationv1.SchemeGroupVersion.WithResource("selfsubjectreviews"), asked, &answer)
	return answer.Status.UserInfo.Username, err
}

// AllowedPath reports whether the account may get a path that is not one of objects, such as
// /openapi/v3.
func (w *Writer) AllowedPath(ctx context.Context, path string) (bool, error) {
	return w.allowed(ctx, authorizationv1.SelfSubjectAccessReviewSpec{
		NonResourceAttributes: &authorizationv1.NonResourceAttributes{Path: path, Verb: "get"}})
}

// review posts a review, and reads the answer.
func review(ctx context.Context, api sink.KubeAPI, of schema.GroupVersionResource,
	asked, answer any) error {
	text, err := api.Do(ctx, sink.KubeRequest{Method: http.MethodPost, Group: of.Group,
		Version: of.Version, Resource: of.Resource, Body: wording.MustJSON(asked)})
	if err != nil {
		return err
	}
	return sink.ErrorOf("the answer is not a review", json.Unmarshal(text, answer))
}
