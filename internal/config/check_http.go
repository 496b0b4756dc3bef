package config

import (
	"fmt"
	"net"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/loopback"
)

// checkHTTP checks what the tags of the fields cannot say.
func checkHTTP(h *HTTP, path string, r *document.Report) {
	address, auth := document.Join(path, "address"), document.Join(path, "auth")
	if h.Auth != "" || r.Failed(auth) {
		return
	}
	for _, name := range []string{"audiences", "hosts"} {
		if field := document.Join(path, name); r.Has(field) && r.Good(field) {
			r.BadField(field, "add auth: kubernetes, or leave it out",
				"%s has no effect without auth", field)
		}
	}
	if host, port, err := net.SplitHostPort(h.Address); err == nil && r.Good(address) &&
		!r.Failed(address) && !loopback.Host(host) {
		r.BadValue(address, fmt.Sprintf("write 127.0.0.1:%s or localhost:%[1]s; serving others needs auth: kubernetes, but for probes, which have health.address", port),
			"%s must have a loopback address or localhost for its host, is %s", address,
			document.Quote(h.Address))
	}
}

// checkTracing checks what the tags of the fields cannot say.
func checkTracing(t *Tracing, path string, r *document.Report) {
	checkURL(t.URL, document.Join(path, "url"), r)
	checkHeaders(t.Headers, document.Join(path, "headers"), r)
	checkURLTLS(t.URL, t.TLS, path, r)
}
