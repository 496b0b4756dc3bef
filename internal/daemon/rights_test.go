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

// rightIsGranted: a patch that lacks a right is no dead letter, and is made once it is granted.
func rightIsGranted(t *testing.T) {
	patchIsMade(t, http.StatusForbidden, "Forbidden", "patch pods")
}

// resourceComesBack has a patch made once the API server serves its resource again.
func resourceComesBack(t *testing.T) {
	patchIsMade(t, http.StatusNotFound, "NotFound", "")
}

// objectIsGoing has a patch come too late: nothing is a dead letter.
func objectIsGoing(t *testing.T) {
	k := kubernetesWith(t, map[string][]string{"pods": {named("shop", "web", "", "")}})
	k.grantAllBut("")
	reviews := k.refuse
	k.refuse = func(r *http.Request) (int, string) {
		if r.Method == http.MethodPatch {
			return http.StatusNotFound, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound",` +
				`"code":404,"message":"no","details":{"kind":"pods","name":"web"}}`
		}
		return reviews(r)
	}
	d := startReloadable(t, `state: {dir: state}
outputs: {fix: {patch: {patch: '{"metadata": {"labels": {"a": "b"}}}'}}}
listeners: {a: {informer: {resource: pods}, outputs: [fix]}}
`, k)
	d.log.waitFor(t, "level=INFO msg=\"not sent, as what it is about is going\"")
	d.stop(t)
	if text := d.log.String(); strings.Contains(text, "given up") {
		t.Error(text)
	}
}

// patchIsMade has patches refused until the daemon has failed and waits, as far as it knows with a
// right denied. Then one is made, and nothing is a dead letter.
func patchIsMade(t *testing.T, status int, reason, denied string) {
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
