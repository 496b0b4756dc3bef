package rights

import (
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
)

// ForbiddenError is the error of an account that may not list what a listener watches.
type ForbiddenError struct {
	Role string // that would allow it, as YAML
	Err  error
}

func (e *ForbiddenError) Error() string {
	return fmt.Sprintf("%v\nThis role would allow it, once it is bound to the account:\n\n%s",
		e.Err,
		strings.TrimSuffix(e.Role, "\n"))
}

func (e *ForbiddenError) Unwrap() error { return e.Err }

// Explain returns the error of listing one object of an informer: a *ForbiddenError if a right is
// missing that the informer needs, else the error as it is.
func Explain(err error, inf *config.Informer, found kube.Resource, ref kube.Reference) error {
	if !apierrors.IsForbidden(err) {
		return err
	}
	right := kube.Right{Resource: found, Verb: "list", Name: theOnly(inf, "metadata.name")}
	if slices.Contains(inf.Namespaces, ref.Namespace) {
		right.Namespace = ref.Namespace
	}
	// There may be one for each of several resources, and none of them must replace another one.
	name := MissingRole + "-" + found.GVR.GroupResource().String()
	return &ForbiddenError{Roles(name, []kube.Right{right}), err}
}
