package objects

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestPodIsValidAndOfTheWishedSize(t *testing.T) {
	for _, size := range []int{Small, Medium, Large} {
		for seed := range uint64(2 * Workloads) {
			raw := Pod(seed, size)
			var object struct {
				Metadata struct {
					Name          string          `json:"name"`
					ManagedFields json.RawMessage `json:"managedFields"`
				} `json:"metadata"`
			}
			if err := json.Unmarshal(raw, &object); err != nil {
				t.Fatalf("seed %d, size %d: %v\n%s", seed, size, err, raw)
			}
			if off := len(raw) - size; off < -size/4 || off > size/4 {
				t.Errorf("seed %d: %d bytes, want about %d", seed, len(raw), size)
			}
			if share := len(object.Metadata.ManagedFields) * 100 / len(raw); share < 20 ||
				share > 50 {
				t.Errorf("seed %d, size %d: managedFields are %d%% of the object", seed, size,
					share)
			}
		}
	}
}

func TestPodIsDeterministic(t *testing.T) {
	if !bytes.Equal(Pod(7, Medium), Pod(7, Medium)) {
		t.Error("the same seed returned different pods")
	}
	if bytes.Equal(Pod(7, Medium), Pod(7+Workloads, Medium)) {
		t.Error("two replicas of one workload are the same pod")
	}
}

// Replicas must be near copies of each other: these pods measure caches that share the common parts
// of replicas.
func TestReplicasShareTheirContainers(t *testing.T) {
	containers := func(seed uint64) []struct{ Image, Env any } {
		var object struct {
			Spec struct {
				Containers []struct{ Image, Env any } `json:"containers"`
			} `json:"spec"`
		}
		if err := json.Unmarshal(Pod(seed, Medium), &object); err != nil {
			t.Fatal(err)
		}
		return object.Spec.Containers
	}
	one, _ := json.Marshal(containers(3))
	other, _ := json.Marshal(containers(3 + 4*Workloads))
	if !bytes.Equal(one, other) {
		t.Errorf("containers of two replicas differ:\n%s\n%s", one, other)
	}
}
