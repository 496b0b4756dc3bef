package httpsink

import (
	"bufio"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/informerd/informerd/internal/secret"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// quiet is for servers whose clients go away on purpose.
var quiet = log.New(io.Discard, "", 0)

// newClient makes a client that is closed at the end of the test.
func newClient(t testing.TB, config Config) *Client {
	t.Helper()
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return c
}

// to returns a client for a URL.
func to(t testing.TB, url string) *Client {
	t.Helper()
	return newClient(t, Config{URL: secret.Literal(url)})
}

// serve answers requests, and returns the URL.
func serve(t testing.TB, answer http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewUnstartedServer(answer)
	s.Config.ErrorLog = quiet
	s.Start()
	t.Cleanup(s.Close)
	return s.URL
}

// rawServer hands each connection to a function after the request has come, or before if early is
// set, and closes it in the end.
type rawServer struct {
	t      testing.TB
	early  bool
	answer func(c net.Conn, end <-chan struct{})
}

// start returns the URL. What answers ends when the test does, at the latest: end is closed then,
// and so are the connections.
func (s rawServer) start() string {
	s.t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	end := make(chan struct{})
	var mu sync.Mutex
	var open []net.Conn
	var group sync.WaitGroup
	group.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, c)
			mu.Unlock()
			group.Go(func() {
				defer c.Close()
				if !s.early {
					r, err := http.ReadRequest(bufio.NewReader(c))
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, r.Body)
				}
				s.answer(c, end)
			})
		}
	})
	s.t.Cleanup(func() {
		close(end)
		_ = listener.Close()
		mu.Lock()
		for _, c := range open {
			_ = c.Close()
		}
		mu.Unlock()
		group.Wait()
	})
	return "http://" + listener.Addr().String() + "/hunter2"
}

// answers is the URL of a server that answers each request with a text, and ends the connection.
func answers(t testing.TB, text string) string {
	t.Helper()
	return rawServer{t: t, answer: func(c net.Conn, _ <-chan struct{}) {
		_, _ = io.WriteString(c, text)
	}}.start()
}

// post posts something.
func post(ctx context.Context, c *Client) (Answer, error) {
	return c.Post(ctx, Request{Header: http.Header{"Content-Type": {"text/plain"}},
		Body: []byte("something")})
}

// short is a timeout for what never answers.
const short = 100 * time.Millisecond
