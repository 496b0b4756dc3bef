package secret

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/secret/tlstest"
)

// shownTo returns the name in the certificate that a client is shown by a server.
func shownTo(t *testing.T, config *tls.Config) string {
	t.Helper()
	here, there := net.Pipe()
	server := tls.Server(there, config)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer there.Close()
		_ = server.Handshake()
	}()
	name := ""
	client := tls.Client(here, &tls.Config{InsecureSkipVerify: true,
		VerifyPeerCertificate: func(raw [][]byte, _ [][]*x509.Certificate) error {
			cert, err := x509.ParseCertificate(raw[0])
			if err == nil {
				name = cert.Subject.CommonName
			}
			return err
		}})
	if err := client.Handshake(); err != nil {
		t.Error(err)
	}
	here.Close()
	<-ended
	return name
}

func TestServersShowTheFilesAsTheyAre(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two := tlstest.New(t, "one"), tlstest.New(t, "two")
		f := tlstest.NewFolder(t, one)
		s := mustOpen(t, TLSFiles{CertFile: f.Path("cert"), KeyFile: f.Path("key")})
		config, err := s.ServerConfig()
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			write func()
			want  string
		}{
			{func() {}, "one"},
			{func() { f.Write("cert", two.Cert) }, "one"}, // which does not fit the key
			{func() { f.Write("key", two.Key) }, "two"},
		} {
			step.write()
			time.Sleep(time.Second)
			if got := shownTo(t, config); got != step.want {
				t.Errorf("shown %s, want %s", got, step.want)
			}
		}
	})
}

func TestServersNeedACertificate(t *testing.T) {
	if _, err := mustOpen(t, TLSFiles{}).ServerConfig(); err == nil {
		t.Error("no error")
	}
}
