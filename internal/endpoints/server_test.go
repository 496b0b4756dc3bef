package endpoints

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/pkg/filters/rules"
)

func TestAddresses(t *testing.T) {
	const public = "is not a loopback address"
	for address, want := range map[string]string{
		"127.0.0.1:8080": "", "127.0.0.1:0": "", "127.1.2.3:65535": "", "localhost:8080": "",
		"LOCALHOST:1": "", "[::1]:8080": "",

		"0.0.0.0:8080":      `http address "0.0.0.0:8080" ` + public,
		":9090":             `http address ":9090" ` + public,
		"[::]:80":           `http address "[::]:80" ` + public,
		"10.0.0.1:8080":     `http address "10.0.0.1:8080" ` + public,
		"example.org:8080":  `http address "example.org:8080" ` + public,
		"":                  `http address "": missing port in address`,
		"8080":              `http address "8080": address 8080: missing port in address`,
		"127.0.0.1":         `http address "127.0.0.1": address 127.0.0.1: missing port in address`,
		"::1:8080":          `http address "::1:8080": address ::1:8080: too many colons in address`,
		"http://localhost:": `http address "http://localhost:": address http://localhost:: too many colons in address`,
	} {
		got := ""
		if err := checkAddress(address); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q:\n got %s\nwant %s", address, got, want)
		}
		if want == "" {
			continue
		}
		if addr, err := (&Server{Address: address}).Listen(); addr != nil || err == nil ||
			err.Error() != want {
			t.Errorf("Listen on %q: %v, %v", address, addr, err)
		}
	}
}

// What localhost is, the machine's files say.
func TestLocalhostThatIsNotThisMachine(t *testing.T) {
	err := checkBound("localhost:80", &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 80})
	want := `http address "localhost:80 (10.0.0.1:80)" is not a loopback address`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := checkBound("localhost:80", &net.TCPAddr{IP: net.IPv6loopback, Port: 80}); err != nil {
		t.Error(err)
	}
}

