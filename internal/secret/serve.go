package secret

import (
	"crypto/tls"
	"errors"
)

// ServerConfig returns the configuration of a server that shows the certificate, as the files are
// when a client connects. Clients are not asked for certificates.
func (s *TLS) ServerConfig() (*tls.Config, error) {
	if s.cert == nil {
		return nil, errors.New("a server needs a certificate: configure certFile and keyFile")
	}
	config := newConfig("")
	config.GetCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		return s.Config().GetClientCertificate(nil)
	}
	return config, nil
}
