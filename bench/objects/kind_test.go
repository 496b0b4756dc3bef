package objects

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestNamesAreUnique puts names together as the generators do, which is checked on some of them.
func TestNamesAreUnique(t *testing.T) {
	const seeds = 200_000
	for _, kind := range Kinds {
		name := func(seed uint64) string {
			metadata := decode(t, kind.At(seed, Small, Revision{}))["metadata"].(map[string]any)
			return metadata["namespace"].(string) + "/" + metadata["name"].(string)
		}
		prefixes := make([]string, Workloads)
		for w := range prefixes {
			full := name(uint64(w))
			prefixes[w] = full[:strings.LastIndex(full, "-")+1]
		}
		seen := make(map[string]uint64, seeds)
		for seed := range uint64(seeds) {
			made := prefixes[seed%Workloads] + replicaSuffix(seed)
			if other, ok := seen[made]; ok {
				t.Fatalf("%s: seeds %d and %d are both %s", kind.Name, other, seed, made)
			}
			seen[made] = seed
			if seed%997 == 0 && name(seed) != made {
				t.Fatalf("%s %d is called %s, not %s", kind.Name, seed, name(seed), made)
			}
		}
	}
}

func TestObjectsAreOfTheWishedSize(t *testing.T) {
	for _, kind := range Kinds {
		for _, size := range []int{Small, Medium} {
			for seed := range uint64(2 * Workloads) {
				text := kind.At(seed, size, Revision{Number: int(seed % 3)})
				if off := len(text) - size; off < -size/4 || off > size/4 {
					t.Errorf("%s %d: %d bytes, wished %d", kind.Name, seed, len(text), size)
				}
			}
		}
	}
}

func TestAListItemHasATypeOnlyIfTheKindIsNotBuiltIn(t *testing.T) {
	for _, kind := range Kinds {
		text := kind.At(4, Small, Revision{})
		whole := decode(t, text)
		if whole["kind"] != kind.Name || whole["apiVersion"] != kind.APIVersion() {
			t.Errorf("%s: an object is a %v of %v", kind.Name, whole["kind"], whole["apiVersion"])
		}
		item := decode(t, kind.AppendListItem(nil, text))
		if kind.Group == "" {
			delete(whole, "kind")
			delete(whole, "apiVersion")
		}
		if found := differences(whole, item, ""); len(found) > 0 {
			t.Errorf("%s: a list item differs in %v", kind.Name, found)
		}
	}
}

func TestKeysOfACustomResourceAreSorted(t *testing.T) {
	for seed := range uint64(Workloads) {
		if err := sorted(json.NewDecoder(bytes.NewReader(Widget(seed, Medium)))); err != nil {
			t.Fatalf("widget %d: %v", seed, err)
		}
	}
	if err := sorted(json.NewDecoder(strings.NewReader(`{"a":[{"c":1,"b":2}]}`))); err == nil {
		t.Error("the test does not see what is not sorted")
	}
}

// sorted reads a value and fails if an object in it has keys that are not in order.
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
		fields := decode(t, kind.At(7, Medium, Revision{}))["metadata"].(map[string]any)["managedFields"]
		text, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		if share := len(text) * 100 / Medium; share < 3 || share > 50 {
			t.Errorf("%s: managedFields are %d%% of the object", kind.Name, share)
		}
	}
}

func BenchmarkPodAt(b *testing.B) {
	for _, size := range []int{Small, Medium} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				PodAt(uint64(i%1000), size, Revision{Number: i, ResourceVersion: FirstFreeVersion + uint64(i)})
			}
		})
	}
}
