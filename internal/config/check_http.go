package config

import (
	"fmt"
	"net"
	"net/url"

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

// checkPorts warns of two servers that listen on one port.
func checkPorts(c *Config, r *document.Report) {
	const at = "health.address"
	host, port, err := net.SplitHostPort(c.Health.Address)
	host2, port2, err2 := net.SplitHostPort(c.HTTP.Address)
	if err != nil || err2 != nil || port != port2 || port == "0" || !r.Good(at) ||
		!r.Good("http.address") || host != host2 && host != "" && host2 != "" {
		return
	}
	r.Warn(r.Value(at), at, "choose another port for one of them",
		"%s has the port of http.address", at)
}

// checkTracing checks what the tags of the fields cannot say.
func checkTracing(t *Tracing, path string, r *document.Report) {
	checkURL(t.URL, document.Join(path, "url"), r)
	checkHeaders(t.Headers, document.Join(path, "headers"), r)
	checkURLTLS(t.URL, t.TLS, path, r)
	at := document.Join(path, "url")
	if u, err := url.Parse(t.URL.Text); err == nil && u.Port() == "4317" && r.Good(at) {
		r.Warn(r.Value(at), at, "OTLP over HTTP, which informerd sends, has port 4318",
			"%s has port 4317, which is that of OTLP over gRPC", at)
	}
}
