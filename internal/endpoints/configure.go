package endpoints

import (
	"cmp"
	"errors"
	"io/fs"
	"log/slog"
	"os"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink"
)

// Configure sets who gets an answer from the server and how it is encrypted. The API server is
// asked about tokens. The error is a config.Errors if the configuration is to blame.
func (s *Server) Configure(cfg *config.Config, api sink.KubeAPI) error {
	h := cfg.HTTP
	s.Address, s.Hosts, s.Pprof = h.Address, h.Hosts, h.Pprof
	if h.Auth == config.AuthKubernetes {
		s.Access = kube.NewAccess(&kube.Reviewer{API: api, Audiences: h.Audiences})
	}
	switch {
	case h.TLS != nil:
		source, mistakes := openTLS(cfg)
		if len(mistakes) > 0 {
			return mistakes
		}
		var err error
		s.TLS, err = source.ServerConfig()
		return err
	case s.Access != nil:
		name, _ := os.Hostname() // "" with an error
		config, fingerprint, err := selfSigned(append([]string{name}, h.Hosts...)...)
		if err != nil {
			return err
		}
		cmp.Or(s.Log, slog.New(slog.DiscardHandler)).Info(
			"made a certificate for http.address, signed by itself", "sha256", fingerprint)
		s.TLS = config
	}
	return nil
}

// Mistakes returns what is wrong with files that the configuration of the server names.
func Mistakes(cfg *config.Config) config.Errors {
	_, mistakes := openTLS(cfg)
	return mistakes
}

// openTLS returns the certificate's files, nil if none are configured.
func openTLS(cfg *config.Config) (*secret.TLS, config.Errors) {
	t := cfg.HTTP.TLS
	if t == nil {
		return nil, nil
	}
	source, err := secret.OpenTLS(&secret.TLSFiles{CertFile: cfg.Path(t.CertFile),
		KeyFile: cfg.Path(t.KeyFile)})
	if err != nil {
		mistake := cfg.ErrorAt("http.tls", "http.tls: "+err.Error(), "")
		mistake.Absent = errors.Is(err, fs.ErrNotExist)
		return nil, config.Errors{mistake}
	}
	return source, nil
}
