package e2e

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// forAll are the kinds of objects that change what becomes of others.
var forAll = []string{"LimitRange", "ResourceQuota"}

// Each manifest with some fields and items left out at random, applied server-side, with some
// written by another manager in half of the cases, and then with others left out, comes out as
// apply.Merge says.
func TestServerSideApplyOfRandomManifests(t *testing.T) {
	needs(t)
	t.Parallel()
	s := newServerSide(t)
	const seed = 1
	r := rand.New(rand.NewPCG(seed, seed))
	taken, changed := 0, 0
	all := []*unstructured.Unstructured{s.object(serverSideGadget, ""), s.object(serverSideService, ""),
		s.object(serverSideWeb, ""), s.object(serverSideMap, "")}
	for _, text := range manifests(t) {
		u := &unstructured.Unstructured{}
		if err := u.UnmarshalJSON(text); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(forAll, u.GetKind()) && s.namespaced(u) {
			all = append(all, u)
		}
	}
	for i, u := range all {
		for j := range 12 {
			u.SetName(fmt.Sprintf("random-%d-%d", i, j))
			u.SetGenerateName("")
			was, is, server := s.random(r, u)
			if server == nil {
				continue
			}
			taken++
			if s.differ(was, server) {
				changed++
			}
			if wrong := s.wrong(was, is, server); wrong != "" {
				t.Errorf("%s %s: %s", u.GetKind(), u.GetName(), wrong)
			}
		}
	}
	if taken < 200 || changed < 60 {
		t.Errorf("of %d applies that the API server took, %d change anything", taken, changed)
	}
}

// random applies an object in parts, and returns the one before, the one that is applied then, and
// what it is on the API server, none if that does not take them.
func (s *serverSide) random(r *rand.Rand, u *unstructured.Unstructured) (was, is,
	server *unstructured.Unstructured) {
	s.Helper()
	if _, err := s.apply(s.part(r, u), "kubectl"); err != nil {
		return nil, nil, nil
	}
	defer s.delete(u)
	if r.IntN(2) == 0 {
		_ = s.patch(u, write{"x", string(s.json(s.part(r, u))), ""})
	}
	was, err := s.get(u)
	if err != nil {
		s.Fatal(err)
	}
	if len(was.GetManagedFields()) == 0 { // a patch without keys by default drops them
		return nil, nil, nil
	}
	is = s.part(r, u)
	if server, err = s.apply(is, "kubectl"); err != nil {
		return nil, nil, nil
	}
	return was, is, server
}

// part returns an object without some of its fields and items.
func (s *serverSide) part(r *rand.Rand, u *unstructured.Unstructured) *unstructured.Unstructured {
	fields, _ := partOf(r, u.DeepCopy().Object).(map[string]any)
	if fields == nil {
		fields = map[string]any{}
	}
	if _, has := fields["spec"]; !has && u.Object["spec"] != nil { // of which defaults would be new
		fields["spec"] = u.DeepCopy().Object["spec"]
	}
	some := &unstructured.Unstructured{Object: fields}
	some.SetGroupVersionKind(u.GroupVersionKind())
	some.SetName(u.GetName())
	return some
}

// partOf leaves out one of 14 fields and items, and what is empty without them.
func partOf(r *rand.Rand, value any) any {
	stays := func(inner any) (any, bool) {
		part := partOf(r, inner)
		return part, r.IntN(14) > 0 && (part != nil || inner == nil)
	}
	switch value := value.(type) {
	case map[string]any:
		part := map[string]any{}
		for _, field := range slices.Sorted(maps.Keys(value)) {
			if inner, ok := stays(value[field]); ok {
				part[field] = inner
			}
		}
		if len(part) > 0 || len(value) == 0 {
			return part
		}
		return nil
	case []any:
		part := []any{}
		for _, item := range value {
			if inner, ok := stays(item); ok {
				part = append(part, inner)
			}
		}
		if len(part) > 0 || len(value) == 0 {
			return part
		}
		return nil
	}
	return value
}

func (s *serverSide) namespaced(u *unstructured.Unstructured) bool {
	s.Helper()
	mapping, err := s.mapper.RESTMapping(u.GroupVersionKind().GroupKind())
	if err != nil {
		s.Fatal(err)
	}
	return mapping.Scope.Name() == "namespace"
}

func (s *serverSide) differ(a, b *unstructured.Unstructured) bool {
	return string(s.json(comparable(a))) != string(s.json(comparable(b)))
}
