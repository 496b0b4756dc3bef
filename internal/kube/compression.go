package kube

import (
	"fmt"
	"net/http"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/informerd/informerd/internal/outbound"
)

// compress chooses whether answers are compressed. The speed of the connection is unknown, but
// within the cluster and to a loopback address it is probably high.
func compress(cfg *rest.Config, inCluster bool, o Options) error {
	var off bool
	var why string
	switch {
	case o.Compression == "on" || o.Compression == "off":
		off, why = o.Compression == "off", "it is configured"
	case o.Compression != "auto":
		return fmt.Errorf("compression must be auto, on or off, is %q", o.Compression)
	case inCluster:
		off, why = true, "informerd runs in the cluster"
	case isLoopback(cfg):
		off, why = true, "the server has a loopback address"
	case cfg.DisableCompression:
		off, why = true, "the kubeconfig disables it"
	default:
		off, why = false, "the server may be far away"
	}
	cfg.DisableCompression = off
	if cfg.Proxy == nil {
		// The default; but without a function here, client-go takes http.DefaultTransport for
		// http://, which always asks for compression.
		cfg.Proxy = http.ProxyFromEnvironment
	}
	use := map[bool]string{true: "off", false: "on"}[off]
	o.Logger.Debug("chose whether answers are compressed", "server", address(cfg), "compression",
		use,
		"reason", why)
	return nil
}

// isLoopback reports whether the server's address is certainly one of this machine, without
// resolving it. Behind a proxy it would be one of the proxy's.
func isLoopback(cfg *rest.Config) bool {
	server, _, err := rest.DefaultServerUrlFor(cfg)
	if err != nil || cfg.Proxy != nil {
		return false // whoever uses a malformed address reports it
	}
	host := strings.ToLower(strings.TrimSuffix(server.Hostname(), "."))
	return outbound.Loopback(host) || strings.HasSuffix(host, ".localhost")
}
