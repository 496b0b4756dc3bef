package daemon

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer"
)

// A resource is renewed in the version that the server prefers by now, unless the configuration has
// chosen one. One informer that has is enough: it shares its watch with those that have not, so
// none of them moves.
func TestRenewLooksTheResourceUpAgain(t *testing.T) {
	var version atomic.Value
	version.Store("v1alpha1")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		v := version.Load().(string)
		gv := `{"groupVersion":"example.com/` + v + `","version":"` + v + `"}`
		switch r.URL.Path {
		case "/api":
			_, _ = io.WriteString(w, `{"kind":"APIVersions","versions":["v1"]}`)
		case "/api/v1":
			_, _ = io.WriteString(w,
				`{"kind":"APIResourceList","groupVersion":"v1","resources":[]}`)
		case "/apis":
			_, _ = io.WriteString(w,
				`{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"example.com","versions":[`+gv+`],"preferredVersion":`+gv+`}]}`)
		case "/apis/example.com/" + v:
			_, _ = io.WriteString(w, `{"kind":"APIResourceList","groupVersion":"example.com/`+v+
				`","resources":[{"name":"gadgets","singularName":"gadget","namespaced":true,"kind":"Gadget","verbs":["list","watch"]}]}`)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	for names, want := range map[string]string{
		"gadgets": "v1beta1", "gadget gadgets.example.com": "v1beta1",
		"gadgets.v1alpha1.example.com": "", "gadgets gadgets.v1alpha1.example.com": "",
	} {
		version.Store("v1alpha1")
		cfg := parse(t, head+"  a: {informer: {resource: gadgets}, outputs: [out]}\n")
		c, err := connect(cfg, Options{Kubeconfig: kubeconfig(t, server.URL), Log: quiet})
		if err != nil {
			t.Fatal(err)
		}
		var was informer.Resource
		for name := range strings.FieldsSeq(names) {
			inf := *cfg.Listeners["a"].Informer()
			inf.Resource = name
			found, err := c.resolve(t.Context(), &inf)
			if err != nil {
				t.Fatal(err)
			}
			was = found.Watched()
		}
		if now, err := c.renewer.Renew(t.Context(), was); err != nil || now != was {
			t.Errorf("%s: nothing has changed: %v, %v", names, now, err)
		}
		version.Store("v1beta1")
		now, err := c.renewer.Renew(t.Context(), was)
		if (err == nil) != (want != "") || err == nil &&
			(now.Version != want || now.Kind != "Gadget") {
			t.Errorf("%s: %v, %v, want %q", names, now, err, want)
		}
		c.Client.CloseIdleConnections()
	}
	server.CloseClientConnections()
}

// The binder comes no sooner than the server asked for.
func TestBindDelayHeedsTheServer(t *testing.T) {
	for _, c := range []struct{ delay, asked, least, most time.Duration }{
		{time.Second, 0, time.Second, time.Second},
		{time.Second, 7 * time.Second, 7 * time.Second, 8 * time.Second},
		{bindBackoff.Max, time.Second, bindBackoff.Max, bindBackoff.Max},
	} {
		if got := bindBackoff.AtLeast(c.delay, c.asked); got < c.least || got > c.most {
			t.Errorf("%v of %v and %v", got, c.delay, c.asked)
		}
	}
}
