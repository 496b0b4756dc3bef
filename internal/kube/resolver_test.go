package kube

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// eachForm runs a test against both forms of discovery.
func eachForm(t *testing.T, test func(t *testing.T, s *fakeServer)) {
	for name, aggregated := range map[string]bool{"aggregated": true, "legacy": false} {
		t.Run(name, func(t *testing.T) {
			test(t, newServer(t, aggregated, append(stock(), certManager)...))
		})
	}
}

func TestResolve(t *testing.T) {
	eachForm(t, func(t *testing.T, s *fakeServer) {
		r := s.resolver(t)
		for name, want := range map[string]string{
			"pods":                            "pods (v1) Pod namespaced",
			"PODS":                            "pods (v1) Pod namespaced",
			"pod":                             "pods (v1) Pod namespaced",
			"Pod":                             "pods (v1) Pod namespaced",
			"po":                              "pods (v1) Pod namespaced",
			"pods.v1":                         "pods (v1) Pod namespaced",
			"pods.v1.":                        "pods (v1) Pod namespaced",
			"nodes":                           "nodes (v1) Node",
			"ev":                              "events (v1) Event namespaced",
			"events.events.k8s.io":            "events (events.k8s.io/v1) Event namespaced",
			"deployments":                     "deployments (apps/v1) Deployment namespaced",
			"deployments.apps":                "deployments (apps/v1) Deployment namespaced",
			"deploy.v1.apps":                  "deployments (apps/v1) Deployment namespaced",
			"hpa":                             "horizontalpodautoscalers (autoscaling/v2) HorizontalPodAutoscaler namespaced",
			"hpa.v1.autoscaling":              "horizontalpodautoscalers (autoscaling/v1) HorizontalPodAutoscaler namespaced",
			"certificates.v1.cert-manager.io": "certificates (cert-manager.io/v1) Certificate namespaced",
			"Certificate.cert-manager.io":     "certificates (cert-manager.io/v1) Certificate namespaced",
		} {
			got, err := r.Resolve(t.Context(), name)
			text := got.String() + " " + got.GVK.Kind
			if got.Namespaced {
				text += " namespaced"
			}
			if err != nil || text != want || got.GVR.GroupVersion() != got.GVK.GroupVersion() {
				t.Errorf("%s: got %s, %v, want %s", name, text, err, want)
			}
		}
		if n := s.asked.Load(); n != 1 {
			t.Errorf("the server was asked %d times, want once", n)
		}
	})
}

func TestUnknownResource(t *testing.T) {
	eachForm(t, func(t *testing.T, s *fakeServer) {
		r := s.resolver(t)
		for name, want := range map[string]string{
			"pod5":                     "; did you mean pods (v1), podtemplates (v1), poddisruptionbudgets (policy/v1)?",
			"deploymints":              "; did you mean deployments (apps/v1)?",
			"deployments.extensions":   "; did you mean deployments (apps/v1)?",
			"po.v2":                    "; did you mean pods (v1)?",
			"hpas.v3.autoscaling":      "",
			"hpa.v3.autoscaling":       "; did you mean horizontalpodautoscalers (autoscaling/v2)?",
			"certs.acme.cert-manager":  "; did you mean certificates (cert-manager.io/v1)?",
			"zebras":                   "",
			"pods/log":                 "",
			"":                         "",
			strings.Repeat("pod", 500): "",
		} {
			_, err := r.Resolve(t.Context(), name)
			var unknown *UnknownResourceError
			if want := fmt.Sprintf("no resource %q on %s%s", name, s.URL, want); !errors.As(err,
				&unknown) || err.Error() != want {
				t.Errorf("%.20s: got %v, want %s", name, err, want)
			}
		}
	})
}

