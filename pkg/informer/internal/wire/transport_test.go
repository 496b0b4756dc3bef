package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/transport"

	"github.com/informerd/informerd/pkg/informer/internal/wiretest"
)

// newTestClient makes a Client whose idle connections end with the test.
func newTestClient(t *testing.T, cfg *rest.Config) *Client {
	t.Helper()
	c, err := NewClient(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// widest is a connection that notes how much was asked of it at most in one read.
type widest struct {
	net.Conn
	asked *atomic.Int64
}

func (c widest) Read(p []byte) (int, error) {
	if n := int64(len(p)); n > c.asked.Load() {
		c.asked.Store(n)
	}
	return c.Conn.Read(p)
}

func TestConnectionsAreReadInLargePieces(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		listNoPods(w)
	}))
	defer server.Close()
	var asked atomic.Int64
	wrapped := 0
	c := newTestClient(t, &rest.Config{
		Host: server.URL,
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := new(net.Dialer).DialContext(ctx, network, address)
			return widest{c, &asked}, err
		},
		WrapTransport: func(rt http.RoundTripper) http.RoundTripper { wrapped++; return rt },
	})
	if text, err := list(t.Context(), c); err != nil || text != noPods {
		t.Errorf("%q, %v", text, err)
	}
	if asked.Load() != readBuffer {
		t.Errorf("read up to %d bytes at once, want %d", asked.Load(), readBuffer)
	}
	if wrapped != 1 {
		t.Errorf("the configuration's own wrapper was called %d times", wrapped)
	}
}

// What is set on a Client's connections must not be set on those of others in the process.
func TestConnectionsAreTheClientsOwn(t *testing.T) {
	ca := newKeyPair(t, "ca").cert
	for _, cfg := range []*rest.Config{
		{Host: "http://127.0.0.1:1"},
		{Host: "https://127.0.0.1:1", TLSClientConfig: rest.TLSClientConfig{CAData: ca}},
	} {
		one, two := newTestClient(t, cfg), newTestClient(t, cfg)
		other, err := rest.TransportFor(cfg)
		if err != nil {
			t.Fatal(err)
		}
		a, b, c := innermost(one.http.Transport), innermost(two.http.Transport), innermost(other)
		if a == nil || a == b || a == c || b == c || a == http.DefaultTransport {
			t.Errorf("%s: the transports are %p, %p and client-go's %p", cfg.Host, a, b, c)
		}
		if a.ReadBufferSize != readBuffer || c.ReadBufferSize != 0 || cfg.Proxy != nil ||
			cfg.WrapTransport != nil {
			t.Errorf("%s: the buffers are %d and client-go's %d; the configuration is %+v",
				cfg.Host, a.ReadBufferSize, c.ReadBufferSize, cfg)
		}
	}
	own := &http.Transport{}
	if c := newTestClient(t, &rest.Config{Transport: own}); innermost(c.http.Transport) != own ||
		own.ReadBufferSize != 0 {
		t.Errorf("a transport that was given was changed, or not used: %+v", own)
	}
}

func TestProtocols(t *testing.T) {
	for _, protocol := range wiretest.Protocols {
		t.Run(protocol, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var got string
				c, _, stop := serve(t, protocol,
					http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						got = r.Proto
						listNoPods(w)
					}), nil)
				if text, err := list(t.Context(), c); err != nil || text != noPods {
					t.Errorf("%q, %v", text, err)
				}
				want := "HTTP/1.1"
				if protocol == "HTTP2" {
					want = "HTTP/2.0"
				}
				if got != want {
					t.Errorf("the server was spoken to in %s, want %s", got, want)
				}
				stop()
			})
		})
	}
}

// closing is a connection that calls tell when it is closed.
type closing struct {
	net.Conn
	tell func()
}

func (c closing) Close() error {
	c.tell()
	return c.Conn.Close()
}

