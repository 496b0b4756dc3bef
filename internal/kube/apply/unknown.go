package apply

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/client-go/kubernetes/scheme"
)

var strict = json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme.Scheme, scheme.Scheme,
	json.SerializerOptions{Strict: true})

// Unknown returns what an API server says of an object of Kubernetes' own kinds before it looks at
// its values: fields that it does not know, which it drops, or fields of another type, for which it
// refuses the object. It returns nothing for objects of other kinds.
func Unknown(object []byte) (dropped []string, refused string) {
	if tiny.Match(object) {
		return nil, ""
	}
	_, _, err := strict.Decode(object, nil, nil)
	unknown, isStrict := runtime.AsStrictDecodingError(err)
	switch {
	case err == nil || runtime.IsNotRegisteredError(err) || runtime.IsMissingKind(err) ||
		runtime.IsMissingVersion(err):
		return nil, ""
	case !isStrict:
		return nil, err.Error()
	}
	for _, err := range unknown.Errors() {
		if field, ok := strings.CutPrefix(err.Error(), "unknown field "); ok {
			dropped = append(dropped, strings.Trim(field, `"`))
		}
	}
	return dropped, ""
}
