//go:build !wasip1

package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	informerd "github.com/informerd/informerd/plugins/sdk/go"
	"github.com/informerd/informerd/plugins/sdk/go/informerdtest"
)

// metadata makes the metadata of an object in namespace shop.
func metadata(name, ownerKind, ownerName, more string) string {
	owners := ""
	if ownerKind != "" {
		owners = fmt.Sprintf(`,"ownerReferences":[{"kind":"Other","name":"x"},{"kind":%q,"name":%q,"controller":true}]`, ownerKind, ownerName)
	}
	return fmt.Sprintf(`"metadata":{"namespace":"shop","name":%q,"uid":"uid-%s"%s%s}`, name, name,
		owners, more)
}

// pod makes a pod whose containers c0, c1, … wait for these reasons; "" is a running one.
func pod(ownerKind, ownerName string, reasons ...string) string {
	return fmt.Sprintf(`{%s,"status":{"containerStatuses":[%s]}}`,
		metadata("web-1", ownerKind, ownerName, ""), statuses(reasons...))
}

func statuses(reasons ...string) string {
	var list []string
	for n, reason := range reasons {
		state := `"running":{}`
		if reason != "" {
			state = `"waiting":{"reason":"` + reason + `"}`
		}
		list = append(list, fmt.Sprintf(`{"name":"c%d","state":{%s}}`, n, state))
	}
	return strings.Join(list, ",")
}

// cluster has the owners of pods: a deployment with a team, one without, and a replica set for each
// of them and for neither.
func cluster() *informerdtest.Host {
	h := &informerdtest.Host{}
	set := func(name, ownerKind, ownerName string) string {
		return "{" + metadata(name, ownerKind, ownerName, "") + "}"
	}
	h.SetObjects("replicasets", set("web-5d", "Deployment", "web"),
		set("api-7c", "Deployment", "api"), set("lone", "", ""),
		set("custom-1", "Rollout", "custom"), set("note-9f", "Deployment", "note"),
		set("gone-1", "Deployment", "gone"))
	h.SetObjects("deployments",
		"{"+metadata("web", "", "", `,"labels":{"team":"red"},"annotations":{"team":"other"}`)+"}",
		"{"+metadata("api", "", "", "")+"}", "{"+metadata("note", "", "",
			`,"annotations":{"team":"green"}`)+"}")
	h.SetObjects("namespaces", `{"metadata":{"name":"shop","labels":{"team":"blue"}}}`)
	return h
}

// expect checks for an event with owner and team, as in "Deployment web red Deployment", or for
// none if want is empty.
func expect(t *testing.T, r informerdtest.Result, want string) {
	t.Helper()
	if want == "" {
		if r.Verdict != informerd.Drop {
			t.Errorf("got %+v, want drop", r)
		}
		return
	}
	if r.Verdict != informerd.Done || len(r.Emitted) != 1 || r.Emitted[0].Type != eventType {
		t.Fatalf("got %+v, want one event", r)
	}
	var f finding
	if err := json.Unmarshal(r.Emitted[0].Data, &f); err != nil {
		t.Fatal(err)
	}
	got := strings.TrimSpace(strings.Join([]string{f.Owner.Kind, f.Owner.Name, f.Team, f.TeamOf},
		" "))
	if got != want || f.Namespace != "shop" || f.Name != "web-1" || f.UID != "uid-web-1" {
		t.Errorf("got %+v, want %s", f, want)
	}
}

func TestOwners(t *testing.T) {
	for _, test := range []struct{ kind, name, want string }{
		{"ReplicaSet", "web-5d", "Deployment web red Deployment"},
		{"ReplicaSet", "note-9f", "Deployment note green Deployment"},
		{"ReplicaSet", "api-7c", "Deployment api blue Namespace"},
		{"ReplicaSet", "gone-1", "Deployment gone blue Namespace"},
		{"ReplicaSet", "lone", "ReplicaSet lone blue Namespace"},
		{"ReplicaSet", "unknown", "ReplicaSet unknown blue Namespace"},
		{"ReplicaSet", "custom-1", "Rollout custom blue Namespace"},
		{"StatefulSet", "db", "StatefulSet db blue Namespace"},
		{"", "", "Pod web-1 blue Namespace"},
	} {
		t.Run(test.kind+" "+test.name, func(t *testing.T) {
			expect(t, cluster().Start(t, "").Add(pod(test.kind, test.name, "CrashLoopBackOff")),
				test.want)
		})
	}
}

func TestNoTeam(t *testing.T) {
	h := cluster()
	h.SetObjects("namespaces")
	expect(t, h.Start(t, "").Add(pod("ReplicaSet", "api-7c", "ErrImagePull")), "Deployment api")
}

