package tlsfiles

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// identity is a certificate that is its own CA, with its key.
type identity struct {
	cert, key []byte // PEM
	pair      tls.Certificate
}

// newIdentity makes a certificate for 127.0.0.1 and example.com.
func newIdentity(t *testing.T, name string) identity {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
		DNSNames: []string{"example.com"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	i := identity{
		cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		key:  pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}),
	}
	if i.pair, err = tls.X509KeyPair(i.cert, i.key); err != nil {
		t.Fatal(err)
	}
	return i
}

// folder writes the files of an identity, as CA, certificate and key.
type folder struct {
	t   *testing.T
	dir string
}

func newFolder(t *testing.T, i identity) folder {
	t.Helper()
	f := folder{t, t.TempDir()}
	f.write("ca", i.cert)
	f.write("cert", i.cert)
	f.write("key", i.key)
	return f
}

func (f folder) write(name string, text []byte) {
	f.t.Helper()
	if err := os.WriteFile(f.path(name), text, 0o600); err != nil {
		f.t.Fatal(err)
	}
}

func (f folder) path(name string) string { return filepath.Join(f.dir, name) }

func (f folder) files() Files {
	return Files{CAFile: f.path("ca"), CertFile: f.path("cert"), KeyFile: f.path("key")}
}

// talk makes a TLS connection to a server with that identity, whatever the address. It returns the
// name in the certificate that the server was shown.
func talk(t *testing.T, s *Source, server identity, address string) (shown string, err error) {
	t.Helper()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{server.pair}, ClientAuth: tls.RequestClientCert})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	names := make(chan string, 1)
	go func() {
		name := ""
		if conn, err := listener.Accept(); err == nil {
			defer conn.Close()
			if conn.(*tls.Conn).Handshake() == nil {
				if certs := conn.(*tls.Conn).ConnectionState().PeerCertificates; len(certs) > 0 {
					name = certs[0].Subject.CommonName
				}
				_, _ = conn.Write([]byte("x"))
			}
		}
		names <- name
	}()
	conn, err := s.Dialer(func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", listener.Addr().String())
	})(t.Context(), "tcp", address)
	if err == nil {
		_, err = io.ReadFull(conn, make([]byte, 1))
		_ = conn.Close()
	}
	return <-names, err
}
