package apply

import (
	"encoding/json"
	"regexp"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

// Canonical returns an object of Kubernetes' own kinds as an API server writes it: a quantity such
// as 0.5 or 1024Mi as 500m or 1Gi, and without fields that say nothing, such as an empty text.
// Another object, and what is not one, stays as it is.
func Canonical(object []byte) []byte {
	is, err := decode(object)
	if err != nil {
		return object
	}
	canonical(is, true)
	text, err := json.Marshal(is)
	if err != nil {
		return object
	}
	return text
}

// tiny matches quantities that take seconds to read, such as 1e-99999999.
var tiny = regexp.MustCompile(`[0-9.][eE]-[0-9]{4}`)

// canonical is Canonical for a decoded object. What says nothing stays if it is not to be dropped:
// it is what a merge sets a field to.
func canonical(is map[string]any, drop bool) {
	version, _ := is["apiVersion"].(string)
	kind, _ := is["kind"].(string)
	typed, err := scheme.Scheme.New(schema.FromAPIVersionAndKind(version, kind))
	if err != nil {
		return
	}
	text, err := json.Marshal(is)
	if err != nil || tiny.Match(text) || json.Unmarshal(text, typed) != nil {
		return
	}
	if text, err = json.Marshal(typed); err != nil {
		return
	}
	as, err := decode(text)
	if err != nil {
		return
	}
	for field, value := range is {
		if field == "apiVersion" || field == "kind" {
			continue
		}
		if value, says := asWritten(value, as[field], drop); says {
			is[field] = value
		}
	}
}

// asWritten returns a value in the form of a server, and whether it says anything. The form has
// more than what is written, which is left out, and lacks what says nothing, or is not known to it.
func asWritten(value, form any, drop bool) (_ any, says bool) {
	if value == nil {
		return nil, !drop
	}
	switch written := value.(type) {
	case map[string]any:
		as, ok := form.(map[string]any)
		if form != nil && !ok {
			return form, true
		}
		for field, inner := range written {
			if inner, says := asWritten(inner, as[field], drop); says {
				written[field] = inner
			} else {
				delete(written, field)
			}
		}
		return written, !drop || form != nil || len(written) > 0
	case []any:
		as, ok := form.([]any)
		if !ok || len(as) != len(written) {
			return written, !drop || form != nil || len(written) > 0
		}
		for i, inner := range written {
			if inner, says := asWritten(inner, as[i], drop); says {
				written[i] = inner
			}
		}
		return written, true
	}
	if form != nil {
		return form, true
	}
	zero := value == "" || value == false || value == json.Number("0")
	return value, !drop || !zero
}
