package check

import (
	"errors"
	"reflect"

	"github.com/informerd/informerd/pkg/filters/internal/syntax"
)

// notText refuses a type that is a list or an object.
func (s draft) notText(result reflect.Type) error {
	switch result.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return errors.New(s.Kind.Must() + ", this returns " +
			syntax.TypeWords.Replace(result.String()))
	}
	return nil
}