func TestAnAddressInUse(t *testing.T) {
	r := serve(t, &Server{})
	_, err := (&Server{Address: r.address}).Listen()
	want := "cannot listen on http address " + r.address +
		": bind: address already in use"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestListenAndServeInTheirOrder(t *testing.T) {
	s := &Server{Address: "localhost:0"}
	if err := s.Serve(t.Context()); err == nil ||
		err.Error() != "the HTTP server is not listening yet" {
		t.Error(err)
	}
	addr, err := s.Listen()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Listen(); err == nil || err.Error() != "the HTTP server is already listening" {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Serve(ctx); err != nil {
		t.Error(err)
	}
	if conn, err := net.Dial("tcp", addr.String()); err == nil {
		conn.Close()
		t.Error("the address is still served")
	}
}

func TestServeTellsWhyItEnds(t *testing.T) {
	l := newPipes()
	l.err = errors.New("no more")
	l.Close()
	err := (&Server{}).serve(t.Context(), l)
	if want := "the HTTP server on pipe has ended: no more"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// pipes is a listener whose connections are in memory, so that a test's clock can be stopped.
type pipes struct {
	incoming chan net.Conn
	closed   chan struct{}
	once     sync.Once
	err      error
}

func newPipes() *pipes {
	return &pipes{incoming: make(chan net.Conn, 100), closed: make(chan struct{}),
		err: net.ErrClosed}
}

func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.incoming:
		return c, nil
	case <-l.closed:
		return nil, l.err
	}
}

func (l *pipes) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

// dial returns the client's end of a connection.
func (l *pipes) dial() net.Conn {
	client, server := net.Pipe()
	l.incoming <- server
	return client
}

const healthRequest = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"

// inBubble runs a server in a synctest bubble, and ends it.
func inBubble(t *testing.T, s *Server, story func(l *pipes, stop func(), ended <-chan error)) {
	synctest.Test(t, func(t *testing.T) {
		l := newPipes()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- s.serve(ctx, l)
			close(ended)
		}()
		story(l, cancel, ended)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// Connections that say nothing, or do not end what they began, make room for others, the oldest first,
// and keep nobody from an answer.
func TestSilentConnectionsMakeRoom(t *testing.T) {
	for _, said := range []string{"", "GET / HT", "POST /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"} {
		for _, probes := range []bool{false, true} {
			makeRoom(t, said, probes)
		}
	}
}

func makeRoom(t *testing.T, said string, probes bool) {
	most, path := maxConnections, "/healthz"
	if probes {
		most, path = maxProbes, "/livez"
	}
	inBubble(t, &Server{Probes: probes}, func(l *pipes, _ func(), _ <-chan error) {
		var silent []net.Conn
		dial := func() net.Conn {
			c := l.dial()
			synctest.Wait()
			time.Sleep(time.Millisecond)
			return c
		}
		for range most {
			c := dial()
			if _, err := io.WriteString(c, said); err != nil {
				t.Fatal(err)
			}
			silent = append(silent, c)
		}
		synctest.Wait() // the last one has come to the server
		client := dial()
		if _, err := io.WriteString(client, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		res, err := http.ReadResponse(bufio.NewReader(client), nil)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatal(res, err)
		}
		for i, c := range silent {
			err := c.SetReadDeadline(time.Now().Add(time.Microsecond))
			if err == nil {
				_, err = c.Read(make([]byte, 1))
			}
			if closed := err == io.EOF || err == io.ErrClosedPipe; closed != (i == 0) {
				t.Errorf("connection %d is closed: %t (%v)", i, closed, err)
			}
			c.Close()
		}
		client.Close()
	})
}

func TestSeventyConnectionsAreAllServed(t *testing.T) {
	r := serve(t, &Server{})
	var clients sync.WaitGroup
	for range 70 {
		clients.Go(func() {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
				"http://"+r.address+"/healthz", nil)
			if err != nil {
				t.Error(err)
				return
			}
			req.Close = true
			res, err := r.client.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Body.Close()
			if body, err := io.ReadAll(res.Body); err != nil || string(body) != "ok" {
				t.Errorf("%q, %v", body, err)
			}
		})
	}
	clients.Wait()
}

// closedAfter reads until the server closes the connection, and returns how long that took.
func closedAfter(c net.Conn) time.Duration {
	began := time.Now()
	_, _ = io.Copy(io.Discard, c)
	return time.Since(began)
}

func TestClientsHaveToBeQuick(t *testing.T) {
	many := []Listener{{Name: "l", Violations: func() []rules.Violation { return manyViolations(1_000) }}}
	inBubble(t, &Server{Listeners: many}, func(l *pipes, _ func(), _ <-chan error) {
		for name, tt := range map[string]struct {
			send  string
			read  bool // the client reads what comes
			after time.Duration
		}{
			"nothing":       {"", true, 5 * time.Second},
			"half a header": {"GET /healthz HTTP/1.1\r\nHost: ", true, 5 * time.Second},
			"idle":          {healthRequest, true, 30 * time.Second},
			"reads nothing": {violationsRequest, false, time.Minute},
		} {
			c := l.dial()
			if _, err := io.WriteString(c, tt.send); err != nil {
				t.Fatal(err)
			}
			if !tt.read {
				time.Sleep(tt.after - time.Nanosecond) // of the bubble's time
				synctest.Wait()
				if n, err := c.Read(make([]byte, 1)); n != 1 {
					t.Errorf("%s: closed before %v: %v", name, tt.after, err)
				}
				time.Sleep(2 * time.Nanosecond) // in the same moment, this client might be first
				synctest.Wait()
				tt.after = 0
			}
			if got := closedAfter(c); got != tt.after {
				t.Errorf("%s: closed after %v, want %v", name, got, tt.after)
			}
			c.Close()
		}
	})
}

// slow is a listener whose violations take as long as the test wants.
func slow() (listeners []Listener, begun <-chan struct{}, finish func()) {
	b, f := make(chan struct{}), make(chan struct{})
	return []Listener{{Name: "l", Violations: func() []rules.Violation {
		close(b)
		<-f
		return []rules.Violation{{Rule: "r"}}
	}}}, b, func() { close(f) }
}

const violationsRequest = "GET /violations HTTP/1.1\r\nHost: localhost\r\n\r\n"

func TestARequestUnderWayFinishes(t *testing.T) {
	listeners, begun, finish := slow()
	r := serve(t, &Server{Listeners: listeners})
	conn, err := net.Dial("tcp", r.address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, violationsRequest); err != nil {
		t.Fatal(err)
	}
	<-begun
	r.stop()
	for { // the address is given up at once
		c, err := net.Dial("tcp", r.address)
		if err != nil {
			break
		}
		c.Close()
	}
	finish()
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || !res.Close ||
		!strings.HasSuffix(string(body),
			`"rule":"r","severity":"","namespace":"","name":"","uid":"","message":"","since":"0001-01-01T00:00:00Z"}],"total":1}`+"\n") {
		t.Errorf("%v, close %t, %s", err, res.Close, body)
	}
	r.end()
}

func TestServeEndsWithinASecond(t *testing.T) {
	t.Run("at once if nothing is under way", func(t *testing.T) {
		inBubble(t, &Server{}, func(l *pipes, stop func(), ended <-chan error) {
			c := l.dial()
			defer c.Close()
			if _, err := io.WriteString(c, healthRequest); err != nil {
				t.Fatal(err)
			}
			if res, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil ||
				res.StatusCode != http.StatusOK {
				t.Fatal(res, err)
			}
			synctest.Wait()
			expectEnd(t, stop, ended, 0)
		})
	})
	t.Run("when the client does not read", func(t *testing.T) {
		var out log
		s := &Server{Log: out.logger(slog.LevelInfo),
			Listeners: []Listener{{Name: "l", Violations: func() []rules.Violation {
				return manyViolations(1_000)
			}}}}
		inBubble(t, s, func(l *pipes, stop func(), ended <-chan error) {
			c := l.dial()
			defer c.Close()
			if _, err := io.WriteString(c, violationsRequest); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			expectEnd(t, stop, ended, shutdownGrace)
		})
		if out.String() != "" {
			t.Error(out.String())
		}
	})
	t.Run("when a listener hangs", func(t *testing.T) {
		var out log
		synctest.Test(t, func(t *testing.T) {
			listeners, begun, finish := slow()
			l := newPipes()
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() {
				ended <- (&Server{Log: out.logger(slog.LevelInfo),
					Listeners: listeners}).serve(ctx, l)
			}()
			c := l.dial()
			defer c.Close()
			if _, err := io.WriteString(c, violationsRequest); err != nil {
				t.Fatal(err)
			}
			<-begun
			expectEnd(t, cancel, ended, time.Second)
			finish()
		})
		if want := "level=WARN msg=\"an HTTP request did not end in time\"\n"; out.String() != want {
			t.Errorf("got %s, want %s", out.String(), want)
		}
	})
}

func expectEnd(t *testing.T, stop func(), ended <-chan error, want time.Duration) {
	t.Helper()
	began := time.Now()
	stop()
	err := <-ended
	if took := time.Since(began); err != nil || took != want {
		t.Errorf("Serve ended after %v with %v, want %v", took, err, want)
	}
}

func ExampleServer() {
	s := &Server{Address: "127.0.0.1:0", Version: "v1"}
	addr, err := s.Listen()
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()

	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Get("http://" + addr.String() + "/healthz")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	fmt.Println(res.Status, string(body))

	cancel()
	fmt.Println(<-ended)
	// Output:
	// 200 OK ok
	// <nil>
}

// Further paths are guarded as all are, and Tick is called.
func TestFurtherPaths(t *testing.T) {
	ticked := make(chan struct{}, 1)
	s := &Server{Tick: func() { ticked <- struct{}{} }, More: map[string]http.HandlerFunc{
		"/":        func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "the page") },
		"/page.js": func(http.ResponseWriter, *http.Request) { panic("it is broken") },
	}}
	if paths := s.Paths(); paths[0] != "/" || paths[1] != "/metrics" {
		t.Errorf("%q", paths)
	}
	r := serve(t, s)
	<-ticked
	if res, body := r.get("/"); body != "the page" || res.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%v: %s", res.Header, body)
	}
	if res, _ := r.get("/page.js"); res.StatusCode != http.StatusInternalServerError {
		t.Error(res.Status)
	}
	req, err := http.NewRequest(http.MethodGet, "http://"+r.address+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "evil.example.com"
	if res, body := r.do(req); res.StatusCode != http.StatusForbidden || strings.Contains(body,
		"the page") {
		t.Errorf("%s: %s", res.Status, body)
	}
}
