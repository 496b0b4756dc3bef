package daemon

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestCompressionIsAskedForAsConfigured(t *testing.T) {
	for compression, want := range map[string]string{"auto": "", "on": "gzip"} {
		asked := make(chan string, 1)
		discovery := apiServer(t, func() bool { return true })
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/v1/pods" {
				select {
				case asked <- r.Header.Get("Accept-Encoding"):
				default:
				}
			}
			discovery.Config.Handler.ServeHTTP(w, r)
		}))
		cfg := parse(t, "cluster: {compression: "+compression+"}\n"+head+`
  pods:
    informer: {resource: pods}
    outputs: [out]
`)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			done <- Run(ctx, cfg, Options{Kubeconfig: kubeconfig(t, server.URL), Stdout: io.Discard,
				Log: quiet})
		}()
		select {
		case got := <-asked:
			if got != want {
				t.Errorf("compression %s: asked for %q, want %q", compression, got, want)
			}
		case err := <-done:
			t.Fatal(err)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		server.Close()
	}
}
