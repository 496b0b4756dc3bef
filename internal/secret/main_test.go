package secret

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"testing"

	"go.uber.org/goleak"

	"github.com/informerd/informerd/internal/secret/tlstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// files are those of a folder.
func files(f tlstest.Folder) TLSFiles {
	return TLSFiles{CAFile: f.Path("ca"), CertFile: f.Path("cert"), KeyFile: f.Path("key")}
}

// talk makes a TLS connection to a server with that identity, whatever the address. It returns the
// name in the certificate that the server was shown.
func talkTLS(t *testing.T, s *TLS, server tlstest.Identity, address string) (shown string,
	err error) {
	t.Helper()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{server.Pair}, ClientAuth: tls.RequestClientCert})
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
