package apiserver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// keyPair is a server's certificate for 127.0.0.1 and the authority that signed it, in PEM.
type keyPair struct {
	certificate tls.Certificate
	authority   []byte
}

func newKeyPair(now time.Time) (keyPair, error) {
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "informerbench"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	server := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "127.0.0.1"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:   authority.NotBefore, NotAfter: authority.NotAfter,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return keyPair{}, err
	}
	serverKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return keyPair{}, err
	}
	authorityDER, err := x509.CreateCertificate(rand.Reader, authority, authority,
		authorityKey.Public(), authorityKey)
	if err != nil {
		return keyPair{}, err
	}
	serverDER, err := x509.CreateCertificate(rand.Reader, server, authority, serverKey.Public(),
		authorityKey)
	if err != nil {
		return keyPair{}, err
	}
	return keyPair{
		certificate: tls.Certificate{Certificate: [][]byte{serverDER}, PrivateKey: serverKey},
		authority:   pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authorityDER}),
	}, nil
}

// kubeconfig returns a kubeconfig file for one server. JSON is also YAML.
func kubeconfig(server string, authority []byte) []byte {
	ca := ""
	if authority != nil {
		ca = fmt.Sprintf(`,"certificate-authority-data":%q`,
			base64.StdEncoding.EncodeToString(authority))
	}
	return fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Config","current-context":"bench",`+
		`"contexts":[{"name":"bench","context":{"cluster":"bench","user":"bench"}}],"users":[{"name":"bench","user":{}}],`+
		`"clusters":[{"name":"bench","cluster":{"server":%q%s}}]}`+"\n", server, ca)
}
