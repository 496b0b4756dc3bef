package objects

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func decode(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var o map[string]any
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return o
}

// differences lists the paths of the leaves in which two objects differ.
func differences(a, b any, path string) (paths []string) {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			return []string{path}
		}
		keys := maps.Clone(x)
		maps.Copy(keys, y)
		for key := range keys {
			paths = append(paths,
				differences(x[key], y[key], strings.TrimPrefix(path+"."+key, "."))...)
		}
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return []string{path}
		}
		for i := range x {
			paths = append(paths, differences(x[i], y[i], fmt.Sprintf("%s[%d]", path, i))...)
		}
	default:
		if !reflect.DeepEqual(a, b) {
			return []string{path}
		}
	}
	slices.Sort(paths)
	return paths
}

// always lists the fields in which each later state differs, besides those that change with the
// phase.
var always = map[*Kind][]string{
	Pods: podAlways, ManyWorkloadPods: podAlways, JobPods: podAlways, SharedLabelPods: podAlways,
	ConfigMaps: {"data.leader", "metadata.managedFields[0].time", "metadata.resourceVersion"},
	Widgets:    widgetAlways, Mixed: widgetAlways,
	Nodes: {
		"metadata.managedFields[2].time", "metadata.resourceVersion",
		"status.conditions[0].lastHeartbeatTime",
		"status.conditions[1].lastHeartbeatTime", "status.conditions[2].lastHeartbeatTime",
		"status.conditions[3].lastHeartbeatTime",
	},
	UnlikeConfigMaps: {"metadata.managedFields[0].time", "metadata.resourceVersion"},
	Events: {"count", "lastTimestamp", "metadata.managedFields[0].time",
		"metadata.resourceVersion"},
	Leases: {"metadata.managedFields[0].time", "metadata.resourceVersion", "spec.renewTime"},
	EndpointSlices: {
		"metadata.annotations.endpoints.kubernetes.io/last-change-trigger-time",
		"metadata.generation", "metadata.managedFields[0].time", "metadata.resourceVersion",
	},
	Secrets: {"data.tls.crt", "data.tls.key", "metadata.annotations.example.com/renewed",
		"metadata.managedFields[0].time", "metadata.resourceVersion"},
}

var (
	podAlways = []string{
		"metadata.managedFields[1].time", "metadata.resourceVersion",
		"status.conditions[2].lastTransitionTime", "status.conditions[3].lastTransitionTime",
		"status.containerStatuses[0].restartCount",
	}
	widgetAlways = []string{
		"metadata.managedFields[1].time", "metadata.resourceVersion",
		"status.conditions[0].lastTransitionTime", "status.observed",
	}
)

// sometimes lists prefixes of further fields in which a state may differ.
var sometimes = map[*Kind][]string{
	Pods: podSometimes, ManyWorkloadPods: podSometimes, JobPods: podSometimes,
	SharedLabelPods: podSometimes,
	Widgets:         widgetSometimes, Mixed: widgetSometimes,
	UnlikeConfigMaps: {"data."},
	EndpointSlices:   {"endpoints["},
}

var (
	podSometimes = []string{"status.phase", "status.conditions[2]", "status.conditions[3]",
		"status.containerStatuses["}
	widgetSometimes = []string{"status.phase", "status.conditions[0].reason",
		"status.conditions[0].status"}
)

// A later state of an unlike ConfigMap has one edited value, one of an EndpointSlice one inverted
// endpoint.
func TestEachStateHasOneChangeMore(t *testing.T) {
	for kind, want := range map[*Kind]string{UnlikeConfigMaps: `^data\.[a-d]-\w+\.conf$`,
		EndpointSlices: `^endpoints\[(\d+)\]\.conditions\.(ready|serving)$`} {
		pattern := regexp.MustCompile(want)
		for seed := range uint64(10) {
			changed := map[string]bool{}
			const states = 30 // more than there are endpoints
			before := decode(t, kind.At(seed, kind.Size, Revision{}))
			for number := 1; number <= states; number++ {
				state := decode(t, kind.At(seed, kind.Size, Revision{Number: number}))
				var found []string
				for _, path := range differences(before, state, "") {
					if !strings.HasPrefix(path, "metadata.") {
						found = append(found, path)
						if !pattern.MatchString(path) {
							t.Errorf("%s %d, state %d: %s has changed", kind.ID, seed, number, path)
						}
						changed[path] = true
					}
				}
				// ready and serving
				if want := 1 + len(pattern.SubexpNames())/3; len(found) != want {
					t.Errorf("%s %d, state %d: %v", kind.ID, seed, number, found)
				}
				before = state
			}
			if len(changed) < 4 {
				t.Errorf("%s %d: only %v change", kind.ID, seed, changed)
			}
		}
	}
}

