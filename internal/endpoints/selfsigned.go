package endpoints

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"net/netip"
	"time"
)

// selfSignedLife is how long a certificate is valid that is made at the start: longer than any
// process lives.
const selfSignedLife = 10 * 365 * 24 * time.Hour

// selfSigned returns the configuration of a server with a new certificate for these hosts and the
// machine itself, and the SHA-256 digest of the certificate, by which clients can know it.
func selfSigned(hosts ...string) (config *tls.Config, fingerprint string, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, "", fmt.Errorf("cannot make a key: %w", err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, "", fmt.Errorf("cannot make a serial number: %w", err)
	}
	begin := time.Now().Add(-time.Hour) // clocks differ
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "informerd"},
		NotBefore: begin, NotAfter: begin.Add(selfSignedLife),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{
			x509.ExtKeyUsageServerAuth}, BasicConstraintsValid: true,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		DNSNames:    []string{"localhost"},
	}
	for _, host := range hosts {
		if ip, err := netip.ParseAddr(host); err == nil {
			template.IPAddresses = append(template.IPAddresses, ip.AsSlice())
		} else if host != "" {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, "", fmt.Errorf("cannot sign a certificate: %w", err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, "", fmt.Errorf("cannot read the new certificate: %w", err)
	}
	pair := &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
	config = &tls.Config{MinVersion: tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return pair, nil }}
	return config, fmt.Sprintf("%X", sha256.Sum256(der)), nil
}
