package definitions

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/resourcename"
)

// Definition is what is kept of a CustomResourceDefinition.
type Definition struct {
	Group, Plural, Singular, Kind string
	ShortNames                    []string
	Namespaced                    bool
	// Established: the API server serves the resource. Otherwise Reason says why not, "" if the
	// server has not decided yet.
	Established bool
	Reason      string
	// UID and Generation tell definitions of the same name apart, and their specifications.
	UID        string
	Generation int64
}

// Resource returns the group and the plural, which are the definition's name.
func (d *Definition) Resource() schema.GroupResource {
	return schema.GroupResource{Group: d.Group, Resource: d.Plural}
}

// IsNamed reports whether a name of a configuration may be that of the resource, in any version.
func (d *Definition) IsNamed(name string) bool {
	names := append([]string{d.Plural, d.Singular, d.Kind}, d.ShortNames...)
	return slices.ContainsFunc(resourcename.Readings(name), func(q resourcename.Reading) bool {
		return (q.AnyGroup || strings.EqualFold(q.Group, d.Group)) &&
			slices.ContainsFunc(names, func(own string) bool {
				return own != "" && strings.EqualFold(own, q.Resource)
			})
	})
}

func (d *Definition) equals(other *Definition) bool {
	return d.Group == other.Group && d.Plural == other.Plural && d.Singular == other.Singular &&
		d.Kind == other.Kind && slices.Equal(d.ShortNames, other.ShortNames) &&
		d.Namespaced == other.Namespaced && d.Established == other.Established &&
		d.Reason == other.Reason && d.UID == other.UID && d.Generation == other.Generation
}

// read returns what is kept of a definition's text.
func read(text string) (*Definition, error) {
	var from struct {
		Metadata struct {
			Name, UID  string
			Generation int64
		}
		Spec struct {
			Group, Scope string
			Names        struct {
				Plural, Singular, Kind string
				ShortNames             []string
			}
		}
		Status struct {
			Conditions []struct{ Type, Status, Message string }
		}
	}
	if err := json.Unmarshal([]byte(text), &from); err != nil {
		return nil, err
	}
	names := from.Spec.Names
	d := &Definition{Group: from.Spec.Group, Plural: names.Plural, Singular: names.Singular,
		Kind: names.Kind, ShortNames: names.ShortNames, Namespaced: from.Spec.Scope != "Cluster",
		UID: from.Metadata.UID, Generation: from.Metadata.Generation}
	if d.Resource().String() != from.Metadata.Name {
		return nil, fmt.Errorf("it is called %q", from.Metadata.Name)
	}
	for _, c := range from.Status.Conditions {
		switch {
		case c.Type == "Established" && c.Status == "True":
			d.Established = true
		case c.Type == "NamesAccepted" && c.Status == "False":
			d.Reason = c.Message
		}
	}
	if d.Established {
		d.Reason = "" // names that are not accepted are new ones; the resource keeps the old ones
	}
	return d, nil
}