func TestALaterStateDiffersOnlyWhereSaid(t *testing.T) {
	for _, kind := range Kinds {
		phases := 0
		const seeds, numbers = 100, 4
		for seed := range uint64(seeds) {
			created := decode(t, kind.At(seed, kind.Size, Revision{}))
			for number := 1; number <= numbers; number++ {
				state := decode(t,
					kind.At(seed, kind.Size,
						Revision{Number: number, ResourceVersion: FirstFreeVersion + 5}))
				found := differences(created, state, "")
				for _, path := range always[kind] {
					if !slices.Contains(found, path) {
						t.Errorf("%s %d, state %d: %s is as it was", kind.ID, seed, number, path)
					}
				}
				for _, path := range found {
					allowed := slices.Contains(always[kind], path) ||
						slices.ContainsFunc(sometimes[kind], func(prefix string) bool {
							return strings.HasPrefix(path, prefix)
						})
					if !allowed {
						t.Errorf("%s %d, state %d: %s has changed", kind.ID, seed, number, path)
					}
				}
				if slices.Contains(found, "status.phase") {
					phases++
				}
			}
		}
		if few, many := seeds*numbers/16, seeds*numbers/5; slices.Contains(sometimes[kind],
			"status.phase") && (phases < few || phases > many) {
			t.Errorf("%s: the phase has changed in %d of %d states", kind.ID, phases, seeds*numbers)
		}
	}
}

func TestASmallPodChangesItsPhase(t *testing.T) {
	created := decode(t, Pod(1, Small))
	state := decode(t, PodAt(1, Small, Revision{Number: 1, ResourceVersion: FirstFreeVersion + 1}))
	if found := differences(created, state, ""); !slices.Equal(found,
		[]string{"metadata.resourceVersion", "status.phase"}) {
		t.Error(found)
	}
}

func TestStatesAreDeterministicAndCounted(t *testing.T) {
	for _, kind := range Kinds {
		r := Revision{Number: 2, ResourceVersion: FirstFreeVersion + 77}
		one := kind.At(9, Small, r)
		if !bytes.Equal(one, kind.At(9, Small, r)) {
			t.Errorf("%s: the same state twice has different texts", kind.ID)
		}
		if got := decode(t, one)["metadata"].(map[string]any)["resourceVersion"]; got != "1000000077" {
			t.Errorf("%s: resourceVersion %v", kind.Name, got)
		}
	}
}

func TestRestartsGrow(t *testing.T) {
	restarts := func(number int) float64 {
		status := decode(t, PodAt(3, Medium, Revision{Number: number}))["status"].(map[string]any)
		return status["containerStatuses"].([]any)[0].(map[string]any)["restartCount"].(float64)
	}
	for number := range 5 {
		if restarts(number+1) != restarts(number)+1 {
			t.Errorf("state %d has %v restarts, the one before %v", number+1, restarts(number+1),
				restarts(number))
		}
	}
}

func TestFirstVersionsLeaveRoomForLaterOnes(t *testing.T) {
	for _, kind := range Kinds {
		for seed := range uint64(100) {
			version := decode(t, kind.At(seed, Small, Revision{}))["metadata"].(map[string]any)["resourceVersion"].(string)
			if len(version) != 9 { // FirstFreeVersion has ten digits
				t.Errorf("%s %d: resourceVersion %s", kind.ID, seed, version)
			}
		}
	}
}
