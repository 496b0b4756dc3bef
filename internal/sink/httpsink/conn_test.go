package httpsink

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/secret/tlstest"
)

// An answer that comes while the body is still sent is the answer, also if the receiver ends the
// connection with it: a message that is too large is refused once, and not sent forever.
func TestAnswersBeforeTheEndOfTheBody(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems may forget what was received when a connection is reset")
	}
	i := tlstest.New(t, "one")
	f := tlstest.NewFolder(t, i)
	body := []byte(strings.Repeat("x", 8<<20))
	for _, head := range []string{"", "Connection: close\r\n"} {
		for _, secure := range []bool{false, true} {
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter,
				_ *http.Request) {
				c, out, err := w.(http.Hijacker).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = out.WriteString("HTTP/1.1 413 No\r\nContent-Length: 0\r\n" + head + "\r\n")
				_ = out.Flush()
				if secure {
					c = c.(*tls.Conn).NetConn()
				}
				_ = c.(*net.TCPConn).Close() // unread bytes make it a reset
			}))
			s.Config.ErrorLog = quiet
			config := Config{}
			if secure {
				s.TLS = &tls.Config{Certificates: []tls.Certificate{i.Pair}}
				s.StartTLS()
				config.TLS = &secret.TLSFiles{CAFile: f.Path("ca")}
			} else {
				s.Start()
			}
			t.Cleanup(s.Close)
			config.URL = secret.Literal(s.URL)
			c := newClient(t, config)
			for range 10 {
				if _, err := c.Post(t.Context(), Request{Body: body}); statusOf(err) != 413 {
					t.Errorf("%q, TLS %t: got %v", head, secure, err)
				}
			}
		}
	}
}
