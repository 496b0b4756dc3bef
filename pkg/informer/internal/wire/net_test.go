package wire

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net/http"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/informerd/informerd/pkg/informer/internal/wiretest"
)

// serve starts a server of the protocol inside a bubble. stop ends it and the client's idle
// connections.
func serve(t *testing.T, protocol string, h http.Handler, change func(*rest.Config)) (
	client *Client, net *wiretest.Pipes, stop func()) {
	t.Helper()
	cfg, net, server := wiretest.Serve(protocol, h)
	if change != nil {
		change(cfg)
	}
	client, err := NewClient(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return client, net, func() {
		client.CloseIdleConnections()
		server.Close()
	}
}

const noPods = `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`

// listNoPods is a whole API server for those who look at the request.
func listNoPods(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, noPods)
}

// list asks for all pods and reads the answer.
func list(ctx context.Context, c *Client) (string, error) {
	body, err := c.Collection(pods, "", "", "").List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	return string(text), err
}

// keyPair is a certificate of its own, with its key, as PEM.
type keyPair struct{ cert, key []byte }

func newKeyPair(t *testing.T, name string) keyPair {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return keyPair{
		cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}),
		key:  pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}),
	}
}
