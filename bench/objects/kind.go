package objects

// Kind is one kind of object a benchmark can serve.
type Kind struct {
	Group, Version, Name, Resource, Singular string
	// At makes the state of one object; it is PodAt, ConfigMapAt or WidgetAt.
	At func(seed uint64, size int, r Revision) []byte
	// builtIn kinds have a Go type in the API server.
	builtIn bool
}

// The kinds there are.
var (
	Pods       = &Kind{Version: "v1", Name: "Pod", Resource: "pods", Singular: "pod", At: PodAt, builtIn: true}
	ConfigMaps = &Kind{Version: "v1", Name: "ConfigMap", Resource: "configmaps", Singular: "configmap", At: ConfigMapAt, builtIn: true}
	Widgets    = &Kind{Group: WidgetGroup, Version: WidgetVersion, Name: WidgetKind, Resource: WidgetResource, Singular: "widget", At: WidgetAt}
)

// Kinds are all of them.
var Kinds = []*Kind{Pods, ConfigMaps, Widgets}

// APIVersion is the kind's group and version, as objects give it.
func (k *Kind) APIVersion() string {
	if k.Group == "" {
		return k.Version
	}
	return k.Group + "/" + k.Version
}

// Path is where the API server serves the kind, in all namespaces.
func (k *Kind) Path() string {
	if k.Group == "" {
		return "/api/" + k.Version + "/" + k.Resource
	}
	return "/apis/" + k.APIVersion() + "/" + k.Resource
}

// TypePrefix is how the text of each object of a built-in kind begins: with kind and apiVersion, which
// the items of a list come without, since the list's Go type says them. It is empty for other kinds.
func (k *Kind) TypePrefix() string {
	if !k.builtIn {
		return ""
	}
	return `{"kind":"` + k.Name + `","apiVersion":"` + k.APIVersion() + `",`
}

// AppendListItem appends an object's text as it stands in a list.
func (k *Kind) AppendListItem(to, text []byte) []byte {
	if prefix := k.TypePrefix(); prefix != "" {
		to, text = append(to, '{'), text[len(prefix):]
	}
	return append(to, text...)
}
