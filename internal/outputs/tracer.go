package outputs

import (
	"fmt"
	"log/slog"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/sink/httpsink"
	"github.com/informerd/informerd/internal/tracing"
)

// NewTracer makes what traces events, nil if the configuration has no tracing.
func NewTracer(cfg *config.Config, version string, log *slog.Logger) (*tracing.Tracer, error) {
	t := cfg.Tracing
	if t == nil {
		return nil, nil
	}
	to, err := newOTLP(httpsink.Config{URL: value(cfg, t.URL), Headers: headers(cfg, t.Headers),
		Timeout: t.Timeout.Duration, TLS: tlsOf(cfg, t.TLS)})
	if err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	return tracing.New(tracing.Config{Every: uint64(t.Every), Exporter: to, Version: version,
		Cluster: cfg.Cluster.Name, Log: log}), nil
}

// CheckTracing returns what is wrong with the secrets and files that the receiver of traces needs.
func CheckTracing(cfg *config.Config) config.Errors {
	c, t := &checker{cfg: cfg}, cfg.Tracing
	if t == nil {
		return nil
	}
	c.url("tracing.url", t.URL)
	c.headers("tracing", t.Headers)
	c.tls("tracing.tls", t.TLS)
	return c.mistakes
}
