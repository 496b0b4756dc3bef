package daemon

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/rights"
)

// CheckCluster asks for what each informer will ask for, in each namespace, and says who may not
// have it.
func TestCheckClusterTriesRights(t *testing.T) {
	status := func(code int, reason, message string) (int, string) {
		return code, fmt.Sprintf(
			`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,"code":%d,"message":%q}`, reason, code, message)
	}
	forbidden := func(message string) (int, string) {
		return status(http.StatusForbidden, "Forbidden", message)
	}
	is := func(r *http.Request, path string, watch bool) bool {
		return strings.HasSuffix(r.URL.Path, path) && r.URL.Query().Has("watch") == watch
	}
	const listeners = `  dep: {informer: {resource: configmap, namespaces: [shop, pay]}, outputs: [out]}
  one: {informer: named, outputs: [out]}
  two: {informer: named, outputs: [out]}
informers: {named: {resource: pods, fieldSelector: spec.foo=bar}}
`
	for name, c := range map[string]struct {
		refuse func(r *http.Request) (int, string)
		want   string // %s is the file
		other  string // an error that is not a mistake
	}{
		"all is well": {refuse: func(*http.Request) (int, string) { return 0, "" }},
		"no list in one namespace": {
			refuse: func(r *http.Request) (int, string) {
				if strings.HasSuffix(r.URL.Path, "/namespaces/shop/configmaps") {
					return forbidden("no")
				}
				return 0, ""
			},
			want: `%s:5:30: listener "dep" may not list configmaps in shop; the API server says: no`,
		},
		"no watch, for two listeners": {
			refuse: func(r *http.Request) (int, string) {
				if is(r, "/v1/pods", true) {
					return forbidden("no")
				}
				return 0, ""
			},
			want: `%s:8:31: listeners "one" and "two" may not watch pods; the API server says: no`,
		},
		"a field selector that the server does not know": {
			refuse: func(r *http.Request) (int, string) {
				if r.URL.Query().Get("fieldSelector") == "spec.foo=bar" {
					return status(http.StatusBadRequest, "BadRequest",
						"field label not supported: spec.foo")
				}
				return 0, ""
			},
			want: `%s:8:52: the API server does not support the fieldSelector of listeners "one" and "two": field label not supported: spec.foo`,
		},
		"a list that is not possible": {
			refuse: func(r *http.Request) (int, string) {
				if is(r, "/v1/pods", false) {
					return status(http.StatusMethodNotAllowed, "MethodNotAllowed", "not allowed")
				}
				return 0, ""
			},
			want: `%s:8:31: listeners "one" and "two" cannot list pods: not allowed`,
		},
		"a server that says when it can answer": {
			refuse: func() func(*http.Request) (int, string) {
				var asked atomic.Int32
				return func(r *http.Request) (int, string) {
					if is(r, "/v1/pods", false) && asked.Add(1) == 1 {
						return http.StatusTooManyRequests,
							`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"storage is (re)initializing","reason":"TooManyRequests","details":{"retryAfterSeconds":1},"code":429}`
					}
					return 0, ""
				}
			}(),
		},
		"a server that is busy": {
			refuse: func(*http.Request) (int, string) {
				return status(http.StatusTooManyRequests, "TooManyRequests", "later")
			},
			other: `cannot find out whether listeners "one" and "two" may list pods: later`,
		},
	} {
		k := kubernetesWith(t, map[string][]string{"pods": nil, "configmaps": nil})
		k.openAPI, k.refuse = podDocument, c.refuse
		parsed := parse(t, head+listeners)
		err := CheckCluster(t.Context(), parsed,
			Options{Kubeconfig: kubeconfig(t, k.url), Log: quiet})
		var mistakes config.Errors
		got := ""
		if errors.As(err, &mistakes) {
			got = mistakes.Error()
		} else if err != nil && err.Error() != c.other || err == nil && c.other != "" {
			t.Errorf("%s: %v", name, err)
		}
		if missing := strings.Contains(c.want, "may not"); errors.As(err, new(*rights.Missing)) != missing {
			t.Errorf("%s: a right is missing: %t", name, !missing)
		}
		if want := strings.ReplaceAll(c.want, "%s", parsed.File()); got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
}
