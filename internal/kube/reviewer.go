package kube

import (
	"context"
	"errors"
	"slices"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/sink"
)

// TokenReviews and AccessReviews are what a Reviewer creates. No other verb is needed.
var (
	TokenReviews = Resource{
		GVR: authenticationv1.SchemeGroupVersion.WithResource("tokenreviews"),
		GVK: authenticationv1.SchemeGroupVersion.WithKind("TokenReview"),
	}
	AccessReviews = Resource{
		GVR: authorizationv1.SchemeGroupVersion.WithResource("subjectaccessreviews"),
		GVK: authorizationv1.SchemeGroupVersion.WithKind("SubjectAccessReview"),
	}
)

// ReviewerRights are what the account needs for a Reviewer.
func ReviewerRights() []Right {
	return []Right{{Resource: TokenReviews, Verb: "create"},
		{Resource: AccessReviews, Verb: "create"}}
}

// Reviewer asks an API server about the tokens of others. It implements AccessReviewer.
type Reviewer struct {
	API sink.KubeAPI
	// Audiences are those of which a token must be for one; none: those of the API server.
	Audiences []string
}

var errNoAnswer = errors.New("the API server's answer has no status")

// Token implements AccessReviewer. A server that does not look at audiences knows its own tokens
// only, which are not for the audiences of others.
func (r *Reviewer) Token(ctx context.Context, token string) (*Identity, error) {
	asked := authenticationv1.TokenReview{TypeMeta: typeOf(TokenReviews),
		Spec: authenticationv1.TokenReviewSpec{Token: token, Audiences: r.Audiences}}
	var answer struct {
		Status *authenticationv1.TokenReviewStatus
	}
	if err := r.create(ctx, TokenReviews.GVR, &asked, &answer); err != nil {
		return nil, err
	}
	s := answer.Status
	switch {
	case s == nil:
		return nil, errNoAnswer
	case !s.Authenticated:
		return nil, nil
	case len(r.Audiences) > 0 && !slices.ContainsFunc(s.Audiences, func(audience string) bool {
		return slices.Contains(r.Audiences, audience)
	}):
		return nil, nil
	}
	who := &Identity{Name: s.User.Username, UID: s.User.UID, Groups: s.User.Groups,
		Extra: map[string][]string{}}
	for key, values := range s.User.Extra {
		who.Extra[key] = values
	}
	return who, nil
}

// May implements AccessReviewer.
func (r *Reviewer) May(ctx context.Context, who *Identity, verb, path string) (bool,
	error) {
	spec := authorizationv1.SubjectAccessReviewSpec{User: who.Name, UID: who.UID,
		Groups: who.Groups, Extra: map[string]authorizationv1.ExtraValue{},
		NonResourceAttributes: &authorizationv1.NonResourceAttributes{Path: path, Verb: verb}}
	for key, values := range who.Extra {
		spec.Extra[key] = values
	}
	var answer struct {
		Status *authorizationv1.SubjectAccessReviewStatus
	}
	err := r.create(ctx, AccessReviews.GVR, &authorizationv1.SubjectAccessReview{
		TypeMeta: typeOf(AccessReviews), Spec: spec}, &answer)
	switch {
	case err != nil:
		return false, err
	case answer.Status == nil:
		return false, errNoAnswer
	}
	return answer.Status.Allowed && !answer.Status.Denied, nil
}

func typeOf(r Resource) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: r.GVK.GroupVersion().String(), Kind: r.GVK.Kind}
}

func (r *Reviewer) create(ctx context.Context, of schema.GroupVersionResource,
	asked, answer any) error {
	return sink.ErrorOf("cannot create "+of.GroupResource().String(),
		review(ctx, r.API, of, asked, answer))
}
