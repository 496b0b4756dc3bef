package informer

import (
	"encoding/json"
	"fmt"

	"github.com/informerd/informerd/pkg/informer/object"
)

// Decode returns an object as one of a Go type, such as corev1.Pod. Each call decodes the object
// again, and the result belongs to the caller. T's fields decide what is read.
func Decode[T any](o *object.Object) (*T, error) {
	into := new(T)
	if err := json.Unmarshal([]byte(o.JSON()), into); err != nil {
		return nil, fmt.Errorf("cannot decode %s %+q as %T: %w", o.Kind(), o.Key().String(), *into,
			err)
	}
	return into, nil
}