func TestIdleConnectionsAreClosed(t *testing.T) {
	for _, protocol := range wiretest.Protocols {
		synctest.Test(t, func(t *testing.T) {
			var opened, closed atomic.Int32
			c, _, stop := serve(t, protocol,
				http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { listNoPods(w) }),
				func(cfg *rest.Config) {
					dial := cfg.Dial
					cfg.Dial = func(ctx context.Context, network, address string) (net.Conn,
						error) {
						opened.Add(1)
						c, err := dial(ctx, network, address)
						return closing{c, sync.OnceFunc(func() { closed.Add(1) })}, err
					}
				})
			for round := range int32(2) {
				if _, err := list(t.Context(), c); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if opened.Load() != round+1 || closed.Load() > round {
					t.Errorf("%s: opened %d, closed %d in round %d", protocol, opened.Load(),
						closed.Load(), round)
				}
				c.CloseIdleConnections()
				synctest.Wait()
				if closed.Load() != round+1 {
					t.Errorf("%s: closed %d after round %d", protocol, closed.Load(), round)
				}
			}
			stop()
		})
	}
}

// A watch may be silent for as long as it likes, but not the server's end of an HTTP/2 connection.
func TestDeadConnectionIsFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, net, stop := serve(t, "HTTP2",
			http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			}), nil)
		body, err := c.Collection(pods, "", "", "").Watch(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() {
			_, err := body.Read(make([]byte, 1))
			ended <- err
		}()
		time.Sleep(time.Hour)
		synctest.Wait()
		if len(ended) > 0 {
			t.Fatalf("a silent watch has ended: %v", <-ended)
		}
		net.Die()
		time.Sleep(45 * time.Second) // as client-go: a ping after 30 s, and 15 s for its answer
		synctest.Wait()
		if len(ended) == 0 {
			t.Fatal("nobody noticed that the server has gone")
		}
		if err := <-ended; err == nil || err.Error() != "http2: client connection lost" {
			t.Error(err)
		}
		_ = body.Close()
		stop()
	})
}

// Besides the credentials: what the configuration says of compression holds for http://, where
// client-go forgets it.
func TestHeadersAreSent(t *testing.T) {
	var got http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		listNoPods(w)
	}))
	defer server.Close()
	for name, test := range map[string]struct {
		cfg  rest.Config
		want map[string]string
	}{
		"token": {rest.Config{BearerToken: "t"},
			map[string]string{"Authorization": "Bearer t"}},
		"password": {rest.Config{Username: "u", Password: "p"},
			map[string]string{"Authorization": "Basic dTpw"}},
		"impersonation": {rest.Config{Impersonate: rest.ImpersonationConfig{UserName: "u"}},
			map[string]string{"Impersonate-User": "u"}},
		"user agent": {rest.Config{UserAgent: "informerd/1"},
			map[string]string{"User-Agent": "informerd/1"}},
		"compression": {rest.Config{}, map[string]string{"Accept-Encoding": "gzip"}},
		"none": {rest.Config{DisableCompression: true},
			map[string]string{"Accept-Encoding": ""}},
	} {
		t.Run(name, func(t *testing.T) {
			test.cfg.Host = server.URL
			if _, err := list(t.Context(), newTestClient(t, &test.cfg)); err != nil {
				t.Fatal(err)
			}
			for header, value := range test.want {
				if got.Get(header) != value {
					t.Errorf("%s is %q, want %q", header, got.Get(header), value)
				}
			}
		})
	}
}

func TestTokenFileIsReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	write := func(token string) {
		if err := os.WriteFile(path, []byte(token), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	synctest.Test(t, func(t *testing.T) {
		var got string
		c, _, stop := serve(t, "HTTP2",
			http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				got = r.Header.Get("Authorization")
				listNoPods(w)
			}), func(cfg *rest.Config) { cfg.BearerTokenFile = path })
		for _, token := range []string{"one", "two"} {
			write(token)
			time.Sleep(time.Minute)
			if _, err := list(t.Context(), c); err != nil || got != "Bearer "+token {
				t.Errorf("got %q, %v, want %s", got, err, token)
			}
		}
		stop()
	})
}

// certServer answers those whose certificate has the name it wants, and is one that client
// certificates are for.
func certServer(t *testing.T, wanted *atomic.Value, pairs ...keyPair) *rest.Config {
	server := httptest.NewUnstartedServer(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if len(r.TLS.PeerCertificates) == 0 ||
				r.TLS.PeerCertificates[0].Subject.CommonName != wanted.Load() {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			listNoPods(w)
		}))
	known := x509.NewCertPool()
	for _, p := range pairs {
		known.AppendCertsFromPEM(p.cert)
	}
	server.TLS = &tls.Config{ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: known}
	t.Cleanup(server.Close)
	return wiretest.Start(server, "HTTP2")
}

