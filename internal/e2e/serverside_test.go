package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/informerd/informerd/internal/kube/apply"
	"github.com/informerd/informerd/internal/plan/defaults"
)

// What is applied server-side, and then again with changes, comes out as apply.Merge says.
func TestServerSideApplyIsThatOfTheAPIServer(t *testing.T) {
	needs(t)
	t.Parallel()
	s := newServerSide(t)
	for i, name := range slices.Sorted(maps.Keys(serverSideCases)) {
		c := serverSideCases[name]
		first := s.object(c.first, fmt.Sprint("case-", i))
		second := s.object(strings.NewReplacer(c.edits...).Replace(c.first), fmt.Sprint("case-", i))
		if _, err := s.apply(first, "kubectl"); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, w := range c.between {
			if err := s.patch(first, w); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		current, err := s.get(first)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if server, err := s.apply(second, "kubectl"); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if wrong := s.wrong(current, second, server); wrong != "" {
			t.Errorf("%s: %s", name, wrong)
		}
	}
}

// serverSide is a namespace in which objects are applied.
type serverSide struct {
	*testing.T
	*cluster
	namespace string
}

func newServerSide(t *testing.T) *serverSide {
	t.Helper()
	c, err := sharedCluster()
	if err != nil {
		t.Fatal(err)
	}
	s := &serverSide{t, c, newNamespace("serverside")}
	if err := c.createNamespace(s.namespace); err != nil {
		t.Fatal(err)
	}
	group := s.namespace + ".example.com"
	var schema map[string]any
	if err := yaml.Unmarshal([]byte(serverSideKind), &schema); err != nil {
		t.Fatal(err)
	}
	definition := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "gadgets." + group},
		"spec": map[string]any{"group": group, "scope": "Namespaced",
			"names": map[string]any{"plural": "gadgets", "kind": "Gadget"},
			"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": schema}}}}}}
	if _, err := s.apply(definition, "e2e"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.delete(definition) })
	return s
}

func (s *serverSide) object(text, name string) *unstructured.Unstructured {
	s.Helper()
	text = strings.Replace(text, "KIND", "apiVersion: "+s.namespace+".example.com/v1, kind: Gadget", 1)
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		s.Fatal(err)
	}
	u.SetName(name)
	return u
}

func (s *serverSide) apply(u *unstructured.Unstructured, manager string) (
	is *unstructured.Unstructured, err error) {
	err = s.retry(func(ctx context.Context) error {
		client, err := s.mapped(u.GroupVersionKind(), s.namespace)
		if err != nil {
			return err
		}
		is, err = client.Apply(ctx, u.GetName(), u.DeepCopy(),
			metav1.ApplyOptions{FieldManager: manager, Force: true})
		return err
	})
	return is, err
}

func (s *serverSide) patch(u *unstructured.Unstructured, w write) error {
	client, err := s.mapped(u.GroupVersionKind(), s.namespace)
	if err != nil {
		return err
	}
	typ := types.StrategicMergePatchType
	if u.GetKind() == "Gadget" || w.subresource != "" {
		typ = types.MergePatchType
	}
	var subresources []string
	if w.subresource != "" {
		subresources = []string{w.subresource}
	}
	_, err = client.Patch(s.Context(), u.GetName(), typ, []byte(w.patch),
		metav1.PatchOptions{FieldManager: w.manager}, subresources...)
	return err
}

func (s *serverSide) get(u *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	client, err := s.mapped(u.GroupVersionKind(), s.namespace)
	if err != nil {
		return nil, err
	}
	return client.Get(s.Context(), u.GetName(), metav1.GetOptions{})
}

// delete deletes an object, also one with finalizers.
func (s *serverSide) delete(u *unstructured.Unstructured) {
	client, err := s.mapped(u.GroupVersionKind(), s.namespace)
	if err == nil {
		now := int64(0)
		_ = client.Delete(context.Background(), u.GetName(),
			metav1.DeleteOptions{GracePeriodSeconds: &now})
	}
}

// wrong says how the object of the server differs from what Merge makes of it.
func (s *serverSide) wrong(current, second, server *unstructured.Unstructured) string {
	s.Helper()
	is, written := s.json(current), s.json(second)
	merged, _, err := apply.Merge(is, written)
	if err == nil {
		merged, _, err = apply.Settled(is, s.filled(merged))
	}
	if err != nil {
		return err.Error()
	}
	got := &unstructured.Unstructured{}
	if err := got.UnmarshalJSON(merged); err != nil {
		s.Fatal(err)
	}
	a, b := s.json(comparable(got)), s.json(comparable(server))
	byServer, byMerge := differs(s.T, a, b), differs(s.T, b, a)
	for _, values := range []map[string]string{byServer, byMerge} {
		maps.DeleteFunc(values, func(path, _ string) bool {
			of := server.GetKind() + " " + path
			return path != "metadata.generation" && excluded(server.GetKind(), path) != "" ||
				byServerAlone.MatchString(of)
		})
	}
	if len(byServer)+len(byMerge) == 0 {
		return ""
	}
	fields, err := json.Marshal(current.GetManagedFields())
	if err != nil {
		s.Fatal(err)
	}
	return fmt.Sprintf("the API server has\n%v\nand Merge\n%v\nof\n%s\nafter\n%s\nof the managers\n%s",
		byServer, byMerge, written, s.json(comparable(current)), fields)
}

// filled fills in what the API server does, without what this one does not.
func (s *serverSide) filled(object []byte) []byte {
	s.Helper()
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(defaults.FillMerged(object)); err != nil {
		s.Fatal(err)
	}
	for _, field := range []string{"serviceAccount", "serviceAccountName"} {
		name, _, _ := unstructured.NestedString(u.Object, "spec", field)
		if notHere.MatchString(u.GetKind()+" spec."+field) && name == "default" {
			unstructured.RemoveNestedField(u.Object, "spec", field)
		}
	}
	return s.json(u)
}

// byServerAlone are the fields that follow from others in an update, and the defaults of a custom
// kind, which nobody knows without its schema.
var byServerAlone = regexp.MustCompile(`^(Service spec\.(sessionAffinityConfig|externalTrafficPolicy|` +
	`allocateLoadBalancerNodePorts)` +
	`|PersistentVolumeClaim spec\.dataSource(Ref)?|Gadget spec\.pairs\[\d+\]\.protocol)\b`)

// comparable is an object without what a server counts, and without its status.
func comparable(u *unstructured.Unstructured) *unstructured.Unstructured {
	u = u.DeepCopy()
	for _, field := range []string{"managedFields", "resourceVersion", "creationTimestamp"} {
		unstructured.RemoveNestedField(u.Object, "metadata", field)
	}
	unstructured.RemoveNestedField(u.Object, "status")
	return u
}

func (s *serverSide) json(u *unstructured.Unstructured) []byte {
	s.Helper()
	text, err := u.MarshalJSON()
	if err != nil {
		s.Fatal(err)
	}
	return text
}
