package objects

import (
	"bytes"
	"fmt"
	"math/rand/v2"
)

// header is the kind, apiVersion and metadata of an object of a built-in kind. Empty fields are
// omitted.
type header struct {
	kind, apiVersion    string
	name, generateName  string
	namespace, uid      string
	resourceVersion     uint64
	generation          int
	created             string
	labels, annotations []label
	owners              string // JSON
	managed             []manager
}

// manager is an entry of managedFields.
type manager struct {
	name, time, fields string // fields is JSON
	subresource        string
}

// newHeader generates the fields that the API server assigns to each object.
func newHeader(apiVersion, kind string, r *rand.Rand) header {
	return header{kind: kind, apiVersion: apiVersion, uid: uuid(r),
		resourceVersion: firstVersion(r), created: timestamp(r)}
}

// revise sets the resourceVersion of a state, and returns the time of the state.
func (h *header) revise(r Revision) (changed string) {
	if r.ResourceVersion != 0 {
		h.resourceVersion = r.ResourceVersion
	}
	if r.Number == 0 {
		return h.created
	}
	return r.after(h.created)
}

// write writes the start of the object, with a trailing comma.
func (h *header) write(b *bytes.Buffer) {
	fmt.Fprintf(b, `{"kind":%q,"apiVersion":%q,"metadata":{"name":%q,`, h.kind, h.apiVersion,
		h.name)
	for _, field := range []label{{"generateName", h.generateName}, {"namespace", h.namespace}} {
		if field.value != "" {
			fmt.Fprintf(b, `%q:%q,`, field.key, field.value)
		}
	}
	fmt.Fprintf(b, `"uid":%q,"resourceVersion":"%d",`, h.uid, h.resourceVersion)
	if h.generation != 0 {
		fmt.Fprintf(b, `"generation":%d,`, h.generation)
	}
	fmt.Fprintf(b, `"creationTimestamp":%q,`, h.created)
	if len(h.labels) > 0 {
		b.WriteString(`"labels":`)
		writeLabels(b, h.labels)
		b.WriteByte(',')
	}
	if len(h.annotations) > 0 {
		b.WriteString(`"annotations":`)
		writeLabels(b, h.annotations)
		b.WriteByte(',')
	}
	if h.owners != "" {
		fmt.Fprintf(b, `"ownerReferences":%s,`, h.owners)
	}
	b.WriteString(`"managedFields":[`)
	for i, m := range h.managed {
		comma(b, i)
		fmt.Fprintf(b, `{"manager":%q,"operation":"Update","apiVersion":%q,"time":%q,"fieldsType":"FieldsV1","fieldsV1":%s`, m.name, h.apiVersion, m.time, m.fields)
		if m.subresource != "" {
			fmt.Fprintf(b, `,"subresource":%q`, m.subresource)
		}
		b.WriteByte('}')
	}
	b.WriteString(`]},`)
}

// owner writes the ownerReferences of one controller.
func owner(apiVersion, kind, name, uid string) string {
	return fmt.Sprintf(`[{"apiVersion":%q,"kind":%q,"name":%q,"uid":%q,"controller":true,"blockOwnerDeletion":true}]`, apiVersion, kind, name, uid)
}

// managedLabels are the managedFields of labels.
func managedLabels(all []label) string {
	var b bytes.Buffer
	writeManagedLabels(&b, all)
	return b.String()
}

// uniqueSuffix looks as random as the result of suffix, and is different for each seed below 10
// million.
func uniqueSuffix(seed uint64) string { return replicaSuffix(seed * Workloads) }

// nodeName returns the name of a cluster's node, the same in all kinds that refer to nodes. Seeds
// below 65,536 have different names.
func nodeName(seed uint64) string {
	n := seed * 40_503 % (1 << 16) // an odd factor permutes the numbers below the modulus
	return fmt.Sprintf("ip-10-%d-%d-%d.eu-west-1.compute.internal", seed>>16%256, n>>8, n&255)
}
