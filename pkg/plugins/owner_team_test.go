package plugins

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// ownedObject makes an object of namespace shop that may have a controller.
func ownedObject(t testing.TB, kind, name, ownerKind, ownerName, more string) *object.Object {
	t.Helper()
	metadata := fmt.Sprintf(`"name":%q,"uid":"uid-%s","resourceVersion":"1"`, name, name)
	if kind != "Namespace" {
		metadata += `,"namespace":"shop"`
	}
	if ownerKind != "" {
		metadata += fmt.Sprintf(
			`,"ownerReferences":[{"apiVersion":"apps/v1","kind":%q,"name":%q,"controller":true}]`,
			ownerKind, ownerName)
	}
	return newObject(t, fmt.Sprintf(`{"apiVersion":"apps/v1","kind":%q,"metadata":{%s}%s}`, kind,
		metadata, more))
}

// waitingPod makes a pod whose second container waits for a reason.
func waitingPod(t testing.TB, name, set, reason string) *object.Object {
	t.Helper()
	return ownedObject(t, "Pod", name, "ReplicaSet", set,
		`,"status":{"containerStatuses":[{"name":"c0","state":{"running":{}}},`+
			`{"name":"c1","state":{"waiting":{"reason":"`+reason+`"}}}]}`)
}

// labeled makes an object with the label team.
func labeled(t testing.TB, kind, name, team string) *object.Object {
	t.Helper()
	metadata := fmt.Sprintf(`"name":%q,"uid":"u","resourceVersion":"1"`, name)
	if kind != "Namespace" {
		metadata += `,"namespace":"shop"`
	}
	return newObject(t, fmt.Sprintf(
		`{"apiVersion":"v1","kind":%q,"metadata":{%s,"labels":{"team":%q}}}`, kind, metadata, team))
}

func ownerTeamSpec(t testing.TB) Spec {
	t.Helper()
	caches := stores{
		"sets": {ownedObject(t, "ReplicaSet", "web-5d", "Deployment", "web", ""),
			ownedObject(t, "ReplicaSet", "api-7c", "Deployment", "api", "")},
		"deployments": {labeled(t, "Deployment", "web", "red"),
			ownedObject(t, "Deployment", "api", "", "", "")},
		"namespaces": {labeled(t, "Namespace", "shop", "blue")},
	}
	return Spec{Listener: t.Name(), Path: "owner-team.wasm", Wasm: example(t, "owner-team"),
		Config: []byte(`{"replicaSets":"sets"}`),
		Caches: caches, Limits: Limits{Deadline: 10 * time.Second},
		Grants: Grants{Cache: &CacheGrant{Informers: []string{"sets", "deployments", "namespaces"}},
			KV: &KVGrant{}}}
}

func TestOwnerTeamExample(t *testing.T) {
	goLog.Reset()
	spec := ownerTeamSpec(t)
	workers := []*Instance{instance(t, goHost(t), spec), instance(t, goHost(t), spec)}
	finding := func(name, reason, owner, team, of string) string {
		return fmt.Sprintf(`done dev.informerd.examples.owner-team {"namespace":"shop","name":%q,"uid":"uid-%s","container":"c1","reason":%q,`+
			`"owner":{"kind":"Deployment","name":%q},"team":%q,"teamOf":%q}`, name, name, reason,
			owner, team, of)
	}
	web, api := waitingPod(t, "web-1", "web-5d", "CrashLoopBackOff"), waitingPod(t, "api-1",
		"api-7c", "ErrImagePull")
	starting := waitingPod(t, "web-1", "web-5d", "ContainerCreating")
	for n, step := range []struct {
		worker int
		e      event.Event
		want   string
	}{
		{0, event.Event{Op: event.Add, Object: starting}, "drop"},
		{0, event.Event{Op: event.Update, Object: web, Old: starting},
			finding("web-1", "CrashLoopBackOff", "web", "red", "Deployment")},
		{0, event.Event{Op: event.Update, Object: web, Old: web}, "drop"},
		// the other one has reported it
		{1, event.Event{Op: event.Update, Object: web, Old: starting}, "drop"},
		{1, event.Event{Op: event.Add, Object: api},
			finding("api-1", "ErrImagePull", "api", "blue", "Namespace")},
		{0, event.Event{Op: event.Delete, Object: api}, "drop"},
	} {
		if got := outcome(t, workers[step.worker], step.e); got != step.want {
			t.Errorf("step %d: got  %s\nwant %s", n, got, step.want)
		}
	}
	if goLog.String() != "" {
		t.Errorf("logged: %s", goLog)
	}
}

// It asks for the grants in its README, and says which informer is missing.
func TestOwnerTeamExampleNeedsItsGrants(t *testing.T) {
	for name, test := range map[string]struct {
		change func(s *Spec)
		want   string
	}{
		"no caches": {func(s *Spec) { s.Grants.Cache = nil },
			`this needs the grant "cache", which the configuration does not have`},
		"no store": {func(s *Spec) { s.Grants.KV = nil },
			`this needs the grant "kv", which the configuration does not have`},
		"an informer": {func(s *Spec) { s.Grants.Cache.Informers = []string{"sets", "namespaces"} },
			`handler refuses its configuration: deployments: the handler may not read the informer "deployments": name it in grants.cache.informers`},
		"a bad setting": {func(s *Spec) { s.Config = []byte(`{"repeatAfter":"soon"}`) },
			`handler refuses its configuration: repeatAfter is "soon", it must be a duration of at least 1m, such as 1h`},
	} {
		t.Run(name, func(t *testing.T) {
			spec := ownerTeamSpec(t)
			test.change(&spec)
			if _, err := goHost(t).Load(t.Context(), spec); err == nil ||
				!strings.HasSuffix(err.Error(), ": "+test.want) {
				t.Errorf("got %v\nwant at its end %s", err, test.want)
			}
		})
	}
}

// BenchmarkOwnerTeam is for pods without a problem, as most are, and for one whose owner is looked
// up.
func BenchmarkOwnerTeam(b *testing.B) {
	spec := ownerTeamSpec(b)
	spec.Grants.KV.Keys = 1 // that of the first pod; the second is reported each time
	i := instance(b, goHost(b), spec)
	fine, web := restarted(b, "web", 0), waitingPod(b, "web-1", "web-5d", "CrashLoopBackOff")
	first := event.Event{Op: event.Add,
		Object: waitingPod(b, "api-1", "web-5d", "CrashLoopBackOff")}
	if r, err := i.Handle(b.Context(), first); err != nil || r.Verdict != Done {
		b.Fatal(r, err)
	}
	for _, bench := range []struct {
		name string
		o    *object.Object
		want Verdict
	}{{"fine", fine, Drop}, {"reported", web, Done}} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if r, err := i.Handle(b.Context(),
					event.Event{Op: event.Add, Object: bench.o}); err != nil ||
					r.Verdict != bench.want {
					b.Fatal(r, err)
				}
			}
		})
	}
}
