package secret

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"sync"
)

// maxSize bounds the length of a file in bytes. The largest collections of CAs have a quarter of
// it.
const maxSize = 1 << 20

// TLSFiles are the paths of PEM files, each of which may be empty.
type TLSFiles struct {
	CAFile   string // the CAs that a server's certificate is from; empty: those of the system
	CertFile string // the certificate that is shown to servers, with intermediate ones
	KeyFile  string // its key
	// ServerName is the name in the server's certificate; empty: the host that is connected to.
	ServerName string
}

// TLS makes TLS configurations from files. It is safe for concurrent use; make it with Open.
type TLS struct {
	serverName    string
	ca, cert, key *file // nil: not configured

	mu       sync.Mutex
	versions [3]int // that were tried last
	config   *tls.Config
	problem  error
}

// OpenTLS reads the files. What is wrong with them is an error. It returns nil for nil.
func OpenTLS(f *TLSFiles) (*TLS, error) {
	if f == nil {
		return nil, nil
	}
	if (f.CertFile == "") != (f.KeyFile == "") {
		return nil, errors.New(
			"a certificate needs its key: configure certFile and keyFile, or neither")
	}
	s := &TLS{serverName: f.ServerName, ca: openTLS(f.CAFile), cert: openTLS(f.CertFile),
		key: openTLS(f.KeyFile), config: newConfig(f.ServerName)}
	s.Config()
	if s.problem != nil {
		return nil, s.problem
	}
	return s, nil
}

func openTLS(path string) *file {
	if path == "" {
		return nil
	}
	return &file{Path: path, Max: maxSize}
}

func newConfig(serverName string) *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, ServerName: serverName}
}

// Config returns the configuration for a connection that is made now. Call it for each connection,
// and do not change what it returns.
func (s *TLS) Config() *tls.Config {
	s.mu.Lock()
	defer s.mu.Unlock()
	texts, versions, err := s.read()
	if versions == s.versions {
		return s.config
	}
	s.versions = versions
	if err == nil {
		var config *tls.Config
		if config, err = s.make(texts); err == nil {
			s.config = config
		}
	}
	s.problem = err
	return s.config
}

// Problem returns what is wrong with the files as they are now, nil if they are in use.
func (s *TLS) Problem() error {
	s.Config()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.problem
}

// read returns the texts of the CA, the certificate and the key.
func (s *TLS) read() (texts [3][]byte, versions [3]int, err error) {
	for i, f := range []*file{s.ca, s.cert, s.key} {
		if f == nil {
			continue
		}
		var failed error
		texts[i], versions[i], failed = f.Read()
		err = errors.Join(err, failed)
	}
	return texts, versions, err
}

// make parses the texts.
func (s *TLS) make(texts [3][]byte) (*tls.Config, error) {
	config := newConfig(s.serverName)
	if s.ca != nil {
		pool, err := parseCAs(texts[0])
		if err != nil {
			return nil, fmt.Errorf("the CA file %s %w", s.ca.Path, err)
		}
		config.RootCAs = pool
	}
	if s.cert != nil {
		pair, err := s.pair(texts[1], texts[2])
		if err != nil {
			return nil, err
		}
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			return pair, nil // also where the server asks for another CA's: it says what is wrong
		}
	}
	return config, nil
}

// pair parses a certificate and its key. Errors of package tls quote neither.
func (s *TLS) pair(cert, key []byte) (*tls.Certificate, error) {
	switch {
	case !hasBlock(cert, "CERTIFICATE"):
		return nil, fmt.Errorf(
			"the certificate file %s has no certificate in PEM form: it must have -----BEGIN CERTIFICATE----- in it",
			s.cert.Path)
	case !hasBlock(key, "PRIVATE KEY"):
		return nil, fmt.Errorf(
			"the key file %s has no private key in PEM form, which is not encrypted: it must have -----BEGIN PRIVATE KEY----- or a similar line in it",
			s.key.Path)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf(
			"the certificate file %s and the key file %s do not fit each other, or cannot be used: %w",
			s.cert.Path, s.key.Path, err)
	}
	return &pair, nil
}

// hasBlock reports whether a text has a PEM block whose type ends as said.
func hasBlock(text []byte, kind string) bool {
	for {
		block, rest := pem.Decode(text)
		if block == nil {
			return false
		}
		if bytes.HasSuffix([]byte(block.Type), []byte(kind)) &&
			!bytes.HasPrefix([]byte(block.Type), []byte("ENCRYPTED")) {
			return true
		}
		text = rest
	}
}

// parseCAs reads all certificates, and refuses a file in which one is broken.
func parseCAs(text []byte) (*x509.CertPool, error) {
	pool, n := x509.NewCertPool(), 0
	for {
		block, rest := pem.Decode(text)
		if block == nil {
			break
		}
		text = rest
		if block.Type != "CERTIFICATE" {
			continue
		}
		n++
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("has a certificate that cannot be parsed, number %d: %w", n, err)
		}
		pool.AddCert(cert)
	}
	if n == 0 {
		return nil, errors.New(
			"has no certificate in PEM form: it must have -----BEGIN CERTIFICATE----- in it")
	}
	return pool, nil
}