func TestUnwatchableResource(t *testing.T) {
	eachForm(t, func(t *testing.T, s *fakeServer) {
		r := s.resolver(t)
		for name, want := range map[string]string{
			"bindings": "bindings (v1) on " + s.URL +
				" cannot be listed and watched, only: create",
			"nodes.metrics.k8s.io": "nodes (metrics.k8s.io/v1beta1) on " + s.URL +
				" cannot be listed and watched, only: get, list",
		} {
			_, err := r.Resolve(t.Context(), name)
			var unwatchable *UnwatchableError
			if !errors.As(err, &unwatchable) || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	})
}

func TestBrokenGroupHidesOnlyItself(t *testing.T) {
	eachForm(t, func(t *testing.T, s *fakeServer) {
		broken := group{"cert-manager.io",
			[]version{{name: "v1", resources: certManager.versions[0].resources, broken: true}}}
		s.set(append(stock(), broken)...)
		r := s.resolver(t)
		if _, err := r.Resolve(t.Context(), "deployments.apps"); err != nil {
			t.Errorf("a group that works: %v", err)
		}
		const cannotTell = "; at the moment the server cannot list the resources of cert-manager.io/v1"
		for name, want := range map[string]string{
			"certificates.cert-manager.io":    cannotTell,
			"certificates.v1.cert-manager.io": cannotTell,
			"certificates":                    cannotTell,
			"certificates.v1.apps":            "",
		} {
			_, err := r.Resolve(t.Context(), name)
			if want := fmt.Sprintf("no resource %q on %s%s", name, s.URL, want); err == nil ||
				err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
		}
		s.set(append(stock(), certManager)...)
		if _, err := r.Resolve(t.Context(), "certificates"); err != nil {
			t.Errorf("after the group came back: %v", err)
		}
	})
}

func TestResourceThatAppearsLater(t *testing.T) {
	s := newServer(t, true, stock()...)
	r := s.resolver(t)
	if _, err := r.Resolve(t.Context(), "certificates"); err == nil {
		t.Fatal("found before it was there")
	}
	if n := s.asked.Load(); n != 1 {
		t.Errorf("the server was asked %d times for a first answer, want once", n)
	}
	s.set(append(stock(), certManager)...)
	if _, err := r.Resolve(t.Context(), "certificates"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Resolve(t.Context(), "pods"); err != nil {
		t.Fatal(err)
	}
	if n := s.asked.Load(); n != 2 {
		t.Errorf("the server was asked %d times, want twice", n)
	}
}

func TestInvalidate(t *testing.T) {
	s := newServer(t, true, append(stock(), certManager)...)
	r := s.resolver(t)
	if _, err := r.Resolve(t.Context(), "certificates"); err != nil {
		t.Fatal(err)
	}
	s.set(stock()...)
	if _, err := r.Resolve(t.Context(), "certificates"); err != nil {
		t.Fatalf("what was found is not kept: %v", err)
	}
	r.Invalidate()
	if _, err := r.Resolve(t.Context(), "certificates"); err == nil {
		t.Error("found after Invalidate, though the server has it no more")
	}
}

func TestInvalidateWhileTheServerIsAsked(t *testing.T) {
	s := newServer(t, true, append(stock(), certManager)...)
	r := s.resolver(t)
	var once sync.Once
	s.setAnswer(func(w http.ResponseWriter, req *http.Request) {
		once.Do(func() { r.Invalidate() })
		w.Header().Set("Content-Type",
			"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
		writeJSON(w, aggregated(stock(), req.URL.Path == "/api"))
	})
	for range 3 {
		if _, err := r.Resolve(t.Context(), "pods"); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.asked.Load(); n != 2 {
		t.Errorf("the server was asked %d times, want twice: once before and once after Invalidate",
			n)
	}
}

func TestConcurrentCallsShareOneAnswer(t *testing.T) {
	s := newServer(t, true, stock()...)
	r := s.resolver(t)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := r.Resolve(t.Context(), "pods"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := s.asked.Load(); n != 1 {
		t.Errorf("the server was asked %d times, want once", n)
	}
}

func TestUnreachable(t *testing.T) {
	s := newServer(t, true)
	address := strings.TrimPrefix(s.URL, "http://")
	s.Close()
	r := s.resolver(t)
	_, err := r.Resolve(t.Context(), "pods")
	var unreachable *UnreachableError
	want := "the API server " + s.URL + " cannot be reached: dial tcp " + address +
		": connect: connection refused"
	if !errors.As(err, &unreachable) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if r.Server() != s.URL {
		t.Errorf("Server is %s, want %s", r.Server(), s.URL)
	}
}

func TestServerThatIsNotReady(t *testing.T) {
	for _, aggregated := range []bool{true, false} {
		s := newServer(t, aggregated, stock()...)
		r := s.resolver(t)
		s.setAnswer(func(w http.ResponseWriter, _ *http.Request) {
			fail(w, http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable,
				"starting")
		})
		_, err := r.Resolve(t.Context(), "pods")
		var unreachable *UnreachableError
		want := "the API server " + s.URL +
			" cannot be reached: starting"
		if !errors.As(err, &unreachable) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		s.setAnswer(nil)
		if _, err := r.Resolve(t.Context(), "pods"); err != nil {
			t.Errorf("after the server is ready: %v", err)
		}
	}
}

func TestServerOfWhichEveryGroupFails(t *testing.T) {
	s := newServer(t, false, group{"", []version{{name: "v1", broken: true}}})
	_, err := s.resolver(t).Resolve(t.Context(), "pods")
	var unreachable *UnreachableError
	if want := "the API server " + s.URL +
		" cannot be reached: no group can be listed: v1: down"; !errors.As(err, &unreachable) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestServerThatRefusesOrIsNone(t *testing.T) {
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"forbidden": {func(w http.ResponseWriter, _ *http.Request) {
			fail(w, http.StatusForbidden, metav1.StatusReasonForbidden, "not you")
		}, "the API server %s does not let informerd see its resources: not you"},
		"a web page": {func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>") },
			"the answer of the API server %s is not a list of resources: invalid character '<' looking for beginning of value"},
		"not found": {func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) },
			"%s does not answer as an API server does: the server could not find the requested resource"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, true)
			s.setAnswer(test.answer)
			_, err := s.resolver(t).Resolve(t.Context(), "pods")
			var unreachable *UnreachableError
			var unknown *UnknownResourceError
			if want := fmt.Sprintf(test.want, s.URL); err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
			if errors.As(err, &unreachable) || errors.As(err, &unknown) {
				t.Errorf("%v is a %T", err, err)
			}
			if name == "forbidden" && !apierrors.IsForbidden(err) {
				t.Error("apierrors does not see that it is forbidden")
			}
		})
	}
}

func TestContextEndsACall(t *testing.T) {
	s := newServer(t, true, stock()...)
	arrived, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	s.setAnswer(func(http.ResponseWriter, *http.Request) {
		once.Do(func() { close(arrived) })
		<-release
	})
	r := s.resolver(t)
	ctx, cancel := context.WithCancel(t.Context())
	errs := make(chan error, 2)
	go func() { _, err := r.Resolve(ctx, "pods"); errs <- err }()
	<-arrived
	go func() { _, err := r.Resolve(ctx, "pods"); errs <- err }() // waits for the first
	cancel()
	for range 2 {
		err := <-errs
		if want := "asking " + s.URL + " for its resources: context canceled"; !errors.Is(err,
			context.Canceled) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	close(release)
}

func TestCheckNamespaces(t *testing.T) {
	nodes := Resource{GVR: schema.GroupVersionResource{Version: "v1", Resource: "nodes"}}
	if err := nodes.CheckNamespaces(nil); err != nil {
		t.Error(err)
	}
	err := nodes.CheckNamespaces([]string{"shop", "pay"})
	if want := `nodes (v1) belong to the whole cluster and cannot be limited to namespaces ("shop", "pay"); remove namespaces`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	nodes.Namespaced = true
	if err := nodes.CheckNamespaces([]string{"shop"}); err != nil {
		t.Error(err)
	}
}

func TestIsSecrets(t *testing.T) {
	for gr, want := range map[schema.GroupResource]bool{
		{Resource: "secrets"}: true, {Resource: "pods"}: false, {
			Group: "example.com", Resource: "secrets"}: false,
	} {
		if got := (Resource{GVR: gr.WithVersion("v1")}).IsSecrets(); got != want {
			t.Errorf("%s: %v", gr, got)
		}
	}
}

func TestNewResolverRefusesABadAddress(t *testing.T) {
	if _, err := NewResolver(&rest.Config{Host: "http://a b"}); err == nil ||
		!strings.HasPrefix(err.Error(), "the API server http://a b: ") {
		t.Errorf("error is %v", err)
	}
	r, err := NewResolver(&rest.Config{Host: "https://u:secret@example.com"})
	if err != nil || r.Server() != "https://u:xxxxx@example.com" {
		t.Errorf("got %v, %v", r, err)
	}
}
