package explain

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/pkg/informer"
)

// All pages are read, and objects say what they are, as those that are not in a list do.
func TestEachReadsAllPages(t *testing.T) {
	for path, want := range map[string]string{
		"good": `{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}} {"apiVersion":"v9","kind":"Node","metadata":{"name":"b"}} `,
		"bad":  "the API server's answer is not a list",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			switch {
			case path == "bad":
				_, _ = io.WriteString(w, `{"items":7}`)
			case r.URL.Query().Get("continue") == "":
				_, _ = io.WriteString(w,
					`{"metadata":{"continue":"more"},"items":[{"metadata":{"name":"a"}}]}`)
			default:
				_, _ = io.WriteString(w, `{"items":[{"apiVersion":"v9","metadata":{"name":"b"}}]}`)
			}
		}))
		client, err := informer.NewClient(&rest.Config{Host: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		found := kube.Resource{GVR: schema.GroupVersionResource{Version: "v1", Resource: "nodes"},
			GVK: schema.GroupVersionKind{Version: "v1", Kind: "Node"}}
		err = each(t.Context(), client, found, informer.Scope{}, func(item []byte) {
			got += string(item) + " "
		})
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
		client.CloseIdleConnections()
		server.Close()
	}
}
