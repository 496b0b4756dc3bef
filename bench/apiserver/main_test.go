package apiserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.uber.org/goleak"
	"k8s.io/client-go/rest"

	"github.com/informerd/informerd/bench/objects"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// deadline ends tests that a broken server would block indefinitely.
const deadline = 20 * time.Second

// served is a server in a test, and its only collection.
type served struct {
	*httptest.Server
	t *testing.T
	c *collection
}

func serve(t *testing.T, cfg Config) *served {
	t.Helper()
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		s.Close()
		http.DefaultClient.CloseIdleConnections()
		h.Close()
	})
	return &served{h, t, s.collections[0]}
}

func small(kind *objects.Kind) Config {
	return Config{Collections: []Collection{{Kind: kind, Count: 12, Size: objects.Small,
		Events: 30}}}
}

func (s *served) config() *rest.Config { return &rest.Config{Host: s.URL, QPS: -1} }

// open sends a request and returns the response's body, which ends with the test.
func (s *served) open(method, path string, wantCode int) io.Reader {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), deadline)
	req, err := http.NewRequestWithContext(ctx, method, s.URL+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		cancel()
		resp.Body.Close()
	})
	if resp.StatusCode != wantCode {
		text, _ := io.ReadAll(resp.Body)
		s.t.Fatalf("%s %s: %s, want %d: %s", method, path, resp.Status, wantCode, text)
	}
	return resp.Body
}

func get[T any](s *served, method, path string) (v T) {
	s.t.Helper()
	if err := json.NewDecoder(s.open(method, path, http.StatusOK)).Decode(&v); err != nil {
		s.t.Fatal(err)
	}
	return v
}

// status is an error in the form of API servers.
type status struct {
	Kind, Reason, Message string
	Code                  int
}

func (s *served) refusal(method, path string, code int) (st status) {
	s.t.Helper()
	if err := json.NewDecoder(s.open(method, path, code)).Decode(&st); err != nil {
		s.t.Fatal(err)
	}
	if st.Kind != "Status" || st.Code != code {
		s.t.Errorf("%+v, want a Status of code %d", st, code)
	}
	return st
}

// page is a page of a list.
type page struct {
	Kind, APIVersion string
	Metadata         struct {
		ResourceVersion, Continue string
		RemainingItemCount        int
	}
	Items []object
}

type object struct {
	Kind, APIVersion string
	Metadata         struct {
		Name, ResourceVersion string
		Annotations           map[string]string
	}
}

// frame is a frame of a watch.
type frame struct {
	Type   string
	Object object
}

// watch opens a watch and returns a function that reads its next frame.
func (s *served) watch(query string) func() frame {
	s.t.Helper()
	d := json.NewDecoder(s.open(http.MethodGet, "/api/v1/pods?watch=true&"+query, http.StatusOK))
	return func() (f frame) {
		s.t.Helper()
		if err := d.Decode(&f); err != nil {
			s.t.Fatal(err)
		}
		return f
	}
}

// version returns the resourceVersion after n changes.
func version(n int) string { return fmt.Sprint(objects.FirstFreeVersion + n) }