func TestReasons(t *testing.T) {
	many := make([]string, 7)
	for _, test := range []struct {
		name, pod, want string // want is container and reason
	}{
		{"it runs", pod("", "", ""), ""},
		{"no status yet", "{" + metadata("web-1", "", "", "") + "}", ""},
		{"another reason", pod("", "", "ContainerCreating"), ""},
		{"the first", pod("", "", "ImagePullBackOff"), "c0 ImagePullBackOff"},
		{"the second", pod("", "", "ContainerCreating", "CrashLoopBackOff"), "c1 CrashLoopBackOff"},
		{"the last", pod("", "", append(many, "CrashLoopBackOff")...), "c7 CrashLoopBackOff"},
		{"an init container", strings.Replace(pod("", "", "PodInitializing"), `"status":{`,
			`"status":{"initContainerStatuses":[`+statuses("", "CrashLoopBackOff")+`],`, 1),
			"c1 CrashLoopBackOff"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := cluster().Start(t, "").Add(test.pod)
			got := ""
			if r.Verdict == informerd.Done {
				var f finding
				if err := json.Unmarshal(r.Emitted[0].Data, &f); err != nil {
					t.Fatal(err)
				}
				got = f.Container + " " + f.Reason
			}
			if got != test.want {
				t.Errorf("got %q, want %q (%+v)", got, test.want, r)
			}
		})
	}
	expect(t, cluster().Start(t, `{"reasons":["ContainerCreating"]}`).Add(
		pod("", "", "ContainerCreating")), "Pod web-1 blue Namespace")
	expect(t, cluster().Start(t, `{"reasons":["ContainerCreating"]}`).Add(
		pod("", "", "CrashLoopBackOff")), "")
}

// A pod is reported once in a while by all workers together.
func TestRepeat(t *testing.T) {
	const found = "Deployment web red Deployment"
	h := cluster()
	running, crashing := pod("ReplicaSet", "web-5d", ""), pod("ReplicaSet", "web-5d",
		"CrashLoopBackOff")
	g := h.Start(t, `{"repeatAfter":"2h"}`)
	expect(t, g.Add(running), "")
	expect(t, g.Update(running, crashing), found)
	expect(t, g.Update(running, pod("ReplicaSet", "web-5d", "ImagePullBackOff")), "")
	g = h.Start(t, `{"repeatAfter":"2h"}`)
	expect(t, g.Add(crashing), "")
	h.Advance(2*time.Hour - 1)
	expect(t, g.Resync(crashing), "")
	h.Advance(1)
	expect(t, g.Resync(crashing), found)
	h.Advance(2 * time.Hour)
	expect(t, g.Update(crashing, crashing), "") // its status did not change
	expect(t, g.Delete(crashing), "")
	expect(t, g.Handle(informerdtest.Event{Op: informerd.Update, Object: crashing, Old: crashing,
		Missed: true}), found)
}

// Pods that cannot be remembered are reported all the same.
func TestMorePodsThanRemembered(t *testing.T) {
	h := cluster()
	h.SetValue("reported/other", "x", 0)
	h.LimitKeys(1)
	g := h.Start(t, "")
	for range 2 {
		expect(t, g.Add(pod("", "", "CrashLoopBackOff")), "Pod web-1 blue Namespace")
	}
}

// A pod with one running container takes no host call for its fields.
func TestWhatIsGivenAhead(t *testing.T) {
	if r := cluster().Start(t, "").Add(pod("", "", "")); r.FieldCalls != 0 {
		t.Errorf("%d fields were read by a host call", r.FieldCalls)
	}
}

func TestConfigure(t *testing.T) {
	for config, want := range map[string]string{
		`{"reasons":[]}`:              "reasons is empty: name at least one, such as CrashLoopBackOff",
		`{"reasons":[""]}`:            `reasons: "" is not a reason: it is one word, as in CrashLoopBackOff`,
		`{"reasons":["a b"]}`:         `reasons: "a b" is not a reason: it is one word, as in CrashLoopBackOff`,
		`{"reasons":["A","A"]}`:       `reasons: duplicate "A"`,
		`{"team":""}`:                 `team: "" is not the key of a label or annotation`,
		`{"team":"a\"]"}`:             `team: "a\"]" is not the key of a label or annotation`,
		`{"repeatAfter":"1"}`:         `repeatAfter is "1", it must be a duration of at least 1m, such as 1h`,
		`{"repeatAfter":"59s"}`:       `repeatAfter is "59s", it must be a duration of at least 1m, such as 1h`,
		`{"deployments":"others"}`:    `deployments: the handler may not read the informer "others": name it in grants.cache.informers`,
		`{"replicaSets":"others"}`:    `replicaSets: the handler may not read the informer "others": name it in grants.cache.informers`,
		`{"namespaces":""}`:           `namespaces: the handler may not read the informer "": name it in grants.cache.informers`,
		`{"reason":["ErrImagePull"]}`: `config: json: unknown field "reason"`,
	} {
		if _, err := cluster().Load(config); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", config, err, want)
		}
	}
}
