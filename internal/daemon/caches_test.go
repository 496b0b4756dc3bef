package daemon

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const lookingUp = head + `
  lost:
    informer: {resource: pods, namespaces: [shop]}
    filter: cached("teams", object.metadata.namespace, label("team")) == nil
    outputs: [out]
  crowded:
    informer: {resource: configmaps}
    filter: len(byIndex("pods", "team", object.metadata.name)) > 1
    outputs: [out]
  elsewhere:
    informer: {resource: pods, namespaces: [shop]}
    filter: cached("one-space", "pay", "a") != nil && cached("one-space", "till", "a") != nil && cached("one-space", "shop", "a") == nil
    outputs: [out]
  alone: {informer: {resource: pods}, outputs: [out]}
informers:
  teams: {resource: configmaps}
  one-space: {resource: configmaps, namespaces: [pay, till]}
  pods: {resource: pods, namespaces: [shop, pay], indexes: {team: metadata.labels.team}}
`

func teamsAndPods() map[string][]string {
	return map[string][]string{
		"pods": {
			named("shop", "web-1", `"team":"a"`, ""), named("shop", "web-2", `"team":"b"`, ""),
			named("shop", "web-3", `"team":"c"`, ""),
		},
		"configmaps": {named("shop", "a", "", ""), named("shop", "b", "", "")},
	}
}

// A listener whose expressions look objects up does not look before these are there: in an empty
// cache it would find nothing, and tell of every pod. Others do not wait for that.
func TestNothingIsJudgedBeforeWhatIsLookedUpIsThere(t *testing.T) {
	k := kubernetesWith(t, teamsAndPods())
	release := k.withhold("configmaps")
	d := start(t, parse(t, lookingUp), k)
	d.log.waitFor(t, "msg=listening listener=lost ")
	k.waitForRequest(t, "configmaps")
	d.out.waitForLines(t, 3, "/listeners/alone")
	if got := d.subjects("lost"); got != "" {
		t.Errorf("told before the teams are there: %s", got)
	}
	release()
	d.out.waitForLines(t, 1, "/listeners/lost")
	d.stop(t)
	if got := d.subjects("lost"); got != "pods/shop/web-3" {
		t.Errorf("got %q", got)
	}
}

// What is looked up never came: the listener ends without having judged anything, which is said.
func TestStoppedBeforeWhatIsLookedUpIsThere(t *testing.T) {
	k := kubernetesWith(t, teamsAndPods())
	k.withhold("configmaps")
	d := start(t, parse(t, `http: {address: "127.0.0.1:0"}`+"\n"+lookingUp), k)
	waits := regexp.MustCompile(
		`(?m)^informerd_buffer_(events|backlog_objects)\{listener="lost"\} 3$`)
	eventually(t, func() error {
		if metrics := d.ask(t, "/metrics"); !waits.MatchString(metrics) {
			return errors.New(metrics)
		}
		return nil
	})
	d.stop(t)
	if got := d.subjects("lost"); got != "" {
		t.Errorf("got %q", got)
	}
	if log := d.log.String(); !strings.Contains(log,
		`level=WARN msg="listener stopped" listener=lost `) ||
		!strings.Contains(log, "unfinished=3\n") {
		t.Error(log)
	}
}

// An informer of several namespaces is looked up in all of them, and in no other.
func TestLookupsInSeveralNamespaces(t *testing.T) {
	items := teamsAndPods()
	// the server does not look at the namespace in the path, so that each of its namespaces has all
	// of these
	items["configmaps"] = []string{named("pay", "a", "", ""), named("till", "a", "", "")}
	k := kubernetesWith(t, items)
	d := start(t, parse(t, lookingUp), k)
	d.out.waitForLines(t, 3, "/listeners/elsewhere")
	d.stop(t)
}

// A listener waits for the resources of what its expressions look up, as for its own, and others do
// not wait for it.
func TestAListenerWaitsForTheResourceThatItLooksUp(t *testing.T) {
	items := teamsAndPods()
	maps := items["configmaps"]
	delete(items, "configmaps")
	k := kubernetesWith(t, items)
	d := start(t, parse(t, strings.Replace(lookingUp,
		"  crowded:\n    informer: {resource: configmaps}",
		"  crowded:\n    informer: {resource: pods}", 1)), k)
	d.out.waitForLines(t, 3, "/listeners/alone")
	d.log.waitFor(t, `level=ERROR msg="listener failed, will try again" listener=lost error="informer \"teams\", which its expressions look objects up in: no resource \"configmaps\" on `+k.url+`"`)
	if log := d.log.String(); strings.Contains(log, "msg=listening listener=lost ") {
		t.Error(log)
	}
	k.mu.Lock()
	k.items["configmaps"] = maps
	k.mu.Unlock()
	d.log.waitFor(t, "msg=listening listener=lost ")
	d.out.waitForLines(t, 1, "/listeners/lost")
	d.stop(t)
	if got := d.subjects("lost"); got != "pods/shop/web-3" {
		t.Errorf("got %q", got)
	}
}

// An informer that is looked up must be one that may be watched, and what is wrong with it is said
// of it.
func TestLookupsAreHeldAgainstTheServer(t *testing.T) {
	k := kubernetesWith(t, map[string][]string{"pods": nil, "nodes": nil})
	d := start(t, parse(t, head+`
  pods: {informer: {resource: pods}, filter: 'cached("nodes", "", "a") == nil', outputs: [out]}
informers: {nodes: {resource: nodes, namespaces: [shop]}}
`), k)
	d.log.waitFor(t, `listener=pods error="informer \"nodes\", which its expressions look objects up in: nodes (v1) belong to the whole cluster and cannot be limited to namespaces (\"shop\"); remove namespaces"`)
	d.stop(t)
}

// byIndex with a namespace finds what is in it alone, by an index that the informer gets for that.
func TestByIndexWithinANamespace(t *testing.T) {
	k := kubernetesWith(t, map[string][]string{"pods": {
		named("shop", "web-1", `"team":"a"`, ""), named("shop", "web-2", `"team":"a"`, ""),
		named("pay", "web-3", `"team":"a"`, ""), named("pay", "web-4", `"team":"b/c"`, ""),
	}})
	d := start(t, parse(t, head+`
  only: {informer: {resource: pods}, filter: 'len(byIndex("pods", "team", label("team"), object.metadata.namespace)) == 1 && len(byIndex("pods", "team", "a")) == 3', outputs: [out]}
  namespaces:
    informer: {resource: pods}
    filter: len(byIndex("pods", "namespace", "pay", object.metadata.namespace)) == 2
    outputs: [out]
informers: {pods: {resource: pods, indexes: {team: metadata.labels.team}}}
`), k)
	d.out.waitForLines(t, 2, "/listeners/only")
	d.out.waitForLines(t, 2, "/listeners/namespaces")
	d.stop(t)
	for _, listener := range []string{"only", "namespaces"} {
		got := strings.Fields(d.subjects(listener)) // in the order in which the cache could answer
		slices.Sort(got)
		if want := []string{"pods/pay/web-3", "pods/pay/web-4"}; !slices.Equal(got, want) {
			t.Errorf("%s: got %q", listener, got)
		}
	}
}
