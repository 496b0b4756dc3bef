package definitions

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"

	openapi "github.com/informerd/informerd/internal/schema"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer"
)

// The bounds of a request for one definition. API servers store no object of more than 3 MiB.
const (
	schemaTime = 20 * time.Second
	maxText    = 16 << 20
)

// errNone is returned for a resource that has no definition at present.
var errNone = errors.New("there is no CustomResourceDefinition")

// Schema reads the schema of a resource from its definition, by listing that one, which needs no
// other right than the watch. The error is ErrNone, one of the API server, or one of a schema that
// cannot be read.
func (w *Watch) Schema(ctx context.Context, resource schema.GroupVersionResource) (*filters.Schema,
	error) {
	ctx, cancel := context.WithTimeout(ctx, schemaTime)
	defer cancel()
	name := resource.GroupResource().String()
	scope := informer.Scope{
		FieldSelector: fields.OneTermEqualSelector("metadata.name", name).String()}
	body, err := w.cluster.ListWatcher(target().Resource, scope).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("the CustomResourceDefinition %s: %w", name, err)
	}
	text, err := io.ReadAll(io.LimitReader(body, maxText))
	if err = errors.Join(err, body.Close()); err != nil {
		return nil, fmt.Errorf("the CustomResourceDefinition %s: %w", name, err)
	}
	var list struct{ Items []json.RawMessage }
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("the CustomResourceDefinition %s: %w", name, err)
	}
	if len(list.Items) == 0 {
		return nil, fmt.Errorf("%s: %w", name, errNone)
	}
	set, err := openapi.ParseDefinition(list.Items[0])
	if err != nil {
		return nil, err
	}
	found, _ := set.LookupGVR(resource.Group, resource.Version, resource.Resource)
	return cmp.Or(found, openapi.AnyObject()), nil
}
