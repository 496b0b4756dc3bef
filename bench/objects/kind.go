package objects

// Kind is one kind of object that a benchmark can serve. Several may share a resource and differ in
// how similar their objects are.
type Kind struct {
	// ID is used in flags, Title in tables.
	ID, Title                                string
	Group, Version, Name, Resource, Singular string
	// ClusterScoped kinds have no namespace.
	ClusterScoped bool
	// Size is the usual size of such objects, in bytes of JSON.
	Size int
	// At returns the state of one object, the same bytes for the same arguments.
	At func(seed uint64, size int, r Revision) []byte
	// builtIn kinds have a Go type in the API server.
	builtIn bool
}

// All kinds.
var (
	Pods = &Kind{
		ID: "pods", Title: "replicas of 50 workloads", Version: "v1", Name: "Pod", Resource: "pods",
		Singular: "pod",
		Size:     Medium, At: PodAt, builtIn: true,
	}
	ConfigMaps = &Kind{
		ID: "configmaps", Title: "ConfigMaps of 50 workloads", Version: "v1", Name: "ConfigMap",
		Resource: "configmaps", Singular: "configmap",
		Size: Medium, At: ConfigMapAt, builtIn: true,
	}
	Widgets = &Kind{
		ID: "widgets", Title: "custom resources of 50 workloads", Group: WidgetGroup,
		Version: WidgetVersion, Name: WidgetKind, Resource: WidgetResource,
		Singular: "widget", Size: Medium, At: WidgetAt,
	}
	ManyWorkloadPods = podsOf("many-workload-pods", "replicas of 5,000 workloads",
		ManyWorkloadPodAt)
	JobPods         = podsOf("job-pods", "pods of Jobs", JobPodAt)
	SharedLabelPods = podsOf("shared-label-pods", "50 workloads with the same labels",
		SharedLabelPodAt)

	Nodes = &Kind{
		ID: "nodes", Title: "Nodes", Version: "v1", Name: "Node", Resource: "nodes",
		Singular: "node", ClusterScoped: true, Size: 8 << 10, At: NodeAt, builtIn: true,
	}
	UnlikeConfigMaps = &Kind{
		ID: "unlike-configmaps", Title: "ConfigMaps that resemble nothing", Version: "v1",
		Name: "ConfigMap", Resource: "configmaps", Singular: "configmap",
		Size: 8 << 10, At: UnlikeConfigMapAt, builtIn: true,
	}
	Events = &Kind{
		ID: "events", Title: "Events", Version: "v1", Name: "Event", Resource: "events",
		Singular: "event", Size: 1300, At: EventAt, builtIn: true,
	}
	Leases = &Kind{
		ID: "leases", Title: "Leases", Group: "coordination.k8s.io", Version: "v1", Name: "Lease",
		Resource: "leases", Singular: "lease",
		Size: 900, At: LeaseAt, builtIn: true,
	}
	EndpointSlices = &Kind{
		ID: "endpointslices", Title: "EndpointSlices", Group: "discovery.k8s.io", Version: "v1",
		Name: "EndpointSlice", Resource: "endpointslices",
		Singular: "endpointslice", Size: 8 << 10, At: EndpointSliceAt, builtIn: true,
	}
	Secrets = &Kind{
		ID: "secrets", Title: "Secrets", Version: "v1", Name: "Secret", Resource: "secrets",
		Singular: "secret", Size: 4 << 10, At: SecretAt, builtIn: true,
	}
	Mixed = &Kind{
		ID: "mixed", Title: "custom resources of 20 shapes", Group: WidgetGroup,
		Version: WidgetVersion, Name: MixedKind, Resource: MixedResource,
		Singular: "step", Size: 8 << 10, At: MixedAt,
	}
)

// Kinds lists all of them.
var Kinds = []*Kind{
	Pods, ConfigMaps, Widgets, ManyWorkloadPods, JobPods, SharedLabelPods, Nodes, UnlikeConfigMaps,
	Events, Leases, EndpointSlices, Secrets, Mixed,
}

// podsOf returns a kind of pods with other similarities than Pods.
func podsOf(id, title string, at func(seed uint64, size int, r Revision) []byte) *Kind {
	k := *Pods
	k.ID, k.Title, k.At = id, title, at
	return &k
}

// BuiltIn reports whether the API server has a Go type for the kind.
func (k *Kind) BuiltIn() bool { return k.builtIn }

// APIVersion returns the kind's group and version, as in its objects.
func (k *Kind) APIVersion() string {
	if k.Group == "" {
		return k.Version
	}
	return k.Group + "/" + k.Version
}

// Path returns the API server's path of the kind, in all namespaces.
func (k *Kind) Path() string {
	if k.Group == "" {
		return "/api/" + k.Version + "/" + k.Resource
	}
	return "/apis/" + k.APIVersion() + "/" + k.Resource
}

// TypePrefix returns the start of the text of each object of a built-in kind: kind and apiVersion,
// which the items of a list lack, since the list's Go type implies them. It is empty for other
// kinds.
func (k *Kind) TypePrefix() string {
	if !k.builtIn {
		return ""
	}
	return `{"kind":"` + k.Name + `","apiVersion":"` + k.APIVersion() + `",`
}

// AppendListItem appends an object's text as in a list.
func (k *Kind) AppendListItem(to, text []byte) []byte {
	if prefix := k.TypePrefix(); prefix != "" {
		to, text = append(to, '{'), text[len(prefix):]
	}
	return append(to, text...)
}
