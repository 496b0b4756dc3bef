package kube

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// What client-go sends is counted by method and code, whatever the path.
func TestRequestsAreCounted(t *testing.T) {
	s := newServer(t, false)
	s.setAnswer(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/refused":
			fail(w, http.StatusForbidden, metav1.StatusReasonForbidden, "not you")
		case "/strange":
			w.WriteHeader(299)
		default:
			_, _ = io.WriteString(w, "{}")
		}
	})
	path := filepath.Join(outside(t), "kubeconfig")
	cfg, err := RESTConfig(Options{Kubeconfig: write(t, path,
		strings.ReplaceAll(kubeconfig, "https://one.example:6443", s.URL))})
	if err != nil {
		t.Fatal(err)
	}
	cfg.GroupVersion, cfg.NegotiatedSerializer = nil, scheme.Codecs.WithoutConversion()
	client, err := rest.UnversionedRESTClientFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	before := SentRequests()
	ctx := t.Context()
	_ = client.Get().AbsPath("/a/name").Do(ctx).Error()
	_ = client.Get().AbsPath("/another/name").Do(ctx).Error()
	_ = client.Get().AbsPath("/refused").Do(ctx).Error()
	_ = client.Get().AbsPath("/strange").Do(ctx).Error()
	_ = client.Verb("BREW").AbsPath("/a").Do(ctx).Error()
	if body, err := client.Get().AbsPath("/a/stream").Stream(ctx); err == nil {
		_ = body.Close()
	}
	s.Close()
	_ = client.Delete().AbsPath("/away").MaxRetries(0).Do(ctx).Error()
	after := SentRequests()
	for result, want := range map[Result]uint64{{"GET", "200"}: 3, {"GET", "403"}: 1,
		{"GET", "299"}: 1, {"other", "200"}: 1, {"DELETE", "error"}: 1} {
		if got := after[result] - before[result]; got != want {
			t.Errorf("%d of %v, want %d", got, result, want)
		}
	}
}
