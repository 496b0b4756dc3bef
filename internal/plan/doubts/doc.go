// Package doubts finds what an API server would refuse or never match in an informer, as far as
// that can be known of the resources of Kubernetes without asking one.
//
//   - Of resources that are not built in, nothing is said of fields and selectors.
//   - What a hint shows to write is not doubted itself.
package doubts

import (
	"fmt"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
	openapi "github.com/informerd/informerd/internal/schema"
)

// Doubt is one thing that is doubtful in an informer.
type Doubt struct {
	Field         string // below the informer, as in drop[0]
	Message, Hint string // the message follows the field's path
}

// Of returns what is doubtful in the selectors and paths of an informer.
func Of(set *openapi.Set, inf *config.Informer) (all []Doubt) {
	name, known := set.Find(inf.Resource)
	if !known {
		return nil
	}
	all = selectorDoubts(name, inf.FieldSelector)
	schema, known := set.Lookup(inf.Resource)
	if !known || schema == nil {
		return all
	}
	doubt := func(field, path string, drop bool) {
		if wrong, hint := pathDoubt(name.Resource, schema, path, drop); wrong {
			all = append(all, Doubt{field, fmt.Sprintf(": %s have no field %s", name.Resource, path), hint})
		}
	}
	for i, path := range inf.Drop {
		doubt(document.Item("drop", i), path, true)
	}
	for index, path := range document.Sorted(inf.Indexes) {
		doubt(document.Join("indexes", index), path, false)
	}
	return all
}
