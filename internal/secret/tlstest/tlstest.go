// Package tlstest makes certificates for tests of TLS connections.
package tlstest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Identity is a certificate that is its own CA, with its key.
type Identity struct {
	Cert, Key []byte // PEM
	Pair      tls.Certificate
}

// New makes a certificate that is valid for an hour, for 127.0.0.1 and example.com.
func New(t testing.TB, name string) Identity {
	t.Helper()
	return certify(t, name, time.Now().Add(time.Hour), net.IPv4(127, 0, 0, 1))
}

// Expired makes a certificate that is not valid any more.
func Expired(t testing.TB, name string) Identity {
	t.Helper()
	return certify(t, name, time.Now().Add(-time.Minute), net.IPv4(127, 0, 0, 1))
}

// Elsewhere makes a certificate that is valid for 10.0.0.1 instead of 127.0.0.1.
func Elsewhere(t testing.TB, name string) Identity {
	t.Helper()
	return certify(t, name, time.Now().Add(time.Hour), net.IPv4(10, 0, 0, 1))
}

func certify(t testing.TB, name string, end time.Time, address net.IP) Identity {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: end,
		IsCA: true, BasicConstraintsValid: true,
		DNSNames: []string{"example.com"}, IPAddresses: []net.IP{address},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	i := Identity{
		Cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		Key:  pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}),
	}
	if i.Pair, err = tls.X509KeyPair(i.Cert, i.Key); err != nil {
		t.Fatal(err)
	}
	return i
}

// Folder has the files ca, cert and key.
type Folder struct {
	t   testing.TB
	dir string
}

// NewFolder makes a folder with an identity's certificate as CA and certificate, and its key.
func NewFolder(t testing.TB, i Identity) Folder {
	t.Helper()
	f := Folder{t, t.TempDir()}
	f.Write("ca", i.Cert)
	f.Write("cert", i.Cert)
	f.Write("key", i.Key)
	return f
}

// Write replaces a file.
func (f Folder) Write(name string, text []byte) {
	f.t.Helper()
	if err := os.WriteFile(f.Path(name), text, 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// Path is where a file is.
func (f Folder) Path(name string) string { return filepath.Join(f.dir, name) }
