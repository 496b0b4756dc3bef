package secret

import (
	"context"
	"encoding/pem"
	"errors"
	"net"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/secret/tlstest"
)

func mustOpen(t *testing.T, f TLSFiles) *TLS {
	t.Helper()
	s, err := OpenTLS(&f)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func expectShown(t *testing.T, s *TLS, server tlstest.Identity, want string) {
	t.Helper()
	if got, err := talkTLS(t, s, server, "127.0.0.1:443"); err != nil || got != want {
		t.Errorf("the server was shown %q, %v, want %q", got, err, want)
	}
}

// The time of synctest is long ago: certificates are made in it.
func TestRotation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two := tlstest.New(t, "one"), tlstest.New(t, "two")
		f := tlstest.NewFolder(t, one)
		s := mustOpen(t, files(f))
		expectShown(t, s, one, "one")

		f.Write("cert", two.Cert) // and not its key yet
		time.Sleep(time.Second)
		expectShown(t, s, one, "one")
		problem := s.Problem()
		if problem == nil || !strings.Contains(problem.Error(), "do not fit each other") {
			t.Errorf("the problem is %v", problem)
		}
		f.Write("key", two.Key)
		time.Sleep(time.Second)
		expectShown(t, s, one, "two")

		if _, err := talkTLS(t, s, two, "127.0.0.1:443"); err == nil {
			t.Error("a server of another CA was accepted")
		}
		f.Write("ca", two.Cert)
		time.Sleep(time.Second)
		expectShown(t, s, two, "two")
		if err := s.Problem(); err != nil {
			t.Error(err)
		}
	})
}

// What cannot be used does not end what was in use, and is said where a handshake fails.
func TestUnusableFilesLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two := tlstest.New(t, "one"), tlstest.New(t, "two")
		for name, text := range map[string]string{"ca": "", "cert": "x", "key": string(one.Cert)} {
			f := tlstest.NewFolder(t, one)
			s := mustOpen(t, files(f))
			f.Write(name, []byte(text))
			time.Sleep(time.Second)
			expectShown(t, s, one, "one")
			_, err := talkTLS(t, s, two, "127.0.0.1:443")
			if err == nil || !strings.Contains(err.Error(), "with the earlier files") ||
				!strings.Contains(err.Error(), f.Path(name)) {
				t.Errorf("%s: %v", name, err)
			}
			if err := os.Remove(f.Path(name)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			expectShown(t, s, one, "one")
		}
	})
}

func TestServersAreVerified(t *testing.T) {
	one, two := tlstest.New(t, "one"), tlstest.New(t, "two")
	f := tlstest.NewFolder(t, one)
	alone := TLSFiles{CAFile: f.Path("ca")}
	named := alone
	named.ServerName = "example.com"
	for _, test := range []struct {
		files   TLSFiles
		server  tlstest.Identity
		address string
		want    string
	}{
		{alone, one, "127.0.0.1:443", ""},
		{alone, one, "example.com:443", ""},
		{named, one, "10.0.0.1:443", ""},
		{alone, one, "example.org:443", "example.com, not example.org"},
		{alone, one, "10.0.0.1:443", "not 10.0.0.1"},
		{alone, two, "example.com:443", "unknown authority"},
		{TLSFiles{}, one, "example.com:443", "certificate"},
	} {
		_, err := talkTLS(t, mustOpen(t, test.files), test.server, test.address)
		if test.want == "" && err != nil ||
			test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: got %v, want %q", test.address, err, test.want)
		}
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	one, two := tlstest.New(t, "one"), tlstest.New(t, "two")
	encrypted := pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: []byte("x")})
	broken := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("x")})
	for _, test := range []struct {
		name string
		text []byte
		want string
	}{
		{"ca", nil, "cannot be read: no such file"},
		{"ca", one.Key, "has no certificate in PEM form"},
		{"ca", append(one.Cert, broken...), "has a certificate that cannot be parsed, number 2"},
		{"ca", make([]byte, maxSize+1), "has more than 1048576 bytes"},
		{"cert", nil, "cannot be read: no such file"},
		{"cert", one.Key, "has no certificate in PEM form"},
		{"cert", two.Cert, "do not fit each other"},
		{"cert", broken, "cannot be used"},
		{"key", nil, "cannot be read: no such file"},
		{"key", encrypted, "has no private key in PEM form, which is not encrypted"},
		{"key", two.Key, "do not fit each other"},
	} {
		f := tlstest.NewFolder(t, one)
		if f.Write(test.name, test.text); test.text == nil {
			if err := os.Remove(f.Path(test.name)); err != nil {
				t.Fatal(err)
			}
		}
		all := files(f)
		_, err := OpenTLS(&all)
		if err == nil || !strings.Contains(err.Error(), test.want) ||
			!strings.Contains(err.Error(), f.Path(test.name)) {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
	f := tlstest.NewFolder(t, one)
	for _, half := range []TLSFiles{{CertFile: f.Path("cert")}, {KeyFile: f.Path("key")}} {
		if _, err := OpenTLS(&half); err == nil || !strings.Contains(err.Error(), "needs its key") {
			t.Errorf("%+v: %v", half, err)
		}
	}
}

func TestHandshakeThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		defer there.Close()
		_, err := mustOpen(t, TLSFiles{}).Dialer(func(context.Context, string, string) (net.Conn,
			error) {
			return here, nil
		})(t.Context(), "tcp", "example.com:443")
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}
