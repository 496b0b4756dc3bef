package informer

import (
	"encoding/json"
	"fmt"

	"github.com/informerd/informerd/pkg/informer/object"
)

// Decode makes a typed object, such as corev1.Pod, of an Object's bytes. Each call decodes anew,
// and the result is the caller's. T's fields decide what is read; fields that T does not have are
// passed over.
func Decode[T any](o *object.Object) (*T, error) {
	into := new(T)
	if err := json.Unmarshal([]byte(o.JSON()), into); err != nil {
		return nil, fmt.Errorf("cannot decode %s %+q as %T: %w", o.Kind(), o.Key().String(), *into,
			err)
	}
	return into, nil
}
