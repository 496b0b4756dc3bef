// Package apply makes the object that an API server has after kubectl apply, of the one that it has
// and the one that somebody wrote.
//
//   - It merges as kubectl does on its side: what is written is set, what was applied before and is
//     not written any more is removed, and everything else stays: the status, defaults, what other
//     controllers have set. Lists of Kubernetes' own kinds are merged by their keys, as containers
//     by name; those of other kinds are replaced. See the page Declarative Management of Kubernetes
//     Objects Using Configuration Files of the documentation of Kubernetes.
//   - What is applied server-side, and is not written any more, is removed as a server does it. An
//     object is applied server-side if kubectl did not apply it on its side, and did so before, or
//     another manager that owns something of what is written.
//   - Else kubectl notes what it applies in an annotation, which changes the object as well.
//   - What the server does to new parts is not known: defaults in a new container, admission.
package apply

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes/scheme"
)

// lastApplied is the annotation in which kubectl keeps what was applied.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// ofServer are the fields of metadata that only the server writes.
var ofServer = []string{"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields",
	"selfLink"}

// Objects are those of one resource.
type Objects struct {
	// OwnStatus: the status is written with the object, since there is no subresource for it.
	OwnStatus bool
}

// Merge is that of Objects whose status is written by a subresource alone.
func Merge(current, written []byte) (merged []byte, differs bool, err error) {
	return Objects{}.Merge(current, written)
}

// Merge returns the object as it is after the apply, and whether that differs from the current one.
// Both are JSON; the written one has the name and namespace of the current one.
func (o Objects) Merge(current, written []byte) (merged []byte, differs bool, err error) {
	is, err := decode(current)
	if err != nil {
		return nil, false, err
	}
	to, err := decode(written)
	if err != nil {
		return nil, false, err
	}
	original := appliedBefore(is)
	o.prepare(to)
	if original != nil {
		o.prepare(original)
	}
	var result map[string]any
	if schema := schemaOf(to); schema != nil {
		result, err = mergeTyped(is, to, original, schema)
	} else {
		result = merge(is, to, original)
	}
	if err != nil {
		return nil, false, err
	}
	if by := appliers(is, to); original == nil && len(by) == 1 {
		result = o.serverSide(is, to, result, by[0])
	}
	canonical(is, true)
	canonical(result, true)
	withoutEmpty(result, is)
	if reflect.DeepEqual(is, result) {
		return current, false, nil
	}
	o.countGeneration(is, result)
	merged, err = json.Marshal(result)
	return merged, true, err
}

func decode(text []byte) (object map[string]any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if d.Decode(&object) != nil || object == nil || !json.Valid(text) { // more may follow it
		return nil, errors.New("this is not an object in JSON")
	}
	return object, nil
}

// prepare makes of a written object what counts of it, in the form of a server.
func (o Objects) prepare(to map[string]any) {
	status, has := to["status"]
	if strip(to); o.OwnStatus && has {
		to["status"] = status
	}
	canonical(to, false)
	data := mapIn(to, "stringData")
	if to["kind"] != "Secret" || to["apiVersion"] != "v1" {
		return
	}
	if delete(to, "stringData"); len(data) == 0 {
		return
	}
	all := maps.Clone(mapIn(to, "data"))
	for key, value := range data {
		text, _ := value.(string)
		all[key] = base64.StdEncoding.EncodeToString([]byte(text))
	}
	to["data"] = all
}

// strip removes from a written object what only the server writes, and what kubectl does.
func strip(to map[string]any) {
	delete(to, "status")
	metadata := mapIn(to, "metadata")
	for _, field := range ofServer {
		delete(metadata, field)
	}
	if metadata["annotations"] == nil { // kubectl writes one
		metadata["annotations"] = map[string]any{}
	}
	delete(mapIn(metadata, "annotations"), lastApplied)
}

// appliedBefore returns what kubectl applied before, nil if it did not.
func appliedBefore(is map[string]any) map[string]any {
	text, _ := mapIn(mapIn(is, "metadata"), "annotations")[lastApplied].(string)
	before, err := decode([]byte(text))
	if err != nil {
		return nil
	}
	return before
}

// withoutEmpty drops labels and annotations without any, which a server does not keep.
func withoutEmpty(result, is map[string]any) {
	for _, field := range []string{"labels", "annotations"} {
		if mapIn(is, "metadata")[field] == nil && len(mapIn(mapIn(result, "metadata"), field)) == 0 {
			delete(mapIn(result, "metadata"), field)
		}
	}
}

// mapIn returns the map in a field, an empty one that is not in it if there is none.
func mapIn(object map[string]any, field string) map[string]any {
	if m, ok := object[field].(map[string]any); ok {
		return m
	}
	return map[string]any{}
}

// schemaOf returns how objects of the kind are merged, nil unless it is one of Kubernetes' own.
func schemaOf(object map[string]any) strategicpatch.LookupPatchMeta {
	version, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	typed, err := scheme.Scheme.New(schema.FromAPIVersionAndKind(version, kind))
	if err != nil {
		return nil
	}
	of, err := strategicpatch.NewPatchMetaFromStruct(typed)
	if err != nil {
		return nil
	}
	return of
}

// mergeTyped merges an object of Kubernetes' own kinds.
func mergeTyped(is, to, original map[string]any, schema strategicpatch.LookupPatchMeta) (
	map[string]any, error) {
	texts := make([][]byte, 3)
	for i, object := range []map[string]any{original, to, is} {
		if object == nil {
			continue
		}
		text, err := json.Marshal(object)
		if err != nil {
			return nil, err
		}
		texts[i] = text
	}
	patch, err := strategicpatch.CreateThreeWayMergePatch(texts[0], texts[1], texts[2], schema,
		true)
	if err != nil {
		return nil, err
	}
	if string(patch) == "{}" {
		return is, nil
	}
	text, err := strategicpatch.StrategicMergePatchUsingLookupPatchMeta(texts[2], patch, schema)
	if err != nil {
		return nil, err
	}
	return decode(text)
}

// merge merges an object of another kind: maps field by field, and lists as a whole.
func merge(is, to, original map[string]any) map[string]any {
	merged := maps.Clone(is)
	for field := range original {
		if _, stays := to[field]; !stays {
			delete(merged, field)
		}
	}
	for field, value := range to {
		inner, ok := value.(map[string]any)
		was, both := is[field].(map[string]any)
		switch {
		case value == nil:
			delete(merged, field)
		case ok && both:
			merged[field] = merge(was, inner, mapIn(original, field))
		default:
			merged[field] = value
		}
	}
	return merged
}

// countGeneration counts the generation of an object if more than its metadata and a status of a
// subresource change; of a Deployment, if its annotations do, too.
func (o Objects) countGeneration(is, to map[string]any) {
	number, ok := mapIn(is, "metadata")["generation"].(json.Number)
	n, err := number.Int64()
	if !ok || err != nil {
		return
	}
	changes := is["kind"] == "Deployment" && is["apiVersion"] == "apps/v1" && !reflect.DeepEqual(
		mapIn(mapIn(is, "metadata"), "annotations"), mapIn(mapIn(to, "metadata"), "annotations"))
	for _, object := range []map[string]any{is, to} {
		for field := range object {
			own := field != "metadata" && (o.OwnStatus || field != "status")
			changes = changes || own && !reflect.DeepEqual(is[field], to[field])
		}
	}
	if changes {
		mapIn(to, "metadata")["generation"] = json.Number(fmt.Sprint(n + 1))
	}
}
