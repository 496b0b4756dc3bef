package kafka_test

import (
	"crypto/tls"
	"crypto/x509"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/secret/tlstest"
	"github.com/informerd/informerd/internal/sink/kafka"
)

// The CAs of servers and the certificate that is shown to them are read again when their files
// change, without a restart.
func TestTLSFilesAreReadAgain(t *testing.T) {
	t.Parallel()
	one, two := tlstest.New(t, "one"), tlstest.New(t, "two")
	clients := x509.NewCertPool()
	clients.AppendCertsFromPEM(two.Cert)
	config := &tls.Config{Certificates: []tls.Certificate{two.Pair}, ClientCAs: clients,
		ClientAuth: tls.RequireAndVerifyClientCert}
	f := tlstest.NewFolder(t, one)
	files := &secret.TLSFiles{CAFile: f.Path("ca"), CertFile: f.Path("cert"), KeyFile: f.Path("key")}
	out := open(t, start(t, kfake.TLS(config)), func(c *kafka.Config) {
		c.TLS, c.Timeout = files, 3*time.Second
	})
	wantError(t, out.Write(t.Context(), messages(t, 1, "a")), false, "unknown authority")
	f.Write("ca", two.Cert)
	f.Write("cert", two.Cert)
	f.Write("key", two.Key)
	retry(t, out, messages(t, 1, "a")...)
}
