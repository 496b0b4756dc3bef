package kube

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

var appsV1 = schema.GroupVersion{Group: "apps", Version: "v1"}

// publish makes the server answer every request for a document with the path it was asked for, and
// counts them.
func (s *fakeServer) publish() *atomic.Int32 {
	var asked atomic.Int32
	s.setAnswer(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if accept := r.Header.Get("Accept"); accept != "application/json" {
			http.Error(w, "asked for "+accept, http.StatusNotAcceptable)
			return
		}
		fmt.Fprintf(w, `{"openapi": %q}`, r.URL.Path)
	})
	return &asked
}

func TestOpenAPI(t *testing.T) {
	s := newServer(t, true)
	asked := s.publish()
	r := s.resolver(t)
	for range 2 {
		for gv, path := range map[schema.GroupVersion]string{
			appsV1:          "/openapi/v3/apis/apps/v1",
			{Version: "v1"}: "/openapi/v3/api/v1",
			{Group: "cert-manager.io",
				Version: "v1beta1"}: "/openapi/v3/apis/cert-manager.io/v1beta1",
		} {
			document, err := r.OpenAPI(t.Context(), gv)
			if want := fmt.Sprintf(`{"openapi": %q}`, path); err != nil ||
				string(document) != want {
				t.Errorf("%s: got %s, %v, want %s", gv, document, err, want)
			}
		}
	}
	if n := asked.Load(); n != 3 {
		t.Errorf("the server was asked %d times, want once for each", n)
	}
	r.Invalidate()
	if _, err := r.OpenAPI(t.Context(), appsV1); err != nil {
		t.Fatal(err)
	}
	if n := asked.Load(); n != 4 {
		t.Errorf("the server was asked %d times, want once more after Invalidate", n)
	}
}

func TestOpenAPIOfAServerBelowAPath(t *testing.T) {
	s := newServer(t, true)
	s.publish()
	r, err := NewResolver(&rest.Config{Host: s.URL + "/clusters/one"})
	if err != nil {
		t.Fatal(err)
	}
	document, err := r.OpenAPI(t.Context(), appsV1)
	if want := `{"openapi": "/clusters/one/openapi/v3/apis/apps/v1"}`; err != nil ||
		string(document) != want {
		t.Errorf("got %s, %v, want %s", document, err, want)
	}
}

func TestConcurrentCallsShareOneDocument(t *testing.T) {
	s := newServer(t, true)
	asked := s.publish()
	r := s.resolver(t)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := r.OpenAPI(t.Context(), appsV1); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := asked.Load(); n != 1 {
		t.Errorf("the server was asked %d times, want once", n)
	}
}

func TestInvalidateWhileADocumentIsRead(t *testing.T) {
	s := newServer(t, true)
	r := s.resolver(t)
	var asked atomic.Int32
	s.setAnswer(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 1 {
			r.Invalidate()
		}
		io.WriteString(w, "{}")
	})
	for range 3 {
		if _, err := r.OpenAPI(t.Context(), appsV1); err != nil {
			t.Fatal(err)
		}
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("the server was asked %d times, want twice: once before and once after Invalidate",
			n)
	}
}

func TestOpenAPIErrors(t *testing.T) {
	for name, test := range map[string]struct {
		answer                   http.HandlerFunc
		want                     string
		unreachable, unpublished bool
	}{
		"not published": {
			answer:      func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) },
			want:        "%s publishes no OpenAPI v3 schema of apps/v1",
			unpublished: true,
		},
		"forbidden": {
			answer: func(w http.ResponseWriter, _ *http.Request) {
				fail(w, http.StatusForbidden, metav1.StatusReasonForbidden, "not you")
			},
			want: "the API server %s does not let informerd see the schema of apps/v1: not you",
		},
		"unauthorized": {
			answer: func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusUnauthorized)
			},
			want: "the API server %s does not let informerd see the schema of apps/v1: the server has asked for the client " +
				"to provide credentials",
		},
		"starting": {
			answer: func(w http.ResponseWriter, _ *http.Request) {
				fail(w, http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable,
					"starting")
			},
			want:        "the API server %s cannot be reached: starting",
			unreachable: true,
		},
		"strange": {
			answer: func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusTeapot)
			},
			want: "%s does not answer as an API server does: the server responded with the status code 418 but did not return " +
				"more information",
		},
		"too large": {
			answer: func(w http.ResponseWriter, _ *http.Request) {
				mebibyte := bytes.Repeat([]byte(" "), 1<<20)
				for range 33 {
					w.Write(mebibyte)
				}
			},
			want: "the schema of apps/v1 on %s cannot be used: it is larger than 32 MiB",
		},
		"broken off": {
			answer: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "1000")
				io.WriteString(w, "{")
			},
			want:        "the API server %s cannot be reached: unexpected EOF",
			unreachable: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, true)
			s.setAnswer(test.answer)
			r := s.resolver(t)
			document, err := r.OpenAPI(t.Context(), appsV1)
			if want := fmt.Sprintf(test.want, s.URL); document != nil || err == nil ||
				err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
			var unreachable *UnreachableError
			var unpublished *UnpublishedSchemaError
			if errors.As(err, &unreachable) != test.unreachable ||
				errors.As(err, &unpublished) != test.unpublished {
				t.Errorf("%v is a %T", err, err)
			}
			if name == "forbidden" && !apierrors.IsForbidden(err) {
				t.Error("apierrors does not see that it is forbidden")
			}
			s.publish()
			if _, err := r.OpenAPI(t.Context(), appsV1); err != nil {
				t.Errorf("after the server is well: %v", err)
			}
		})
	}
}

func TestOpenAPIOfAnUnreachableServer(t *testing.T) {
	s := newServer(t, true)
	s.Close()
	_, err := s.resolver(t).OpenAPI(t.Context(), appsV1)
	var unreachable *UnreachableError
	want := fmt.Sprintf("the API server %s cannot be reached: dial tcp %s: connect: connection refused", s.URL, s.Listener.Addr())
	if !errors.As(err, &unreachable) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// silence is a server that never answers.
type silence struct{}

func (silence) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// slowness is a server whose answer begins and never ends.
type slowness struct{}

func (slowness) RoundTrip(r *http.Request) (*http.Response, error) {
	body, stalled := io.Pipe()
	context.AfterFunc(r.Context(), func() { stalled.CloseWithError(r.Context().Err()) })
	return &http.Response{StatusCode: http.StatusOK, Body: body, Request: r}, nil
}

func TestOpenAPITakesAnEnd(t *testing.T) {
	for name, server := range map[string]http.RoundTripper{"silent": silence{},
		"slow": slowness{}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, err := NewResolver(&rest.Config{Host: "http://api.example.test",
					Transport: server})
				if err != nil {
					t.Fatal(err)
				}
				_, err = r.OpenAPI(t.Context(), appsV1)
				var unreachable *UnreachableError
				const want = "the API server http://api.example.test cannot be reached: no complete answer within 30s"
				if !errors.As(err, &unreachable) || err.Error() != want {
					t.Errorf("got %v, want %s", err, want)
				}

				ctx, cancel := context.WithCancelCause(t.Context())
				errs := make(chan error, 2)
				for range 2 { // the second waits for the first
					go func() { _, err := r.OpenAPI(ctx, appsV1); errs <- err }()
				}
				synctest.Wait()
				cancel(errors.New("enough"))
				for range 2 {
					const want = "asking http://api.example.test for the schema of apps/v1: enough"
					if err := <-errs; err == nil || err.Error() != want {
						t.Errorf("got %v, want %s", err, want)
					}
				}
			})
		})
	}
}
