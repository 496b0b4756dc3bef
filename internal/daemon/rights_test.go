package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
)

// grantAllBut answers for which rights are granted: all but those whose verb and resource match.
func (k *kubernetes) grantAllBut(denied string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.refuse = func(r *http.Request) (int, string) {
		if !strings.HasSuffix(r.URL.Path, "/selfsubjectaccessreviews") {
			return 0, ""
		}
		var review authorizationv1.SelfSubjectAccessReview
		_ = json.NewDecoder(r.Body).Decode(&review)
		a := review.Spec.ResourceAttributes
		return http.StatusCreated, fmt.Sprintf(`{"status":{"allowed":%t}}`,
			a == nil || a.Verb+" "+a.Resource != denied)
	}
}

// What a listener needs follows its configuration: with a reload it lacks a right, with another one
// it does not any more, and one that is removed lacks nothing. The other listener is ready.
func TestRightsOfListenersThatAreReloaded(t *testing.T) {
	const (
		outputs = `outputs:
  out: {stdout: {}}
  fix: {patch: {patch: 'nil'}}
listeners:
  other: {informer: {resource: pods}, outputs: [out]}
`
		fixed = outputs + "  a: {informer: {resource: pods, namespaces: [shop]}, outputs: [fix]}\n"
		shown = outputs + "  a: {informer: {resource: pods, namespaces: [shop]}, outputs: [out]}\n"
		moved = outputs + "  a: {informer: {resource: pods, namespaces: [pay]}, outputs: [fix]}\n"
	)
	k := kubernetesWith(t, map[string][]string{"pods": nil, "nodes": nil})
	k.grantAllBut("patch pods")
	d := startReloadable(t, shown, k)
	lacks := func(namespace string) {
		t.Helper()
		d.askUntil(t, "/readyz", `503 not ready: 1 of 2 listeners\n`+
			`listener "a": "a right is missing, for output \\"fix\\" of listener \\"a\\"; a Role in `+
			namespace+` needs the rule - {apiGroups: \[''\], resources: \[pods\], verbs: \[patch\]}"`)
	}
	d.askUntil(t, "/readyz", "200 ok")
	d.reload(t, fixed)
	lacks("shop")
	d.reload(t, moved)
	lacks("pay")
	d.reload(t, shown)
	d.askUntil(t, "/readyz", "200 ok")
	d.reload(t, fixed)
	lacks("shop")
	d.reload(t, outputs+
		"  a: {informer: {resource: nodes}, filter: 'cached(\"p\", \"shop\", object.metadata.name) == nil', outputs: [out]}\n"+
		"informers: {p: {resource: pods, namespaces: [shop]}}\n")
	d.askUntil(t, "/readyz", "200 ok")
	k.grantAllBut("watch pods")
	d.reload(t, outputs+
		"  a: {informer: {resource: nodes}, filter: 'cached(\"q\", \"pay\", object.metadata.name) == nil', outputs: [out]}\n"+
		"informers: {q: {resource: pods, namespaces: [pay]}}\n")
	d.askUntil(t, "/readyz", `503 not ready: 1 of 2 listeners\n`+
		`listener "a": "a right is missing, for lookups of listener \\"a\\"; a Role in pay needs .*`)
	d.reload(t, outputs)
	d.askUntil(t, "/readyz", "200 ok")
	d.stop(t)
}

// rightIsGranted: a patch that lacks a right is no dead letter, and is made once it is granted.
func rightIsGranted(t *testing.T) {
	patchIsMade(t, http.StatusForbidden, "Forbidden", "patch pods", func(d *reloadable) {
		d.askUntil(t, "/readyz",
			`503 not ready: 1 of 1 listeners\nlistener "a": "a right is missing.*`)
	})
}

// resourceComesBack has a patch made once the API server serves its resource again.
func resourceComesBack(t *testing.T) {
	patchIsMade(t, http.StatusNotFound, "NotFound", "", func(*reloadable) {})
}

// patchIsMade has patches refused until the daemon has failed and waits, as far as it knows with a
// right denied. Then one is made, and nothing is a dead letter.
func patchIsMade(t *testing.T, status int, reason, denied string, waits func(*reloadable)) {
	t.Helper()
	k := kubernetesWith(t, map[string][]string{"pods": {named("shop", "web", "", "")}})
	k.grantAllBut(denied)
	var patches, mended atomic.Int32
	reviews := k.refuse
	k.refuse = func(r *http.Request) (int, string) {
		switch {
		case r.Method == http.MethodPatch && mended.Load() == 0:
			return status, fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure",`+
				`"reason":%q,"code":%d,"message":"no"}`, reason, status)
		case r.Method == http.MethodPatch:
			patches.Add(1)
			return http.StatusOK, `{"kind":"PartialObjectMetadata","metadata":{"name":"web"}}`
		}
		return reviews(r)
	}
	d := startReloadable(t, `state: {dir: state}
outputs: {fix: {patch: {patch: '{"metadata": {"labels": {"a": "b"}}}'}}}
listeners: {a: {informer: {resource: pods}, outputs: [fix]}}
`, k)
	d.log.waitFor(t, "event failed, will try again")
	waits(d)
	mended.Store(1)
	eventually(t, func() error {
		if patches.Load() == 0 {
			return errors.New("no patch")
		}
		return nil
	})
	d.stop(t)
	if log := d.log.String(); strings.Contains(log, "given up") {
		t.Errorf("it became a dead letter:\n%s", log)
	}
}