// A client that nobody uses takes what watches its certificate's files along.
func TestClientCertificateFilesAreReadAgain(t *testing.T) {
	every := transport.CertCallbackRefreshDuration
	transport.CertCallbackRefreshDuration = 10 * time.Millisecond
	defer func() { transport.CertCallbackRefreshDuration = every }()
	others := goleak.IgnoreCurrent()
	t.Run("while it is used", rotate)
	for range 10 {
		runtime.GC()
		if goleak.Find(others) == nil {
			return
		}
	}
	t.Error(goleak.Find(others))
}

func rotate(t *testing.T) {
	one, two := newKeyPair(t, "one"), newKeyPair(t, "two")
	dir := t.TempDir()
	write := func(p keyPair) {
		for name, text := range map[string][]byte{"cert": p.cert, "key": p.key} {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(one)
	var wanted atomic.Value
	wanted.Store("one")
	cfg := certServer(t, &wanted, one, two)
	cfg.CertFile, cfg.KeyFile = filepath.Join(dir, "cert"), filepath.Join(dir, "key")
	c, err := NewClient(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseIdleConnections()
	if _, err := list(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	write(two)
	wanted.Store("two")
	// The files are looked at once a second; then the connection is given up.
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, err = list(ctx, c); err != nil; _, err = list(ctx, c) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("the new certificate was never used: %v", err)
		}
	}
}

// A plugin is run again when the server refuses its credentials, and its certificate is used on new
// connections.
func TestCredentialPlugin(t *testing.T) {
	one, two := newKeyPair(t, "one"), newKeyPair(t, "two")
	path := filepath.Join(t.TempDir(), "credential")
	write := func(p keyPair) {
		text, err := json.Marshal(map[string]any{
			"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
			"status": map[string]string{"clientCertificateData": string(p.cert),
				"clientKeyData": string(p.key)},
		})
		if err == nil {
			err = os.WriteFile(path, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write(one)
	var wanted atomic.Value
	wanted.Store("one")
	cfg := certServer(t, &wanted, one, two)
	cfg.ExecProvider = &api.ExecConfig{
		APIVersion: "client.authentication.k8s.io/v1", Command: "cat", Args: []string{path},
		InteractiveMode: api.NeverExecInteractiveMode,
	}
	c := newTestClient(t, cfg)
	if _, err := list(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	write(two)
	wanted.Store("two")
	if _, err := list(t.Context(), c); !apierrors.IsUnauthorized(err) {
		t.Fatalf("with the old certificate: %v", err)
	}
	// client-go closes the connections with the old certificate while requests go on: one may still
	// get hold of such a connection, and fails; the next one does not.
	_, err := list(t.Context(), c)
	if errors.Is(err, net.ErrClosed) {
		_, err = list(t.Context(), c)
	}
	if err != nil {
		t.Errorf("with the new certificate: %v", err)
	}
	if n := innermost(c.http.Transport).ReadBufferSize; n != readBuffer {
		t.Errorf("the buffer is %d", n)
	}
}

func TestProxyOfTheConfiguration(t *testing.T) {
	var asked string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.Host
		listNoPods(w)
	}))
	defer proxy.Close()
	address, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := newTestClient(t, &rest.Config{Host: "http://api.example", Proxy: http.ProxyURL(address)})
	if _, err := list(t.Context(), c); err != nil || asked != "api.example" {
		t.Errorf("the proxy was asked for %q, %v", asked, err)
	}
}

// The environment's proxy is used, and NO_PROXY may name networks. It is read once in a process, so
// this needs another.
func TestProxyOfTheEnvironment(t *testing.T) {
	const inChild = "INFORMER_TEST_PROXY"
	if os.Getenv(inChild) != "" {
		for _, host := range []string{"http://api.example", "http://10.1.2.3"} {
			c := newTestClient(t, &rest.Config{Host: host})
			r := httptest.NewRequest(http.MethodGet, host, nil)
			proxy, err := innermost(c.http.Transport).Proxy(r)
			fmt.Println(host, proxy, err)
		}
		return
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProxyOfTheEnvironment$")
	child.Env = []string{inChild + "=1", "HTTP_PROXY=http://proxy.example:3128",
		"NO_PROXY=10.0.0.0/8"}
	out, err := child.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"http://api.example http://proxy.example:3128 <nil>\n",
		"http://10.1.2.3 <nil> <nil>\n"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("got %s\nwant %s", out, want)
		}
	}
}
