package objects

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func nameOf(t *testing.T, kind *Kind, seed uint64) string {
	t.Helper()
	metadata := decode(t, kind.At(seed, Small, Revision{}))["metadata"].(map[string]any)
	namespace, has := metadata["namespace"].(string)
	if has == kind.ClusterScoped {
		t.Fatalf("%s %d: namespace %q", kind.ID, seed, namespace)
	}
	return namespace + "/" + metadata["name"].(string)
}

// TestNamesAreUnique builds names as the generators do, and compares some of them.
func TestNamesAreUnique(t *testing.T) {
	const seeds = 200_000
	for _, kind := range []*Kind{Pods, ConfigMaps, Widgets, SharedLabelPods} {
		prefixes := make([]string, Workloads)
		for w := range prefixes {
			full := nameOf(t, kind, uint64(w))
			prefixes[w] = full[:strings.LastIndex(full, "-")+1]
		}
		seen := make(map[string]uint64, seeds)
		for seed := range uint64(seeds) {
			made := prefixes[seed%Workloads] + replicaSuffix(seed)
			if other, ok := seen[made]; ok {
				t.Fatalf("%s: seeds %d and %d are both %s", kind.ID, other, seed, made)
			}
			seen[made] = seed
			if seed%997 == 0 && nameOf(t, kind, seed) != made {
				t.Fatalf("%s %d is called %s, not %s", kind.ID, seed, nameOf(t, kind, seed), made)
			}
		}
	}
}

// The names of the other kinds are built in other ways. Each benchmark has fewer objects than this.
func TestNamesOfFewAreUnique(t *testing.T) {
	for _, kind := range Kinds {
		seen := map[string]uint64{}
		for seed := range uint64(2_000) {
			seed *= 11 // up to 22,000, some of one workload and some of others
			name := nameOf(t, kind, seed)
			if other, ok := seen[name]; ok {
				t.Fatalf("%s: seeds %d and %d are both %s", kind.ID, other, seed, name)
			}
			seen[name] = seed
		}
	}
}

func TestSuffixesAndNodeNamesAreUnique(t *testing.T) {
	suffixes, nodes := map[string]bool{}, map[string]bool{}
	const seeds = 1 << 16
	for seed := range uint64(seeds) {
		suffixes[uniqueSuffix(seed)], nodes[nodeName(seed)] = true, true
	}
	if len(suffixes) != seeds || len(nodes) != seeds {
		t.Errorf("%d seeds: %d suffixes, %d node names", seeds, len(suffixes), len(nodes))
	}
}

func TestObjectsAreOfTheWishedSize(t *testing.T) {
	check := func(kind *Kind, size int, seeds uint64) {
		for seed := range seeds {
			text := kind.At(seed, size, Revision{Number: int(seed % 3)})
			if off := len(text) - size; off < -size/4 || off > size/4 {
				t.Errorf("%s %d: %d bytes, want about %d", kind.ID, seed, len(text), size)
			}
		}
	}
	for _, kind := range Kinds {
		check(kind, kind.Size, 2*Workloads)
	}
	for _, kind := range []*Kind{Pods, ConfigMaps, Widgets, SharedLabelPods, ManyWorkloadPods} {
		check(kind, Small, 2*Workloads)
	}
	for _, kind := range []*Kind{ConfigMaps, Widgets, UnlikeConfigMaps, Secrets, Nodes,
		EndpointSlices, Mixed} {
		check(kind, Medium, Workloads)
	}
	check(UnlikeConfigMaps, 1<<20, 3)
}

func TestAListItemHasATypeOnlyIfTheKindIsNotBuiltIn(t *testing.T) {
	for _, kind := range Kinds {
		text := kind.At(4, Small, Revision{})
		whole := decode(t, text)
		if whole["kind"] != kind.Name || whole["apiVersion"] != kind.APIVersion() {
			t.Errorf("%s: an object is a %v of %v", kind.ID, whole["kind"], whole["apiVersion"])
		}
		item := decode(t, kind.AppendListItem(nil, text))
		if kind.BuiltIn() {
			delete(whole, "kind")
			delete(whole, "apiVersion")
		}
		if found := differences(whole, item, ""); len(found) > 0 {
			t.Errorf("%s: a list item differs in %v", kind.ID, found)
		}
	}
}

func TestKeysOfACustomResourceAreSorted(t *testing.T) {
	for _, kind := range []*Kind{Widgets, Mixed} {
		for seed := range uint64(Workloads) {
			if err := sorted(json.NewDecoder(
				bytes.NewReader(kind.At(seed, Medium, Revision{})))); err != nil {
				t.Fatalf("%s %d: %v", kind.ID, seed, err)
			}
		}
	}
	if err := sorted(json.NewDecoder(strings.NewReader(`{"a":[{"c":1,"b":2}]}`))); err == nil {
		t.Error("the test does not detect unsorted keys")
	}
}

// sorted reads a value and fails if an object in it has unsorted keys.
func sorted(d *json.Decoder) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	delim, _ := token.(json.Delim)
	var keys []string
	for delim != 0 && d.More() {
		if delim == '{' {
			key, err := d.Token()
			if err != nil {
				return err
			}
			keys = append(keys, key.(string))
		}
		if err := sorted(d); err != nil {
			return err
		}
	}
	if delim != 0 {
		_, err = d.Token()
	}
	if err == nil && !slices.IsSorted(keys) {
		err = fmt.Errorf("%v", keys)
	}
	return err
}

func TestManagedFieldsAreARealisticShare(t *testing.T) {
	for _, kind := range Kinds {
		whole := kind.At(7, kind.Size, Revision{})
		fields := decode(t, whole)["metadata"].(map[string]any)["managedFields"]
		text, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		if share := len(text) * 100 / len(whole); share < 3 || share > 50 {
			t.Errorf("%s: managedFields are %d%% of the object", kind.ID, share)
		}
	}
}

func BenchmarkPodAt(b *testing.B) {
	for _, size := range []int{Small, Medium} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				PodAt(uint64(i%1000), size,
					Revision{Number: i, ResourceVersion: FirstFreeVersion + uint64(i)})
			}
		})
	}
}
