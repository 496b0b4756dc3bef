package objects

import (
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

// The API server has decoded what it sends, so its text equals the encoding of the Go type: members
// in the order of the type's fields, no unknown ones, none that are omitted when empty.
func TestObjectsOfBuiltInKindsAreWhatTheirGoTypeMakesOfThem(t *testing.T) {
	for _, kind := range Kinds {
		if !kind.BuiltIn() {
			continue
		}
		for seed := range uint64(20) {
			text := kind.At(seed, kind.Size, Revision{Number: int(seed % 3)})
			typed, err := scheme.Scheme.New(schema.GroupVersionKind{Group: kind.Group,
				Version: kind.Version, Kind: kind.Name})
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text, typed); err != nil {
				t.Fatalf("%s %d: %v", kind.ID, seed, err)
			}
			again, err := json.Marshal(typed)
			if err != nil {
				t.Fatal(err)
			}
			if string(again) != string(text) {
				i := 0
				for i < min(len(text), len(again)) && text[i] == again[i] {
					i++
				}
				t.Fatalf("%s %d: at byte %d\n…%s\nwant\n…%s", kind.ID, seed, i,
					text[i:min(len(text), i+120)], again[i:min(len(again), i+120)])
			}
		}
	}
}
